// `npm start`: builds everything, then becomes the service.

import { prepareToRun, serverProgram } from './prepare.mjs';

await prepareToRun();
await import(serverProgram);
