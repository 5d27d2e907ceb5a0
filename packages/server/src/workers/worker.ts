// One worker of a pool: a thread, or a child process that speaks the same job protocol.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import type { PoolMessage, WorkerMessage } from './jobs.js';

/** Kernel limits of a process, which Node cannot set, but a shell can before it becomes the program. */
export interface ProcessLimits {
  /** CPU time of one job. The kernel ends a process that has used twice as much. */
  readonly cpuSeconds: number;
  /** Private writable memory. Not address space, of which V8 and WebAssembly reserve gigabytes without using them. */
  readonly memoryMb: number;
}

export interface WorkerOptions {
  /** The file that the worker runs; it calls `serveJobs`. */
  readonly file: URL;
  /**
   * Makes the worker a process instead of a thread. It can be killed whatever native code is doing in it, and does not
   * see our environment.
   */
  readonly processLimits?: ProcessLimits & { readonly heapMb: number };
  /** Data that a thread gets at its start. */
  readonly workerData?: unknown;
  /** Heap limits of a thread. */
  readonly resourceLimits?: ResourceLimits;
}

export interface WorkerListener {
  onMessage(message: WorkerMessage): void;
  onEnd(reason: Error): void;
}

export interface WorkerHandle {
  /** A process gets copies of what a thread gets transferred. */
  send(message: PoolMessage, transferList?: readonly Transferable[]): void;
  /** Keeps this process alive, or not. */
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

export function startWorker({ processLimits, ...options }: WorkerOptions, listener: WorkerListener): WorkerHandle {
  return processLimits ? startProcess(options.file, processLimits, listener) : startThread(options, listener);
}

function startThread(
  { file, workerData, resourceLimits = {} }: WorkerOptions,
  { onMessage, onEnd }: WorkerListener,
): WorkerHandle {
  const thread = new Worker(file, { workerData, resourceLimits });
  thread.on('message', onMessage);
  thread.on('error', onEnd);
  thread.on('exit', () => onEnd(new Error('the worker ended')));
  return {
    send: (message, transferList) => thread.postMessage(message, transferList),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    terminate: () => thread.terminate(),
  };
}

function startProcess(
  file: URL,
  limits: NonNullable<WorkerOptions['processLimits']>,
  { onMessage, onEnd }: WorkerListener,
): WorkerHandle {
  // Without the variables that a shell sets itself.
  const script = `${limitingScript(limits)}; unset PWD OLDPWD SHLVL; exec "$0" "$@"`;
  const flags = [`--max-old-space-size=${limits.heapMb}`];
  const child = fork(file, {
    ...(hasShell ? { execPath: SHELL, execArgv: ['-c', script, process.execPath, ...flags] } : { execArgv: flags }),
    serialization: 'advanced',
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (!child.connected) {
    // No descriptor is left. It also emits that.
    child.on('error', () => {});
    throw new Error('the process could not be started');
  }
  const ended = once(child, 'exit').catch(() => undefined);
  // The channel carries nothing but what the worker sends by `serveJobs`.
  child.on('message', (message) => onMessage(message as WorkerMessage));
  child.on('error', onEnd);
  child.on('exit', () => onEnd(new Error('the worker ended')));
  return {
    send: (message) => void child.send(message, (error) => error && onEnd(error)),
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
    },
    async terminate() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      // Otherwise this process could end while it waits for an idle worker.
      child.ref();
      await ended;
    },
  };
}

export const SHELL = '/bin/sh';
/** Windows and images without a shell have none. There, only the limits of time and heap apply. */
export const hasShell = existsSync(SHELL);

/**
 * Sets the limits of the shell that runs it, for the program it then executes, which also writes no files (core dumps
 * included). A limit that the platform does not support, or that is lower already, stays as it is.
 */
export function limitingScript({ cpuSeconds, memoryMb }: ProcessLimits): string {
  const limits = [`-c 0`, `-f 0`, `-d ${memoryMb * 1024}`, `-t ${cpuSeconds * 2}`];
  return `{ ${limits.map((limit) => `ulimit ${limit};`).join(' ')} } 2>/dev/null`;
}
