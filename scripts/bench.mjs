// `npm run bench`: builds everything, then runs the benchmarks.

import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

await prepare({ withTestTools: true });
await run(undefined, process.execPath, [join(root, 'bench/index.mjs'), ...process.argv.slice(2)]);
