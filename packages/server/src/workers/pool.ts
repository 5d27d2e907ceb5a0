// A pool of workers, threads or processes, that handle jobs in the order of their arrival. A job that takes too long ends
// its worker, as does a crash; the jobs after it get a new one.

import { basename } from 'node:path';
import type { Transferable } from 'node:worker_threads';
import { RegistryError } from '@provenance-registry/core';
import { killedWorkers, watchPool } from '../monitoring/metrics.js';
import { packageFolder } from '../paths.js';
import type { AskQuestion, JobHandlers, JobRequest, JobResponse, JobResult, WorkerMessage } from './jobs.js';
import { startWorker, type WorkerHandle, type WorkerOptions } from './worker.js';

export interface WorkerPoolOptions extends WorkerOptions {
  /** Workers start when they are needed. */
  readonly maxWorkers: number;
  /** Jobs sent to a worker at once, 1 by default. With more, a worker need not wait for the pool between short jobs. */
  readonly jobsPerWorker?: number;
  /** Counted from the moment a job is sent to its worker. */
  readonly jobTimeoutMs: number;
  /** For a worker's first job, when that does work that later ones reuse; `jobTimeoutMs` by default. */
  readonly firstJobTimeoutMs?: number;
  /** Jobs beyond this number are rejected with UNAVAILABLE. */
  readonly maxQueuedJobs: number;
  /** Ends a worker without jobs after this time; by default it stays. */
  readonly idleTimeoutMs?: number;
}

export interface JobOptions {
  readonly transferList?: readonly Transferable[];
  /** Answers the questions of the worker. */
  readonly answer?: AskQuestion;
}

export interface WorkerPool<H extends JobHandlers> {
  run<Name extends keyof H & string>(
    name: Name,
    input: Parameters<H[Name]>[0],
    options?: JobOptions,
  ): Promise<JobResult<H[Name]>>;
  /**
   * Resolves when a worker has done this job, or in a pool with a queue any job: a busy pool is not a stuck one. Calls
   * at the same time share one job.
   */
  check<Name extends keyof H & string>(name: Name, input: Parameters<H[Name]>[0]): Promise<void>;
  close(): Promise<void>;
}

/** Workers run from the bundle, so that the code which starts them may run from sources, compiled files or the bundle. */
export function workerFile(name: string): URL {
  return new URL(`bundle/${name}.js`, packageFolder);
}

interface Job {
  readonly request: JobRequest;
  readonly options: JobOptions;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
  timer?: NodeJS.Timeout;
}

interface PoolWorker {
  readonly handle: WorkerHandle;
  readonly jobs: Map<number, Job>;
  hasFinishedJob: boolean;
  idleTimer?: NodeJS.Timeout | undefined;
}

const closedError = () => new Error('the worker pool is closed');

export function createWorkerPool<H extends JobHandlers>(options: WorkerPoolOptions): WorkerPool<H> {
  const { maxWorkers, jobsPerWorker = 1, jobTimeoutMs, firstJobTimeoutMs = jobTimeoutMs, maxQueuedJobs } = options;
  const queue: Job[] = [];
  const workers = new Set<PoolWorker>();
  /** Without jobs, the one that finished last at the end. */
  const idle: PoolWorker[] = [];
  /** Waiting for the next finished job. */
  const finishListeners: (() => void)[] = [];
  let isClosed = false;
  let lastJobId = 0;
  let runningCheck: Promise<void> | undefined;
  const name = basename(options.file.pathname, '.js');
  const stopWatching = watchPool(name, () => ({ workers: workers.size, idle: idle.length, queued: queue.length }));

  function launch(): PoolWorker {
    const worker: PoolWorker = {
      handle: startWorker(options, {
        onMessage: (message) => receive(worker, message),
        onEnd: (reason) => discard(worker, reason),
      }),
      jobs: new Map(),
      hasFinishedJob: false,
    };
    workers.add(worker);
    return worker;
  }

  function send(worker: PoolWorker, job: Job): void {
    clearTimeout(worker.idleTimer);
    worker.jobs.set(job.request.id, job);
    const timeoutMs = worker.hasFinishedJob ? jobTimeoutMs : firstJobTimeoutMs;
    job.timer = setTimeout(() => discard(worker, new Error('the job took too long')), timeoutMs);
    worker.handle.ref();
    worker.handle.send(job.request, job.options.transferList);
  }

  function receive(worker: PoolWorker, message: WorkerMessage): void {
    const job = worker.jobs.get(message.id);
    if (!job) return;
    if ('question' in message) void answerQuestion(worker, job, message.question);
    else finish(worker, job, message);
  }

  async function answerQuestion(worker: PoolWorker, { request: { id }, options }: Job, question: Uint8Array) {
    try {
      if (!options.answer) throw new Error('this job may not ask questions');
      worker.handle.send({ id, answer: await options.answer(question) });
    } catch (error) {
      worker.handle.send({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  function finish(worker: PoolWorker, job: Job, response: JobResponse): void {
    clearTimeout(job.timer);
    worker.hasFinishedJob = true;
    worker.jobs.delete(response.id);
    // Before the result is used: the worker need not wait for that.
    continueWith(worker, response.cpuSeconds);
    if ('result' in response) job.resolve(response.result);
    else job.reject(new Error(response.error));
    for (const listener of finishListeners.splice(0)) listener();
  }

  function continueWith(worker: PoolWorker, cpuSeconds = 0): void {
    // The kernel counts CPU time over a process's life: the next job gets a worker that has enough left.
    const isSpent = options.processLimits && cpuSeconds > options.processLimits.cpuSeconds;
    const next = isSpent ? undefined : queue.shift();
    if (next) send(worker, next);
    else if (worker.jobs.size > 0) return;
    else if (isSpent) discard(worker, new Error('the worker has used its CPU time'));
    else rest(worker);
  }

  function rest(worker: PoolWorker): void {
    idle.push(worker);
    // An idle worker must not keep the process alive.
    worker.handle.unref();
    if (options.idleTimeoutMs !== undefined) {
      worker.idleTimer = setTimeout(() => discard(worker, new Error('the worker was idle')), options.idleTimeoutMs);
      worker.idleTimer.unref();
    }
  }

  function discard(worker: PoolWorker, reason: Error): void {
    if (!workers.delete(worker)) return;
    clearTimeout(worker.idleTimer);
    const position = idle.indexOf(worker);
    if (position >= 0) idle.splice(position, 1);
    void worker.handle.terminate();
    if (worker.jobs.size > 0 && !isClosed) killedWorkers.inc({ pool: name });
    for (const job of worker.jobs.values()) {
      clearTimeout(job.timer);
      job.reject(reason);
    }
    const next = queue.splice(0, jobsPerWorker);
    if (next.length === 0) return;
    const replacement = launch();
    for (const job of next) send(replacement, job);
  }

  function findFreeWorker(): PoolWorker | undefined {
    if (isClosed) return undefined;
    const worker = idle.pop();
    if (worker) return worker;
    return workers.size < maxWorkers ? launch() : [...workers].find(({ jobs }) => jobs.size < jobsPerWorker);
  }

  function enqueue(name: string, input: unknown, options: JobOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      lastJobId += 1;
      const job: Job = { request: { id: lastJobId, name, input }, options, resolve, reject };
      const worker = findFreeWorker();
      if (worker) send(worker, job);
      else if (isClosed) reject(closedError());
      else if (queue.length < maxQueuedJobs) queue.push(job);
      else reject(new RegistryError('UNAVAILABLE', 'The service is too busy right now. Try again in a moment.'));
    });
  }

  async function probe(name: string, input: unknown): Promise<void> {
    if (queue.length > 0) await new Promise<void>((resolve) => finishListeners.push(resolve));
    else await enqueue(name, input, {});
  }

  return {
    // The worker runs the handler of this name, so the result has its type.
    run: <Name extends keyof H & string>(name: Name, input: Parameters<H[Name]>[0], options: JobOptions = {}) =>
      enqueue(name, input, options) as Promise<JobResult<H[Name]>>,
    check(name, input) {
      runningCheck ??= probe(name, input).finally(() => {
        runningCheck = undefined;
      });
      return runningCheck;
    },
    async close() {
      isClosed = true;
      stopWatching();
      for (const job of queue.splice(0)) job.reject(closedError());
      const ends = [...workers].map(({ handle }) => handle.terminate());
      for (const worker of [...workers]) discard(worker, closedError());
      await Promise.all(ends);
    },
  };
}
