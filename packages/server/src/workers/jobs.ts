// The protocol between a worker pool and its workers, and the worker's side of it.

import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';

/** Sends a query to the pool's side while a job runs, one at a time. */
export type QueryHost = (query: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Named functions of the job's input. Inputs and results are copied between threads or processes, so they must be
 * cloneable.
 */
export type JobHandlers = Record<string, (input: never, queryHost: QueryHost) => unknown>;

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

/** The result of a query. `id` is that of the job, here and in all further messages. */
type QueryResponse = { readonly id: number } & (
  | { readonly queryResult: Uint8Array<ArrayBuffer> }
  | { readonly error: string }
);

/** A part of a field of the input that is too large to be sent at once; before the request. */
export interface InputPiece {
  readonly id: number;
  readonly field: string;
  readonly offset: number;
  readonly totalBytes: number;
  readonly piece: Uint8Array<ArrayBuffer>;
}

export type PoolMessage = JobRequest | InputPiece | QueryResponse;

interface JobQuery {
  readonly id: number;
  readonly query: Uint8Array;
}

export type JobResponse = {
  readonly id: number;
  /** CPU time that a worker process has used since its start. */
  readonly cpuSeconds?: number;
} & ({ readonly result: unknown } | { readonly error: string });

export type WorkerMessage = JobQuery | JobResponse;

/** Runs in the worker, a thread or a process: handles each job that the pool sends. */
export function serveJobs(handlers: JobHandlers): void {
  /** Large fields of inputs, by job. */
  const largeFields = new Map<number, Record<string, Uint8Array>>();
  /** Receivers of query responses, by job. */
  const receivers = new Map<number, (response: QueryResponse) => void>();
  const queryHost = async (id: number, query: Uint8Array) => {
    const received = new Promise<QueryResponse>((resolve) => receivers.set(id, resolve));
    post({ id, query });
    const response = await received;
    if ('error' in response) throw new Error(response.error);
    return response.queryResult;
  };
  const addPiece = ({ id, field, offset, totalBytes, piece }: InputPiece) => {
    const fields = largeFields.get(id) ?? {};
    largeFields.set(id, fields);
    fields[field] ??= new Uint8Array(totalBytes);
    fields[field].set(piece, offset);
  };
  const receive = async (message: PoolMessage) => {
    if ('piece' in message) {
      addPiece(message);
      return;
    }
    if (!('name' in message)) {
      receivers.get(message.id)?.(message);
      receivers.delete(message.id);
      return;
    }
    const fields = largeFields.get(message.id);
    largeFields.delete(message.id);
    const request = fields ? { ...message, input: { ...Object(message.input), ...fields } } : message;
    const { response, transferList } = await runJob(handlers[message.name], request, (query) =>
      queryHost(message.id, query),
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
  queryHost: QueryHost,
): Promise<{ response: JobResponse; transferList: readonly Transferable[] }> {
  try {
    if (!handler) throw new Error(`unknown job ${name}`);
    // The pool's `run` checks the input against the type of this handler's parameter.
    const result = await handler(input as never, queryHost);
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
 * Called by a worker that computes for long: the event loop and the database have little to do each time and should not
 * wait behind it.
 */
export function lowerThreadPriority(): void {
  // On other platforms this would change the priority of the whole process.
  if (process.platform === 'linux') setPriority(0, LOWERED_PRIORITY);
}
