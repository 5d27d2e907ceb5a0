// `npm run torture`: sets everything up, then tortures. Arguments go to the torture.

import { prepare } from './prepare.mjs';

await prepare();
await import('../torture/torture.mjs');
