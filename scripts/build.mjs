// Builds everything that `npm start` needs; used by the container image. `build.mjs cli` builds the `provenance` command alone.

import { prepare, prepareCommand } from './prepare.mjs';

await (process.argv[2] === 'cli' ? prepareCommand() : prepare());
