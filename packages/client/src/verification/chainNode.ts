// A JSON-RPC node of the chain, with the SDK's retries and errors.

import {
  createJsonRpcClient,
  InvalidProofError,
  InvalidResultError,
  type JsonRpcClient,
  JsonRpcError,
  NodeUnavailableError,
  NotARegistryError,
  ResponseTooLargeError,
} from '@provenance-registry/chain-client';
import { defaultEnvironment } from '../environment.js';
import { InvalidResponseError, ServiceUnreachableError } from '../errors.js';
import { TransientError } from '../http.js';
import { retry } from '../retry.js';
import { linkSignals } from '../signals.js';

const CALL_TIMEOUT_MS = 10_000;
/** Users are waiting for a verdict, which is useful without the chain as well. */
const MAX_ATTEMPTS = 2;

/** A node that wants a login, a payment or another client; with any other refusal, there is no node at this address. */
const ACCESS_REFUSALS = [401, 402, 403, 407];

/** Its calls throw ServiceUnreachableError when the node is unavailable. */
export function connectToNode(rpcUrl: string, caller?: AbortSignal, send?: typeof fetch): JsonRpcClient {
  const node = createJsonRpcClient({ url: rpcUrl, timeoutMs: CALL_TIMEOUT_MS, fetch: send });
  return {
    async request(call) {
      const { signal, release } = linkSignals(caller);
      try {
        return await retry(
          () => node.request(call, { signal }).catch(throwTransientIfUnavailable),
          {
            operation: `${call.method} at the node`,
            maxAttempts: MAX_ATTEMPTS,
            deadline: Number.POSITIVE_INFINITY,
            signal,
            onRetry: undefined,
          },
          defaultEnvironment,
        );
      } finally {
        release();
      }
    },
  };
}

function throwTransientIfUnavailable(error: unknown): never {
  if (!(error instanceof NodeUnavailableError) || error instanceof ResponseTooLargeError) throw error;
  const { message, isPermanent, status } = error;
  const reason = `The node cannot be used: ${message}.`;
  if (isPermanent && status !== undefined && !ACCESS_REFUSALS.includes(status)) {
    throw new InvalidResponseError(reason, { cause: error });
  }
  if (isPermanent) throw new ServiceUnreachableError(reason, { isPermanent, cause: error });
  throw new TransientError(message, 0, { cause: error });
}

const nodeErrors = [InvalidProofError, InvalidResultError, JsonRpcError, NotARegistryError, ResponseTooLargeError];

/** Rethrows an error of the chain client as one of the SDK. */
export function throwAsSdkError(error: unknown): never {
  if (!(error instanceof Error) || !nodeErrors.some((type) => error instanceof type)) throw error;
  throw new InvalidResponseError(`The node cannot be used: ${error.message}.`, { cause: error });
}
