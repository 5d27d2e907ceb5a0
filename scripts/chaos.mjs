// `npm run chaos`: builds, then runs the chaos test. Arguments are passed on.

import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

await prepare();
await run(undefined, process.execPath, [join(root, 'chaos/index.mjs'), ...process.argv.slice(2)]);
