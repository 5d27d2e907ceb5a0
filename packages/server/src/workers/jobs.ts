// The protocol between a worker pool and its workers, and the worker's side of it.

import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/** Named functions of one parameter. Parameters and results are copied between threads, so they must be cloneable. */
export type JobHandlers = Record<string, (input: never) => unknown>;

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

export type JobResponse = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });

/** Runs in the worker, a thread or a process: handles each job that the pool sends. */
export function serveJobs(handlers: JobHandlers): void {
  const handle = async (request: JobRequest) => {
    const { response, transferList } = await runJob(handlers[request.name], request);
    if (parentPort) parentPort.postMessage(response, transferList);
    else process.send?.(response);
  };
  if (parentPort) parentPort.on('message', handle);
  else {
    process.on('message', handle);
    // The service is gone. Exiting would wait for native code that is still running.
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  }
}

async function runJob(
  handler: JobHandlers[string] | undefined,
  { id, name, input }: JobRequest,
): Promise<{ response: JobResponse; transferList: readonly Transferable[] }> {
  try {
    if (!handler) throw new Error(`unknown job ${name}`);
    // The pool's `run` checks the input against the type of this handler's parameter.
    const result = await handler(input as never);
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
