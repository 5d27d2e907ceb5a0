// The protocol between a worker pool and its workers, and the worker's side of it.

import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/** Asks the pool's side a question while a job runs, one at a time. */
export type AskQuestion = (question: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Named functions of the job's input. Inputs and results are copied between threads or processes, so they must be
 * cloneable.
 */
export type JobHandlers = Record<string, (input: never, ask: AskQuestion) => unknown>;

/** A result whose memory moves to the pool's side instead of being copied. */
export class TransferredResult<T> {
  constructor(
    readonly value: T,
    readonly transferList: readonly Transferable[],
  ) {}
}

export type JobResult<Handler extends JobHandlers[string]> =
  Awaited<ReturnType<Handler>> extends TransferredResult<infer T> ? T : Awaited<ReturnType<Handler>>;

export interface JobRequest {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

/** `id` is that of the job, here and in all further messages. */
export type JobAnswer = { readonly id: number } & (
  | { readonly answer: Uint8Array<ArrayBuffer> }
  | { readonly error: string }
);

export type PoolMessage = JobRequest | JobAnswer;

interface JobQuestion {
  readonly id: number;
  readonly question: Uint8Array;
}

export type JobResponse = {
  readonly id: number;
  /** Used by a worker process since its start. */
  readonly cpuSeconds?: number;
} & ({ readonly result: unknown } | { readonly error: string });

export type WorkerMessage = JobQuestion | JobResponse;

/** Runs in the worker, a thread or a process: handles each job that the pool sends. */
export function serveJobs(handlers: JobHandlers): void {
  /** Receivers of answers, by job. */
  const receivers = new Map<number, (answer: JobAnswer) => void>();
  const ask = async (id: number, question: Uint8Array) => {
    const answered = new Promise<JobAnswer>((resolve) => receivers.set(id, resolve));
    post({ id, question });
    const answer = await answered;
    if ('error' in answer) throw new Error(answer.error);
    return answer.answer;
  };
  const receive = async (message: PoolMessage) => {
    if (!('name' in message)) {
      receivers.get(message.id)?.(message);
      receivers.delete(message.id);
      return;
    }
    const { response, transferList } = await runJob(handlers[message.name], message, (question) =>
      ask(message.id, question),
    );
    post(parentPort ? response : { ...response, cpuSeconds: readCpuSeconds() }, transferList);
  };
  if (parentPort) parentPort.on('message', receive);
  else {
    process.on('message', receive);
    // The service is gone. Exiting would wait for native code that is still running.
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  }
}

function post(message: WorkerMessage, transferList: readonly Transferable[] = []): void {
  if (parentPort) parentPort.postMessage(message, transferList);
  else process.send?.(message);
}

function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function runJob(
  handler: JobHandlers[string] | undefined,
  { id, name, input }: JobRequest,
  ask: AskQuestion,
): Promise<{ response: JobResponse; transferList: readonly Transferable[] }> {
  try {
    if (!handler) throw new Error(`unknown job ${name}`);
    // The pool's `run` checks the input against the type of this handler's parameter.
    const result = await handler(input as never, ask);
    return result instanceof TransferredResult
      ? { response: { id, result: result.value }, transferList: result.transferList }
      : { response: { id, result }, transferList: [] };
  } catch (error) {
    return { response: { id, error: error instanceof Error ? error.message : String(error) }, transferList: [] };
  }
}

/** Between the default (0) and the lowest priority (19). */
const LOWERED_PRIORITY = 10;

/**
 * For a worker that computes for long: the event loop and the database have little to do each time and should not wait
 * behind it.
 */
export function lowerThreadPriority(): void {
  // On other platforms this would change the priority of the whole process.
  if (process.platform === 'linux') setPriority(0, LOWERED_PRIORITY);
}
