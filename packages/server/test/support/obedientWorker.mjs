// A worker whose jobs do what the tests of the pool need.

import { getPriority } from 'node:os';
import { lowerThreadPriority, serveJobs, TransferredResult } from '../../dist/workers/jobs.js';

serveJobs({
  echo: (text) => text,
  giveBack: (block) => new TransferredResult(block, [block]),
  fail: (reason) => {
    throw new Error(reason);
  },
  spin: () => {
    for (;;);
  },
  sleep: () => new Promise(() => setInterval(() => {}, 1_000)),
  leave: () => process.exit(0),
  lowerThreadPriority,
  priority: () => getPriority(),
  environment: () => Object.keys(process.env),
  processId: () => process.pid,
});
