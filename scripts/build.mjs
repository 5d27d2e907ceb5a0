// Builds everything that `npm start` needs; used by the container image.

import { prepare } from './prepare.mjs';

await prepare();
