// `npm run chaos`: sets everything up, then tortures. Arguments go to the torture.

import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

await prepare();
await run(undefined, process.execPath, [join(root, 'chaos/index.mjs'), ...process.argv.slice(2)]);
