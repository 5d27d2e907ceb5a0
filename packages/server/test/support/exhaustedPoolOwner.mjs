// Runs a job in a worker process while no file descriptor is left, and then with some; sends what became of each.

import { closeSync, openSync } from 'node:fs';
import { WorkerPool } from '../../dist/workers/pool.js';

const pool = new WorkerPool({
  file: new URL('./obedientWorker.mjs', import.meta.url),
  processLimits: { cpuSeconds: 60, memoryMb: 512, heapMb: 128 },
  maxWorkers: 1,
  maxQueuedJobs: 1,
  jobTimeoutMs: 60_000,
});
/** @type {number[]} */
const descriptors = [];
try {
  for (;;) descriptors.push(openSync('/dev/null'));
} catch {
  // As many as the limit allows.
}
const name = (/** @type {Error} */ error) => error.constructor.name;
const first = await pool.run('echo', 'none').catch(name);
for (const descriptor of descriptors) closeSync(descriptor);
process.send?.([first, await pool.run('echo', 'some').catch(name)]);
await pool.close();
process.disconnect?.();
