// A thread that does as it is told, for the tests of threads.

import { getPriority } from 'node:os';
import { answerJobs, giveWay } from '../../dist/threads.js';

answerJobs({
  echo: (text) => text,
  fail: (reason) => {
    throw new Error(reason);
  },
  spin: () => {
    for (;;);
  },
  leave: () => process.exit(0),
  giveWay,
  priority: () => getPriority(),
});
