// A thread that does as it is told, for the tests of threads.

import { getPriority } from 'node:os';
import { lowerThreadPriority, serveJobs } from '../../dist/workers/pool.js';

serveJobs({
  echo: (text) => text,
  fail: (reason) => {
    throw new Error(reason);
  },
  spin: () => {
    for (;;);
  },
  leave: () => process.exit(0),
  lowerThreadPriority,
  priority: () => getPriority(),
});
