// `npm run audit -- [--repair] [--json]`: sets everything up, then audits what the service has written.

import { prepare, serverProgram } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'audit');
await import(serverProgram);
