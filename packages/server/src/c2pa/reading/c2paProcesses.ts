// Worker processes in which c2pa-rs handles untrusted files.

import { WorkerPool, type WorkerPoolOptions, workerFile } from '../../workers/pool.js';
import type { C2paJobs } from './c2paWorker.js';

/**
 * Three times as long as an image of 64 MB needs (5 s of CPU time), twice the accepted size. With the time that it may
 * wait, less than the 30 s after which a creation counts as abandoned.
 */
const JOB_TIMEOUT_MS = 15_000;
/** The first job compiles c2pa-rs: one second, ten on a busy machine. A timeout would start that again. */
export const FIRST_JOB_TIMEOUT_MS = 60_000;
/** An image of 64 MB needs 620 MB. `heapMb` limits JavaScript objects, not WebAssembly's memory. */
const processLimits = { cpuSeconds: 15, memoryMb: 768, heapMb: 192 };
/** Ending an idle worker frees the memory that a large image leaves allocated. */
const IDLE_TIMEOUT_MS = 60_000;

export function createC2paProcesses(
  options: Pick<WorkerPoolOptions, 'maxWorkers' | 'maxQueuedJobs'>,
): WorkerPool<C2paJobs> {
  return new WorkerPool<C2paJobs>({
    ...options,
    file: workerFile('c2paWorker'),
    processLimits,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    firstJobTimeoutMs: FIRST_JOB_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
}
