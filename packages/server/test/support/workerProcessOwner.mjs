// A process that owns a pool of worker processes, one of which is busy: sends the id of that one.

import { WorkerPool } from '../../dist/workers/pool.js';

const pool = new WorkerPool({
  file: new URL('./obedientWorker.mjs', import.meta.url),
  processLimits: { cpuSeconds: 60, memoryMb: 512, heapMb: 128 },
  maxWorkers: 1,
  jobTimeoutMs: 60_000,
  maxQueuedJobs: 1,
});
process.send?.(await pool.run('processId', undefined));
await pool.run('sleep', undefined);
