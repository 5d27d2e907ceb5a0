// One request and its whole answer, within a time and a size.

import type { Surroundings } from './environment.js';
import { InvalidResponseError } from './errors.js';
import { follow } from './signals.js';

export interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeMs: number;
  readonly maxBytes: number;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Trouble on the way: the same request may succeed later. */
export class Fault extends Error {
  constructor(
    message: string,
    /** How long the service asks to be left alone. */
    readonly retryAfterMs = 0,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export async function exchange(
  surroundings: Pick<Surroundings, 'fetch' | 'after'>,
  { url, init, timeMs, maxBytes }: Sent,
  caller: AbortSignal,
): Promise<Received> {
  const { signal, stop, release } = follow(caller);
  const inTime = surroundings.after(timeMs, () => stop(new Fault(`no answer within ${timeMs / 1000} s`)));
  try {
    signal.throwIfAborted();
    const response = await surroundings.fetch(url, { ...init, signal });
    return { status: response.status, headers: response.headers, body: await bodyOf(response, maxBytes) };
  } catch (error) {
    // Whoever stopped it knows why; what is thrown meanwhile differs from place to place.
    signal.throwIfAborted();
    if (error instanceof InvalidResponseError) throw error;
    throw new Fault(reasonOf(error), 0, { cause: error });
  } finally {
    inTime();
    release();
  }
}

async function bodyOf(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    size += chunk.length;
    if (size > maxBytes) throw new InvalidResponseError(`The answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** By its reader: not every browser can iterate a stream. Who stops early lets go of the connection. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Nobody waits for it, and of a stream that has ended or broken it means nothing.
    reader.cancel().catch(() => {});
  }
}

/** Node hides why a request failed one level down. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause && String(cause.code)) || cause.name;
}
