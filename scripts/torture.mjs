// `npm run torture`: sets everything up, then tortures. Arguments go to the torture.

import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

await prepare();
await run(undefined, process.execPath, [join(root, 'torture/torture.mjs'), ...process.argv.slice(2)]);
