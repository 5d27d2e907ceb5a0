// A JSON-RPC node of the chain, with the SDK's retries and errors.

import {
  createJsonRpcClient,
  InvalidResultError,
  type JsonRpcClient,
  JsonRpcError,
  NodeUnavailableError,
  NotARegistryError,
  ResponseTooLargeError,
} from '@provenance-registry/chain-client';
import { type Surroundings, world } from '../environment.js';
import { InvalidResponseError } from '../errors.js';
import { Fault } from '../exchange.js';
import { persist } from '../retries.js';
import { follow } from '../signals.js';

const CALL_TIMEOUT_MS = 10_000;
/** Users are waiting for a verdict, which is useful without the chain as well. */
const MAX_ATTEMPTS = 2;

/** Its calls throw ServiceUnreachableError when the node is unavailable. */
export function connectToNode(
  rpcUrl: string,
  caller?: AbortSignal,
  surroundings: Pick<Surroundings, 'random' | 'sleep'> = world,
): JsonRpcClient {
  const node = createJsonRpcClient({ url: rpcUrl, timeoutMs: CALL_TIMEOUT_MS });
  return {
    async request(call) {
      const { signal, release } = follow(caller);
      try {
        return await persist(
          () => node.request(call, { signal }).catch(throwFaultIfUnavailable),
          { operation: `${call.method} at the node`, attempts: MAX_ATTEMPTS, signal, onRetry: undefined },
          surroundings,
        );
      } finally {
        release();
      }
    },
  };
}

function throwFaultIfUnavailable(error: unknown): never {
  const isTransient = error instanceof NodeUnavailableError && !(error instanceof ResponseTooLargeError);
  throw isTransient ? new Fault(error.message, 0, { cause: error }) : error;
}

const nodeErrors = [InvalidResultError, JsonRpcError, NotARegistryError, ResponseTooLargeError];

/** What the chain client throws, as an error of the SDK. */
export function throwAsSdkError(error: unknown): never {
  if (!(error instanceof Error) || !nodeErrors.some((type) => error instanceof type)) throw error;
  throw new InvalidResponseError(`The node cannot be used: ${error.message}.`, { cause: error });
}
