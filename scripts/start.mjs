// `npm start`: sets everything up, then becomes the service.

import { prepare } from './prepare.mjs';

await prepare();
await import('../packages/server/dist/main.js');
