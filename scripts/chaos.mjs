// `npm run chaos`: builds, then runs the chaos test in this process, so that it gets the signals. Arguments are its own.

import { prepare } from './prepare.mjs';

await prepare({ withTestTools: true });
await import('../chaos/index.mjs');
