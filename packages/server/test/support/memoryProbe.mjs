// Loaded into a service under test: on SIGUSR2 it collects its garbage and says what is left.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    // What the first round lets go of may hold more.
    collect();
    setImmediate(() => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      process.stderr.write(`in use: ${heapUsed + external}\n`);
    });
  });
}
