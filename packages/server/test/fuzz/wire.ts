// Sends requests as raw bytes, because client libraries would correct them, and parses the responses.

import { connect } from 'node:net';

export interface WireRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
  readonly framing: Framing;
}

/** Framing of the body; all but the first two are wrong. */
export const framings = ['length', 'chunks', 'short', 'long', 'cut', 'both', 'badChunks', 'badLength'] as const;
export type Framing = (typeof framings)[number];

export interface WireResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Ends a run whose service does not respond at all. A busy machine may take many seconds for one response. */
const HANG_TIMEOUT_MS = 300_000;

/** Undefined if the connection was closed without a response. Throws on a timeout. */
export function exchange(port: number, request: WireRequest): Promise<WireResponse | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const hang = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no response within ${HANG_TIMEOUT_MS} ms`));
    }, HANG_TIMEOUT_MS);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const isStream = /^content-type: text\/event-stream/im.test(Buffer.concat(chunks.slice(0, 3)).toString('latin1'));
      // A stream of events ends when the client leaves.
      if (isStream && chunk.toString('latin1').endsWith('\n\n\r\n')) {
        chunks.push(Buffer.from('0\r\n\r\n'));
        socket.destroy();
      }
    });
    // The service may close while we still write; what it sent before is the response.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(hang);
      try {
        resolve(parseAnswer(Buffer.concat(chunks), request.method));
      } catch (error) {
        reject(error);
      }
    });
    const bytes = toBytes(request);
    // After an incomplete body, the client must close, or both sides would wait.
    if (request.body && ['long', 'cut', 'badChunks'].includes(request.framing)) socket.end(bytes);
    else socket.write(bytes);
  });
}

function toBytes({ method, target, headers, body, framing }: WireRequest): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const { more, sent } = framed(body, framing);
  return Buffer.concat([Buffer.from(`${[...lines, ...more].join('\r\n')}\r\n\r\n`, 'latin1'), sent]);
}

function framed(body: Buffer | undefined, framing: Framing): { more: string[]; sent: Buffer } {
  if (!body) return { more: [], sent: Buffer.alloc(0) };
  const half = body.subarray(0, body.length >> 1);
  const chunked = Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from(body.length > 0 ? '\r\n0\r\n\r\n' : '\r\n'),
  ]);
  const length = `content-length: ${body.length}`;
  const chunks = 'transfer-encoding: chunked';
  switch (framing) {
    case 'length':
      return { more: [length], sent: body };
    case 'chunks':
      return { more: [chunks], sent: chunked };
    case 'short':
      return { more: [`content-length: ${half.length}`], sent: body };
    case 'long':
      return { more: [`content-length: ${body.length + 7}`], sent: body };
    case 'cut':
      return { more: [length], sent: half };
    case 'both':
      return { more: [length, chunks], sent: chunked };
    case 'badChunks':
      return { more: [chunks], sent: Buffer.concat([Buffer.from('zz\r\n'), body]) };
    case 'badLength':
      return { more: ['content-length: -1'], sent: body };
  }
}

/** The first response in the bytes, without interim ones. */
function parseAnswer(bytes: Buffer, method: string): WireResponse | undefined {
  if (bytes.length === 0) return undefined;
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`half an answer: ${bytes.toString('latin1', 0, 100)}`);
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return parseAnswer(rest, method);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status, headers, body: bodyOf(rest, headers, method === 'HEAD' || status === 204 || status === 304) };
}

function bodyOf(rest: Buffer, headers: ReadonlyMap<string, string>, isEmpty: boolean): Buffer {
  if (isEmpty) return Buffer.alloc(0);
  const length = headers.get('content-length');
  if (length !== undefined) {
    if (rest.length < Number(length)) throw new Error(`${rest.length} bytes of an answer that promised ${length}`);
    return rest.subarray(0, Number(length));
  }
  return unchunked(rest);
}

function unchunked(rest: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.toString('latin1', at, end), 16);
    if (end < 0 || Number.isNaN(size)) throw new Error('an answer that ends in the middle');
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}

/** As a curl command that comes as close as possible. */
export function asCurl(url: string, { method, target, headers, body, framing }: WireRequest): string {
  const quoted = (text: string) => `$'${escaped(text)}'`;
  return [
    `curl --path-as-is --globoff --request ${method} ${quoted(`${url}${target}`)}`,
    ...headers.filter(([name]) => name !== 'host').map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-binary @<(printf %s ${body.toString('base64')} | base64 -d)`] : []),
    ...(framing === 'length' ? [] : [`# framed as ${framing}`]),
  ].join(' ');
}

/** Escapes bytes that a shell or terminal would interpret. */
function escaped(text: string): string {
  return text.replace(/[^ -&(-[\]-~]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
