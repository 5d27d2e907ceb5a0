// `npm run audit -- [--repair] [--json]`: builds everything, then compares database, files and chain.

import { prepare, serverProgram } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'audit');
await import(serverProgram);
