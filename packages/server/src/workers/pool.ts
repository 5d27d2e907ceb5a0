// A pool of workers, threads or processes, that handle jobs in the order of their arrival. A job that takes too long ends
// its worker, as does a crash; the jobs after it get a new one.

import { basename } from 'node:path';
import type { Transferable } from 'node:worker_threads';
import { RegistryError } from '@provenance-registry/core';
import { killedWorkers, watchPool } from '../monitoring/metrics.js';
import { packageFolder } from '../paths.js';
import type { JobHandlers, JobRequest, JobResponse, JobResult, QueryHost, WorkerMessage } from './jobs.js';
import { cutFields, findLargeFields, omitFields } from './largeInputs.js';
import { runSlice } from './slices.js';
import { startWorker, type WorkerHandle, type WorkerOptions } from './worker.js';

export interface WorkerPoolOptions extends WorkerOptions {
  /** Workers start when they are needed. */
  readonly maxWorkers: number;
  /** Jobs sent to a worker at once, 1 by default. With more, a worker need not wait for the pool between short jobs. */
  readonly jobsPerWorker?: number;
  /** Counted from the moment a job is sent to its worker. */
  readonly jobTimeoutMs: number;
  /** Timeout of a worker's first job, when that does work that later ones reuse; `jobTimeoutMs` by default. */
  readonly firstJobTimeoutMs?: number;
  /** Jobs beyond this number are rejected with UNAVAILABLE. */
  readonly maxQueuedJobs: number;
  /** Ends a worker without jobs after this time; by default it stays. */
  readonly idleTimeoutMs?: number;
}

export interface JobOptions {
  readonly transferList?: readonly Transferable[];
  /** Handles the worker's queries. */
  readonly handleQuery?: QueryHost;
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

/** A job without a result: it took too long, or its worker ended. Clients may try again. */
export class LostJobError extends Error {}

const closedError = () => new LostJobError('the worker pool is closed');

export class WorkerPool<H extends JobHandlers> {
  readonly #options: WorkerPoolOptions;
  readonly #jobsPerWorker: number;
  readonly #name: string;
  readonly #stopWatching: () => void;
  readonly #queue: Job[] = [];
  readonly #workers = new Set<PoolWorker>();
  /** Workers without jobs, the one that finished last at the end. */
  readonly #idle: PoolWorker[] = [];
  /** Called after the next finished job. */
  readonly #finishListeners: (() => void)[] = [];
  #isClosed = false;
  #lastJobId = 0;
  #runningCheck: Promise<void> | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#jobsPerWorker = options.jobsPerWorker ?? 1;
    this.#name = basename(options.file.pathname, '.js');
    this.#stopWatching = watchPool(this.#name, () => ({
      workers: this.#workers.size,
      idle: this.#idle.length,
      queued: this.#queue.length,
    }));
  }

  run<Name extends keyof H & string>(
    name: Name,
    input: Parameters<H[Name]>[0],
    options: JobOptions = {},
  ): Promise<JobResult<H[Name]>> {
    // The worker runs the handler of this name, so the result has its type.
    return this.#enqueue(name, input, options) as Promise<JobResult<H[Name]>>;
  }

  /**
   * Resolves when a worker has done this job, or in a pool with a queue any job: a busy pool is not a stuck one. Calls
   * at the same time share one job.
   */
  check<Name extends keyof H & string>(name: Name, input: Parameters<H[Name]>[0]): Promise<void> {
    this.#runningCheck ??= this.#probe(name, input).finally(() => {
      this.#runningCheck = undefined;
    });
    return this.#runningCheck;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    this.#rejectQueue(closedError());
    const ends = [...this.#workers].map(({ handle }) => handle.terminate());
    for (const worker of [...this.#workers]) this.#discard(worker, closedError());
    await Promise.all(ends);
  }

  async #probe(name: string, input: unknown): Promise<void> {
    if (this.#queue.length > 0) await new Promise<void>((resolve) => this.#finishListeners.push(resolve));
    else await this.#enqueue(name, input, {});
  }

  #enqueue(name: string, input: unknown, options: JobOptions): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#lastJobId += 1;
      const job: Job = { request: { id: this.#lastJobId, name, input }, options, resolve, reject };
      if (this.#isClosed) reject(closedError());
      else if (this.#startAtOnce(job)) return;
      else if (this.#queue.length < this.#options.maxQueuedJobs) this.#queue.push(job);
      else reject(new RegistryError('UNAVAILABLE', 'The service is too busy right now. Try again in a moment.'));
    });
  }

  /** Gives the job to a worker that is free, unless there is none. Rejects it if one cannot be started. */
  #startAtOnce(job: Job): boolean {
    const idle = this.#idle.pop();
    if (idle) this.#send(idle, job);
    else if (this.#workers.size < this.#options.maxWorkers) this.#startWith([job]);
    else {
      const worker = [...this.#workers].find(({ jobs }) => jobs.size < this.#jobsPerWorker);
      if (!worker) return false;
      this.#send(worker, job);
    }
    return true;
  }

  /** Sends the jobs to a new worker, or rejects them if the system has no process, thread or memory left for one. */
  #startWith(jobs: readonly Job[]): void {
    let worker: PoolWorker;
    try {
      worker = this.#launch();
    } catch (cause) {
      for (const job of jobs) job.reject(new LostJobError('no worker could be started', { cause }));
      return;
    }
    for (const job of jobs) this.#send(worker, job);
  }

  #rejectQueue(reason: Error): void {
    for (const job of this.#queue.splice(0)) job.reject(reason);
  }

  #launch(): PoolWorker {
    const worker: PoolWorker = {
      handle: startWorker(this.#options, {
        onMessage: (message) => this.#receive(worker, message),
        onEnd: (reason) => this.#discard(worker, new LostJobError(reason.message, { cause: reason })),
      }),
      jobs: new Map(),
      hasFinishedJob: false,
    };
    this.#workers.add(worker);
    return worker;
  }

  #send(worker: PoolWorker, job: Job): void {
    const { jobTimeoutMs, firstJobTimeoutMs = jobTimeoutMs } = this.#options;
    clearTimeout(worker.idleTimer);
    worker.jobs.set(job.request.id, job);
    const timeoutMs = worker.hasFinishedJob ? jobTimeoutMs : firstJobTimeoutMs;
    job.timer = setTimeout(() => this.#discard(worker, new LostJobError('the job took too long')), timeoutMs);
    worker.handle.ref();
    const largeFields = job.options.transferList ? [] : findLargeFields(job.request.input);
    if (largeFields.length > 0) void this.#sendLarge(worker, job.request, largeFields);
    else worker.handle.send(job.request, job.options.transferList);
  }

  /** Copying a whole image into a message would hold the event loop for tens of milliseconds. */
  async #sendLarge(worker: PoolWorker, request: JobRequest, fields: ReturnType<typeof findLargeFields>): Promise<void> {
    const { id, input } = request;
    for (const createPiece of cutFields(id, fields)) {
      await runSlice(this.#name, () => {
        // The worker may have ended meanwhile.
        if (!worker.jobs.has(id)) return;
        const message = createPiece();
        worker.handle.send(message, [message.piece.buffer]);
      });
    }
    if (worker.jobs.has(id)) worker.handle.send({ ...request, input: omitFields(input, fields) });
  }

  #receive(worker: PoolWorker, message: WorkerMessage): void {
    const job = worker.jobs.get(message.id);
    if (!job) return;
    if ('query' in message) void handleQuery(worker, job, message.query);
    else this.#finish(worker, job, message);
  }

  #finish(worker: PoolWorker, job: Job, response: JobResponse): void {
    clearTimeout(job.timer);
    worker.hasFinishedJob = true;
    worker.jobs.delete(response.id);
    // Before the result is used: the worker need not wait for that.
    this.#continueWith(worker, response.cpuSeconds);
    if ('result' in response) job.resolve(response.result);
    else job.reject(new Error(response.error));
    for (const listener of this.#finishListeners.splice(0)) listener();
  }

  #continueWith(worker: PoolWorker, cpuSeconds = 0): void {
    const { processLimits } = this.#options;
    // The kernel counts CPU time over a process's life: the next job gets a worker that has enough left.
    const isSpent = processLimits && cpuSeconds > processLimits.cpuSeconds;
    const next = isSpent ? undefined : this.#queue.shift();
    if (next) this.#send(worker, next);
    else if (worker.jobs.size > 0) return;
    else if (isSpent) this.#discard(worker, new Error('the worker has used its CPU time'));
    else this.#rest(worker);
  }

  #rest(worker: PoolWorker): void {
    const { idleTimeoutMs } = this.#options;
    this.#idle.push(worker);
    // An idle worker must not keep the process alive.
    worker.handle.unref();
    if (idleTimeoutMs === undefined) return;
    worker.idleTimer = setTimeout(() => this.#discard(worker, new Error('the worker was idle')), idleTimeoutMs).unref();
  }

  #discard(worker: PoolWorker, reason: Error): void {
    if (!this.#workers.delete(worker)) return;
    clearTimeout(worker.idleTimer);
    const position = this.#idle.indexOf(worker);
    if (position >= 0) this.#idle.splice(position, 1);
    void worker.handle.terminate();
    if (worker.jobs.size > 0 && !this.#isClosed) killedWorkers.inc({ pool: this.#name });
    for (const job of worker.jobs.values()) {
      clearTimeout(job.timer);
      job.reject(reason);
    }
    if (this.#queue.length > 0) this.#startWith(this.#queue.splice(0, this.#jobsPerWorker));
    // No worker can be started, and none is left that would take the others.
    if (this.#workers.size === 0) this.#rejectQueue(new LostJobError('no worker could be started'));
  }
}

async function handleQuery({ handle }: PoolWorker, { request: { id }, options }: Job, query: Uint8Array) {
  try {
    if (!options.handleQuery) throw new Error('this job may not send queries');
    handle.send({ id, queryResult: await options.handleQuery(query) });
  } catch (error) {
    handle.send({ id, error: error instanceof Error ? error.message : String(error) });
  }
}
