// One HTTP request and its complete response, limited in time and size.

import type { Environment } from './environment.js';
import { InvalidResponseError } from './errors.js';
import { linkSignals } from './signals.js';

export interface HttpRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A failure after which the same request may succeed later. */
export class TransientError extends Error {
  constructor(
    message: string,
    /** The delay that the service asks for. */
    readonly retryAfterMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export async function sendRequest(
  environment: Pick<Environment, 'fetch' | 'schedule'>,
  { url, init, timeoutMs, maxResponseBytes }: HttpRequest,
  caller: AbortSignal,
): Promise<HttpResponse> {
  const { signal, abort, release } = linkSignals(caller);
  const cancelTimeout = environment.schedule(timeoutMs, () =>
    abort(new TransientError(`no response within ${timeoutMs / 1000} s`)),
  );
  try {
    signal.throwIfAborted();
    const response = await environment.fetch(url, { ...init, signal });
    return { status: response.status, headers: response.headers, body: await readBody(response, maxResponseBytes) };
  } catch (error) {
    // The signal's reason first: what fetch throws after an abort differs between runtimes.
    signal.throwIfAborted();
    if (error instanceof InvalidResponseError) throw error;
    throw new TransientError(failureReason(error), 0, { cause: error });
  } finally {
    cancelTimeout();
    release();
  }
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
async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array> {
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

/** Node puts the actual reason into `cause`. */
function failureReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause && String(cause.code)) || cause.name;
}
