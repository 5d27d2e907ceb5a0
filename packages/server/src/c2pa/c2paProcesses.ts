// Worker processes in which c2pa-rs handles files of strangers.

import { createWorkerPool, type WorkerPool, type WorkerPoolOptions, workerFile } from '../workers/pool.js';
import type { C2paJobs } from './c2paWorker.js';

const JOB_TIMEOUT_MS = 10_000;
/** Ending an idle worker frees the memory that a large image leaves allocated. */
const IDLE_TIMEOUT_MS = 60_000;

export function createC2paProcesses(
  options: Pick<WorkerPoolOptions, 'maxWorkers' | 'maxQueuedJobs'>,
): WorkerPool<C2paJobs> {
  return createWorkerPool<C2paJobs>({
    ...options,
    file: workerFile('c2paWorker'),
    processLimits: { cpuSeconds: 20, memoryMb: 1024, heapMb: 192 },
    jobTimeoutMs: JOB_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
}
