// Loaded into a service under test: on SIGUSR2, collects garbage and reports the memory in use.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    // Finalizers of the first collection may release more.
    collect();
    setImmediate(() => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      process.stderr.write(`in use: ${heapUsed + external}\n`);
    });
  });
}
