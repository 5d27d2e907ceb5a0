// A second EVM, in a process of its own, that executes untrusted calls: EDR cannot interrupt a call, and remembers every
// step of it, about 600 bytes and a microsecond each. A call that exceeds its limits ends the process, and costs only other
// other programs the time of a replay. The replica reads the journal, so that it knows everything that clients have been told.

import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { emptyChain, replayRecord } from './durableChain.js';
import { replayJournal } from './journal.js';
import { startLimitedProcess } from './limitedProcess.js';

export interface Replica {
  /** One call at a time. `journalLength`: how much of the journal the replica must have read before. */
  request(call: JsonRpcCall, journalLength: number): Promise<unknown>;
  close(): void;
}

/** geth's limit. */
const CALL_TIMEOUT_MS = 5_000;
/** Several times as long as the longest measured journal. */
const REPLAY_TIMEOUT_MS = 120_000;
/** Room for 1.5 million steps; estimating the largest registration takes a fifth of it. */
const MAX_MEMORY_BYTES = 2 ** 30;
/** The size that a client of this project reads of a response. */
const MAX_RESULT_CHARACTERS = 8 * 2 ** 20;

/** Between the default (0) and the lowest priority (19). */
const LOWERED_PRIORITY = 10;

const Request = Type.Union([
  Type.Object({ journalLength: Type.Integer() }),
  Type.Object({ method: Type.String(), params: Type.Array(Type.Unknown()) }),
]);
type Request = Static<typeof Request>;

const Response = Type.Union([
  Type.Object({ result: Type.Unknown() }),
  Type.Object({
    error: Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.String()) }),
  }),
]);
type Response = Static<typeof Response>;

/** Starts with the first call. `file` runs `serveReplica`. */
export function createReplica(file: URL, journalPath: string): Replica {
  let child: ChildProcess | undefined;
  let knownLength = 0;

  function start(): ChildProcess {
    const started = startLimitedProcess({ file, args: [journalPath], maxMemoryBytes: MAX_MEMORY_BYTES });
    started.on('error', () => {});
    started.unref();
    started.channel?.unref();
    started.once('exit', () => {
      if (child === started) child = undefined;
    });
    knownLength = 0;
    return started;
  }

  function end(): void {
    child?.kill('SIGKILL');
    child = undefined;
  }

  /** Rejects when the process ends before its response, or is ended for taking too long. */
  function exchange(replica: ChildProcess, request: Request, timeoutMs: number): Promise<Response> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => replica.kill('SIGKILL'), timeoutMs);
      const settle = () => {
        clearTimeout(timer);
        replica.off('message', onMessage);
        replica.off('exit', onExit);
      };
      const onExit = () => {
        settle();
        reject(new JsonRpcError(errorCodes.server, 'execution aborted: the call takes too much time or memory'));
      };
      const onMessage = (message: unknown) => {
        settle();
        resolve(Value.Parse(Response, message));
      };
      replica.on('message', onMessage);
      replica.on('exit', onExit);
      replica.send(request, (error) => error && onExit());
    });
  }

  return {
    async request({ method, params = [] }, journalLength) {
      child ??= start();
      const replica = child;
      if (knownLength !== journalLength) {
        resultOf(await exchange(replica, { journalLength }, REPLAY_TIMEOUT_MS));
        knownLength = journalLength;
      }
      return resultOf(await exchange(replica, { method, params: [...params] }, CALL_TIMEOUT_MS));
    },
    close: end,
  };
}

function resultOf(response: Response): unknown {
  if ('result' in response) return response.result;
  const { code, message, data } = response.error;
  throw new JsonRpcError(code, message, data);
}

/** Runs in the replica's process. */
export function serveReplica(journalPath: string): void {
  const chain = emptyChain();
  let position = 0;
  // The service and its database do not wait for untrusted calls.
  setPriority(LOWERED_PRIORITY);

  async function handle(request: Request): Promise<unknown> {
    if ('journalLength' in request) {
      await replayJournal(journalPath, position, request.journalLength, (record) =>
        replayRecord(chain, record, () => new Date()),
      );
      position = request.journalLength;
      return null;
    }
    const result = await chain.machine?.evm.request(request);
    if (JSON.stringify(result).length <= MAX_RESULT_CHARACTERS) return result;
    throw new JsonRpcError(errorCodes.limitExceeded, 'The result is too large: ask for a part of it at a time.');
  }

  process.on('message', (message) => {
    handle(Value.Parse(Request, message))
      .then((result) => ({ result }))
      .catch((error: unknown) => ({ error: describeError(error) }))
      .then((response) => process.send?.(response));
  });
  // Exiting would wait for a call that is still running.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

function describeError(error: unknown) {
  if (!(error instanceof JsonRpcError)) return { code: errorCodes.internal, message: 'Internal error.' };
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}
