// JSON-RPC over HTTP, in Node and browsers. Every request has a deadline, every response a size limit, nothing is
// retried, and the node's URL appears in no error. viem's HTTP transport shares batches and their deadlines between all
// clients of a URL, matches batched results by position instead of id, and puts the URL into its errors.

import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { findPermanentFailure } from './connectionErrors.js';
import { InvalidResultError, NodeUnavailableError, ResponseTooLargeError } from './errors.js';
import { type JsonRpcCall, JsonRpcError } from './jsonRpc.js';
import { parseNodeUrl } from './nodeUrl.js';

const DEFAULT_TIMEOUT_MS = 5_000;
/** The receipt of a full batch has half a megabyte. */
const DEFAULT_MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Public nodes accept this many calls in one request. */
const MAX_BATCH_SIZE = 100;
/** Error messages of nodes end up in log lines and on pages. */
const MAX_ERROR_MESSAGE_LENGTH = 300;

export interface JsonRpcClientOptions {
  readonly url: string;
  /** Limit of each HTTP request; 5 seconds by default. */
  readonly timeoutMs?: number;
  /** Limit of each HTTP response, which may hold the results of many calls; 8 MiB by default. */
  readonly maxResponseBytes?: number;
  /** Limit of one result that is a string, such as the bytes that a contract returns; none by default. */
  readonly maxResultLength?: number;
  /** Sends the requests, in place of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

/** Has the shape of an EIP-1193 provider: viem's `custom` transport accepts it. */
export interface JsonRpcClient {
  /**
   * Calls made in the same tick share one HTTP request. A call with a signal has its own request, which the signal
   * cancels.
   *
   * Throws JsonRpcError when the node rejects the call, NodeUnavailableError when it does not respond or responds with
   * an error status, InvalidResultError when its response is not JSON-RPC, and the reason of the signal.
   */
  request(call: JsonRpcCall, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
}

interface PendingCall extends JsonRpcCall {
  readonly id: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

const ErrorObject = Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) });
const ErrorResponse = Type.Object({ id: Type.Integer(), error: ErrorObject });
const ResultResponse = Type.Object({ id: Type.Integer(), result: Type.Unknown() });
/** Rejects all calls of a request, for example when the node accepts no batches. */
const RequestError = Type.Object({ error: ErrorObject });

type CallResponse = { readonly error: Static<typeof ErrorObject> } | { readonly result: unknown };

interface HttpResponse {
  readonly response: Response;
  readonly text: string;
}

/** Browsers have no setImmediate. */
const runAfterThisTick: (work: () => void) => void =
  typeof setImmediate === 'function' ? (work) => setImmediate(work) : queueMicrotask;

export function createJsonRpcClient(options: JsonRpcClientOptions): JsonRpcClient {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const { maxResultLength = Number.POSITIVE_INFINITY } = options;
  const { endpoint, headers, redact } = parseNodeUrl(options.url);
  let batch: PendingCall[] = [];
  let lastId = 0;

  function request({ method, params = [] }: JsonRpcCall, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      const call = { id: lastId, method, params, resolve, reject };
      if (signal) return void send([call], signal);
      batch.push(call);
      if (batch.length === 1) runAfterThisTick(sendBatch);
    });
  }

  function sendBatch(): void {
    const calls = batch;
    batch = [];
    for (let start = 0; start < calls.length; start += MAX_BATCH_SIZE) {
      void send(calls.slice(start, start + MAX_BATCH_SIZE));
    }
  }

  async function send(calls: readonly PendingCall[], signal?: AbortSignal): Promise<void> {
    try {
      const messages = calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }));
      const response = await post(JSON.stringify(messages.length === 1 ? messages[0] : messages), signal);
      settleAll(calls, response);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  async function post(body: string, signal: AbortSignal | undefined): Promise<HttpResponse> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    const deadline = setTimeout(abort, timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      signal?.throwIfAborted();
      // Redirects are not followed: the user chose this node, and the request may carry a password.
      const response = await (options.fetch ?? fetch)(endpoint, {
        method: 'POST',
        headers,
        body,
        signal: stop.signal,
        redirect: 'manual',
      });
      return { response, text: await readText(response, maxResponseBytes) };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof NodeUnavailableError) throw error;
      if (stop.signal.aborted) throw new NodeUnavailableError(`no response from the node within ${timeoutMs / 1000} s`);
      const failure = findPermanentFailure(error, endpoint, 'the host of the node');
      if (failure) throw new NodeUnavailableError(failure.reason, true);
      throw new NodeUnavailableError(`the node cannot be reached${connectionErrorCode(error)}`);
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    }
  }

  function settleAll(calls: readonly PendingCall[], { response, text }: HttpResponse): void {
    const message = parseJson(text);
    const responses = responsesById(message);
    const requestError = Check(RequestError, message) ? message : undefined;
    for (const call of calls) {
      const callResponse = responses.get(call.id) ?? requestError;
      if (callResponse) settle(call, callResponse);
      else if (response.ok) call.reject(new InvalidResultError('the response of the node is not JSON-RPC'));
      else call.reject(toStatusError(response));
    }
  }

  function settle({ resolve, reject }: PendingCall, response: CallResponse): void {
    if ('error' in response) reject(toJsonRpcError(response.error));
    else if (typeof response.result === 'string' && response.result.length > maxResultLength) {
      reject(new ResponseTooLargeError());
    } else resolve(response.result);
  }

  function toJsonRpcError({ code, message, data }: Static<typeof ErrorObject>): JsonRpcError {
    const text = redact(message).slice(0, MAX_ERROR_MESSAGE_LENGTH);
    return new JsonRpcError(code, text, typeof data === 'string' ? data : undefined);
  }

  return { request };
}

/** Uses the stream's reader: not every browser can iterate a stream. */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new ResponseTooLargeError();
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Some nodes send both `error` and `result`, one of them null. */
function responsesById(message: unknown): Map<number, CallResponse> {
  const responses = new Map<number, CallResponse>();
  for (const response of Array.isArray(message) ? message : [message]) {
    if (Check(ErrorResponse, response)) responses.set(response.id, { error: response.error });
    else if (Check(ResultResponse, response)) responses.set(response.id, { result: response.result });
  }
  return responses;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same request may succeed later, in spite of such a client error: timeout, too early, too many requests. */
const TEMPORARY_CLIENT_ERRORS = [408, 425, 429];

function toStatusError({ status, type, headers }: Response): NodeUnavailableError {
  // In browsers, a redirect is a response without status and headers.
  if (type === 'opaqueredirect') return new NodeUnavailableError('the node redirects elsewhere', true);
  const location = headers.get('location') ?? '';
  if (status >= 300 && status < 400 && URL.canParse(location)) {
    // The origin alone: the path may hold an API key.
    return new NodeUnavailableError(`the node redirects to ${new URL(location).origin}`, true);
  }
  const isPermanent = status < 500 && !TEMPORARY_CLIENT_ERRORS.includes(status);
  return new NodeUnavailableError(`the node responded with status ${status}`, isPermanent, status);
}

/** The code alone: messages of connection errors contain the host. */
function connectionErrorCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
}
