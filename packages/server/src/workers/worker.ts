// One worker of a pool: a thread, or a child process that speaks the same job protocol.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import type { JobRequest, JobResponse } from './jobs.js';

export interface WorkerOptions {
  /** The file that the worker runs; it calls `serveJobs`. */
  readonly file: URL;
  /** A thread by default. A process can be killed whatever native code is doing in it, and does not see our environment. */
  readonly isolation?: 'thread' | 'process';
  /** For threads. */
  readonly workerData?: unknown;
  /** A process has the limit of the old generation alone. */
  readonly resourceLimits?: ResourceLimits;
}

export interface WorkerListener {
  onResponse(response: JobResponse): void;
  onEnd(reason: Error): void;
}

export interface WorkerHandle {
  /** A process gets copies of what a thread gets transferred. */
  send(request: JobRequest, transferList: readonly Transferable[]): void;
  /** Keeps this process alive, or not. */
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

export function startWorker(options: WorkerOptions, listener: WorkerListener): WorkerHandle {
  return options.isolation === 'process' ? startProcess(options, listener) : startThread(options, listener);
}

function startThread(
  { file, workerData, resourceLimits = {} }: WorkerOptions,
  { onResponse, onEnd }: WorkerListener,
): WorkerHandle {
  const thread = new Worker(file, { workerData, resourceLimits });
  thread.on('message', onResponse);
  thread.on('error', onEnd);
  thread.on('exit', () => onEnd(new Error('the worker ended')));
  return {
    send: (request, transferList) => thread.postMessage(request, transferList),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    terminate: () => thread.terminate(),
  };
}

function startProcess(
  { file, resourceLimits: { maxOldGenerationSizeMb } = {} }: WorkerOptions,
  { onResponse, onEnd }: WorkerListener,
): WorkerHandle {
  const child = fork(file, {
    serialization: 'advanced',
    execArgv: maxOldGenerationSizeMb === undefined ? [] : [`--max-old-space-size=${maxOldGenerationSizeMb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit').catch(() => undefined);
  // The channel carries nothing but what the worker sends by `serveJobs`.
  child.on('message', (response) => onResponse(response as JobResponse));
  child.on('error', onEnd);
  child.on('exit', () => onEnd(new Error('the worker ended')));
  return {
    send: (request) => void child.send(request, (error) => error && onEnd(error)),
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
      await ended;
    },
  };
}
