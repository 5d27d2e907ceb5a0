// What a container needs: everything that `npm start` would do before the service begins.

import { prepare } from './prepare.mjs';

await prepare();
