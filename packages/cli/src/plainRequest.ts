// Sends requests of the SDK by node:http instead of fetch, which takes longer to load than all of a short command.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** The same as that of fetch, with its code, after which the SDK repeats a request. */
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_CODE = 'UND_ERR_CONNECT_TIMEOUT';
/** Fetch refuses some ports up to this one, and one above it. */
const LAST_CHECKED_PORT = 6_697;
const OTHER_CHECKED_PORT = 10_080;

interface PlainRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Undefined for a request that fetch has to send, because of its body or address, or because it may follow redirects. */
export function toPlainRequest(input: Parameters<typeof fetch>[0], init: RequestInit): PlainRequest | undefined {
  const { method = 'GET', headers = {}, body, signal, redirect } = init;
  const isPlainBody = body === undefined || typeof body === 'string';
  if (typeof input !== 'string' || redirect !== 'manual' || !isPlainBody || !isRecord(headers)) return undefined;
  const url = new URL(input);
  const port = Number(url.port);
  const isUsualPort = port === 0 || (port > LAST_CHECKED_PORT && port !== OTHER_CHECKED_PORT);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || !isUsualPort || url.username !== '' || url.password !== '') return undefined;
  return { url, method, headers, body, signal: signal ?? undefined };
}

function isRecord(headers: NonNullable<RequestInit['headers']>): headers is Record<string, string> {
  return Object.getPrototypeOf(headers) === Object.prototype;
}

/** Fails as fetch does. */
export async function sendPlainRequest({ url, body, ...options }: PlainRequest): Promise<Response> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const headers = {
    'accept-encoding': 'gzip',
    ...options.headers,
    // Node sends a body with DELETE only if its length is given.
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, { ...options, headers }, resolve).on('error', reject);
      limitConnecting(sent);
      sent.end(body);
    });
    return toResponse(response, await decode(response));
  } catch (cause) {
    throw new TypeError('fetch failed', { cause });
  }
}

function limitConnecting(request: ClientRequest): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const error = Object.assign(new Error('Connect Timeout Error'), { code: CONNECT_TIMEOUT_CODE });
    const timer = setTimeout(() => request.destroy(error), CONNECT_TIMEOUT_MS);
    const end = () => clearTimeout(timer);
    socket.once('connect', end).once('close', end);
  });
}

async function decode(response: IncomingMessage): Promise<Readable> {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  // A failure of either ends the other, and the reader of the content gets it.
  return pipeline(response, createGunzip(), () => {}).on('error', () => {});
}

function toResponse({ statusCode: status = 0, headers }: IncomingMessage, content: Readable): Response {
  const chunks = content[Symbol.asyncIterator]();
  const cancel = async () => void content.destroy();
  const response = {
    ok: status >= 200 && status < 300,
    status,
    type: 'basic',
    headers: {
      get(name: string) {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    body: { cancel, getReader: () => ({ cancel, read: () => chunks.next() }) },
  };
  // All that the SDK and its client of nodes use of a response. The real class would load fetch.
  return response as unknown as Response;
}
