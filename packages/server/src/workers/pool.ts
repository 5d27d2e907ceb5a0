// A few worker threads that each do one job at a time, in the order in which the jobs come. A job that takes too long
// ends its thread; so does a thread's own fault; either way the next job gets a new thread.

import { setPriority } from 'node:os';
import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { RegistryError } from '@provenance-registry/core';

/** What a thread can do: named functions of one parameter that can be sent from thread to thread, as can their results. */
type Handlers = Record<string, (job: never) => unknown>;

export interface WorkerPoolOptions {
  /** The file that the threads run; it calls `serveJobs`. */
  readonly file: URL;
  /** Started when they are needed. */
  readonly atMost: number;
  /** Counted from a job's turn, not from its coming. */
  readonly jobMs: number;
  /** For a thread's first job, when that makes ready what all others use; `jobMs` without. */
  readonly firstJobMs?: number;
  /** The rest is refused. */
  readonly maxWaiting: number;
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** Threads with nothing to do for so long are ended. */
  readonly idleMs?: number;
}

export interface Threads<H extends Handlers> {
  run<Name extends keyof H & string>(
    name: Name,
    job: Parameters<H[Name]>[0],
    transfer?: readonly Transferable[],
  ): Promise<Awaited<ReturnType<H[Name]>>>;
  close(): Promise<void>;
}

interface Request {
  readonly name: string;
  readonly job: unknown;
}
type Answer = { readonly result: unknown } | { readonly fault: string };

interface Task {
  readonly request: Request;
  readonly transfer: readonly Transferable[];
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  isWarm: boolean;
  task?: Task | undefined;
  timer?: NodeJS.Timeout | undefined;
}

export function createWorkerPool<H extends Handlers>(options: WorkerPoolOptions): Threads<H> {
  const waiting: Task[] = [];
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  let closed = false;

  function launch(): Thread {
    const { file, workerData, resourceLimits = {} } = options;
    const thread: Thread = { worker: new Worker(file, { workerData, resourceLimits }), isWarm: false };
    threads.add(thread);
    thread.worker.on('message', (answer: Answer) => finish(thread, answer));
    thread.worker.on('error', (error) => drop(thread, error));
    thread.worker.on('exit', () => drop(thread, new Error('the thread ended')));
    return thread;
  }

  function start(thread: Thread, task: Task): void {
    clearTimeout(thread.timer);
    thread.task = task;
    const { jobMs, firstJobMs = jobMs } = options;
    const limitMs = thread.isWarm ? jobMs : firstJobMs;
    thread.timer = setTimeout(() => drop(thread, new Error('the job took too long')), limitMs);
    thread.worker.ref();
    thread.worker.postMessage(task.request, task.transfer);
  }

  function finish(thread: Thread, answer: Answer): void {
    const { task } = thread;
    if (!task) return;
    clearTimeout(thread.timer);
    thread.isWarm = true;
    thread.task = undefined;
    const next = waiting.shift();
    // The next job goes out before the answer is looked at: the thread need not wait for what others make of it.
    if (next) start(thread, next);
    else rest(thread);
    if ('result' in answer) task.resolve(answer.result);
    else task.reject(new Error(answer.fault));
  }

  function rest(thread: Thread): void {
    idle.push(thread);
    // With nothing to do, a thread keeps no process alive.
    thread.worker.unref();
    if (options.idleMs !== undefined) {
      thread.timer = setTimeout(() => drop(thread, new Error('the thread was idle')), options.idleMs).unref();
    }
  }

  function drop(thread: Thread, reason: Error): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    const place = idle.indexOf(thread);
    if (place >= 0) idle.splice(place, 1);
    void thread.worker.terminate();
    thread.task?.reject(reason);
    const next = waiting.shift();
    if (next) start(launch(), next);
  }

  function enqueue(request: Request, transfer: readonly Transferable[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const task = { request, transfer, resolve, reject };
      const thread = idle.pop() ?? (threads.size < options.atMost && !closed ? launch() : undefined);
      if (thread) start(thread, task);
      else if (closed) reject(new Error('the threads are closed'));
      else if (waiting.length < options.maxWaiting) waiting.push(task);
      else reject(new RegistryError('UNAVAILABLE', 'The service has too much to do right now.'));
    });
  }

  return {
    // What the handler of that name returned, in a thread that runs our own code.
    run: <Name extends keyof H & string>(
      name: Name,
      job: Parameters<H[Name]>[0],
      transfer: readonly Transferable[] = [],
    ) => enqueue({ name, job }, transfer) as Promise<Awaited<ReturnType<H[Name]>>>,
    async close() {
      closed = true;
      for (const task of waiting.splice(0)) task.reject(new Error('the threads are closed'));
      const ends = [...threads].map(({ worker }) => worker.terminate());
      for (const thread of [...threads]) drop(thread, new Error('the threads are closed'));
      await Promise.all(ends);
    },
  };
}

/** Below the usual 0, and far above the least, which is 19. */
const LESS_URGENT = 10;

/**
 * In a thread that computes for long: the event loop and the database, which have little to do each time, go first. They
 * would otherwise wait behind it, and it for what they bring.
 */
export function lowerThreadPriority(): void {
  // Elsewhere this would mean the whole process.
  if (process.platform === 'linux') setPriority(0, LESS_URGENT);
}

/** In the thread: does the jobs that come. */
export function serveJobs<H extends Handlers>(handlers: H): void {
  parentPort?.on('message', async ({ name, job }: Request) => {
    parentPort?.postMessage(await answer(handlers[name], job));
  });
}

async function answer(handler: Handlers[string] | undefined, job: unknown): Promise<Answer> {
  try {
    if (!handler) throw new Error('there is no such job');
    // Who sent it was held to the type of this handler's parameter.
    return { result: await handler(job as never) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
