// `npm start`: builds everything, then becomes the service.

import { prepare, serverProgram } from './prepare.mjs';

await prepare();
await import(serverProgram);
