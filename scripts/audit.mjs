// `npm run audit -- [--repair] [--json]`: sets everything up, then audits what the service has written.

import { prepare } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'audit');
await import('../packages/server/dist/main.js');
