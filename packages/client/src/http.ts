// One HTTP request and its complete response, limited in time and size. Redirects are followed within the origin alone.

import { findPermanentFailure } from '@provenance-registry/chain-client/connectionErrors';
import type { Environment } from './environment.js';
import { InvalidResponseError, ServiceUnreachableError } from './errors.js';
import { linkSignals } from './signals.js';

/** Redirects of one request, within its origin. */
const MAX_REDIRECTS = 5;

export interface HttpRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

export interface HttpResponse {
  /** Address of the response, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A failure after which the same request may succeed later. */
export class TransientError extends Error {
  /** No connection was made: the service cannot have processed the request. */
  readonly isUnprocessed: boolean;

  constructor(
    message: string,
    /** The delay that the service asks for. */
    readonly retryAfterMs = 0,
    { isUnprocessed = false, ...options }: ErrorOptions & { readonly isUnprocessed?: boolean } = {},
  ) {
    super(message, options);
    this.isUnprocessed = isUnprocessed;
  }
}

type Link = ReturnType<typeof linkSignals>;
type Transport = Pick<Environment, 'fetch' | 'schedule'>;

export async function sendRequest(
  environment: Transport,
  request: HttpRequest,
  caller: AbortSignal,
): Promise<HttpResponse> {
  const link = linkSignals(caller);
  try {
    return await exchange(environment, request, link, async (response, url) => {
      const body = await readBody(response, request.maxResponseBytes);
      return { url, status: response.status, headers: response.headers, body };
    });
  } finally {
    link.release();
  }
}

export interface StreamedResponse extends HttpResponse {
  /** The body while it arrives. A response that is not a success has none: `body` has all of it. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
}

/**
 * Sends a request whose response may have any size. The timeout is for the beginning of the response, and for each part
 * of the stream.
 */
export async function openStream(
  environment: Transport,
  request: HttpRequest,
  ...callers: readonly (AbortSignal | undefined)[]
): Promise<StreamedResponse> {
  const link = linkSignals(...callers);
  let stream: StreamedResponse['stream'];
  try {
    return await exchange(environment, request, link, async (response, url) => {
      if (response.ok) stream = streamBody(environment, request, link, response);
      const body = response.ok ? new Uint8Array() : await readBody(response, request.maxResponseBytes);
      return { url, status: response.status, headers: response.headers, body, stream };
    });
  } finally {
    if (!stream) link.release();
  }
}

/** Sends a request and reads its response within the timeout. */
async function exchange<T>(
  environment: Transport,
  { url, init, timeoutMs }: HttpRequest,
  { signal, abort }: Link,
  read: (response: Response, url: string) => Promise<T>,
): Promise<T> {
  const cancelTimeout = environment.schedule(timeoutMs, () =>
    abort(new TransientError(`no response within ${timeoutMs / 1000} s`)),
  );
  try {
    signal.throwIfAborted();
    const { response, responseUrl } = await fetchWithinOrigin(environment, url, { ...init, signal });
    return await read(response, responseUrl);
  } catch (error) {
    // The signal's reason first: what fetch throws after an abort differs between runtimes.
    signal.throwIfAborted();
    if (error instanceof InvalidResponseError) throw error;
    throwIfPermanent(error, url);
    throw new TransientError(failureReason(error), 0, { cause: error, isUnprocessed: isUnconnected(error) });
  } finally {
    cancelTimeout();
  }
}

function streamBody(
  { schedule }: Transport,
  { timeoutMs }: HttpRequest,
  { signal, abort, release }: Link,
  response: Response,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = readChunks(response);
  return new ReadableStream({
    async pull(controller) {
      const cancelTimeout = schedule(timeoutMs, () =>
        abort(new ServiceUnreachableError(`The service sent nothing for ${timeoutMs / 1000} s.`)),
      );
      try {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(value);
        release();
        controller.close();
      } catch (error) {
        release();
        signal.throwIfAborted();
        const message = `The connection was lost before the end of the response: ${failureReason(error)}.`;
        throw new ServiceUnreachableError(message, { cause: error });
      } finally {
        cancelTimeout();
      }
    },
    async cancel() {
      release();
      await chunks.return(undefined);
    },
  });
}

/** Another origin must not get the request, which may carry a credential, and its answer is not the service's. */
async function fetchWithinOrigin({ fetch }: Pick<Environment, 'fetch'>, url: string, init: RequestInit) {
  let responseUrl = url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(responseUrl, { ...init, redirect: 'manual' });
    const target = findRedirect(response, responseUrl);
    if (target === undefined) return { response, responseUrl };
    response.body?.cancel().catch(() => {});
    requireSameOrigin(target, responseUrl);
    if (init.method !== undefined && init.method !== 'GET') {
      throw new InvalidResponseError(`${responseUrl} redirects to ${target.href}. Check the URL of the service.`);
    }
    if (redirects === MAX_REDIRECTS) throw new InvalidResponseError(`${url} redirects more than ${redirects} times.`);
    responseUrl = target.href;
  }
}

function findRedirect({ status, type, headers }: Response, url: string): URL | undefined {
  // Browsers hide where a redirect leads to.
  if (type === 'opaqueredirect') {
    throw new InvalidResponseError(`${url} redirects to another address. Open it to see where, and use that URL.`);
  }
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null || !URL.canParse(location, url))
    return undefined;
  return new URL(location, url);
}

function requireSameOrigin(target: URL, url: string): void {
  const { origin } = new URL(url);
  if (target.origin === origin) return;
  throw new InvalidResponseError(`${origin} redirects to ${target.origin}; use that URL if you trust it.`);
}

function throwIfPermanent(error: unknown, url: string): void {
  const failure = findPermanentFailure(error, url, `the host ${new URL(url).host}`);
  if (!failure) return;
  const { reason, advice } = failure;
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ${advice}`.trimEnd();
  throw new ServiceUnreachableError(message, { isPermanent: true, cause: error });
}

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readChunks(response)) {
    size += chunk.length;
    if (size > maxBytes) throw new InvalidResponseError(`The response is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

/** Uses a reader, since not every browser can iterate a stream. Stopping early releases the connection. */
async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: it has no effect on a stream that has ended or failed.
    reader.cancel().catch(() => {});
  }
}

/** Node's codes for a connection that was not made. Browsers do not tell. */
const unconnectedCodes: readonly unknown[] = [
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function isUnconnected(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause && unconnectedCodes.includes(cause.code);
}

/** Node puts the actual reason into `cause`. */
function failureReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause && String(cause.code)) || cause.name;
}
