// Compresses responses that anyone may read. @fastify/compress does not fit: it would also compress responses to
// authenticated requests, and it compresses content that never changes again and again.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Smaller bodies fit into one packet anyway. */
const MIN_BYTES = 1024;

/** Every piece of a stream is sent at once: the client may wait for it. */
const flush = { flush: constants.Z_SYNC_FLUSH };
const flushBrotli = { flush: constants.BROTLI_OPERATION_FLUSH };
const gzipOptions: ZlibOptions = { level: 5 };
/** Quality 4 takes as long as gzip. The window of 256 KB keeps the memory of a stream below a megabyte. */
const brotliOptions: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
};

const encodings = {
  br: {
    compress: promisify<Buffer, BrotliOptions, Buffer>(brotliCompress),
    options: brotliOptions,
    createStream: () => createBrotliCompress({ ...brotliOptions, ...flushBrotli }),
  },
  gzip: {
    compress: promisify<Buffer, ZlibOptions, Buffer>(gzip),
    options: gzipOptions,
    createStream: () => createGzip({ ...gzipOptions, ...flush }),
  },
};
type Encoding = keyof typeof encodings;

const jsonTypes = /^application\/([\w.-]+\+)?(json|x-ndjson)\b/;
const otherTypes = /^(text\/|image\/svg\+xml)/;

export function compressResponses(app: FastifyInstance): void {
  /** Results for content that is sent again: the same bytes in the same buffer. */
  const compressed = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>();

  function compress(content: Buffer, encoding: Encoding): Promise<Buffer> {
    const known = compressed.get(content) ?? new Map<Encoding, Promise<Buffer>>();
    compressed.set(content, known);
    const { compress: run, options } = encodings[encoding];
    const result = known.get(encoding) ?? run(content, options);
    known.set(encoding, result);
    return result;
  }

  // With a callback: responses that stay as they are take no turn of the event loop.
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload);
    if (size < MIN_BYTES) {
      done(null, payload);
      return;
    }
    const encoding = negotiateEncoding(request, reply, size);
    if (!encoding) {
      done(null, payload);
      return;
    }
    reply.header('content-encoding', encoding).removeHeader('content-length');
    if (payload instanceof Readable) {
      const stream = encodings[encoding].createStream();
      // A failure destroys both, which ends the response.
      pipeline(payload, stream).catch(() => {});
      done(null, stream);
      return;
    }
    compress(Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload)), encoding).then(
      (content) => done(null, content),
      done,
    );
  });
}

/**
 * The encoding for the response to this client, if it is compressed at all. Also states that it depends on the client.
 * Responses with secrets stay as they are, whose length would tell about them (BREACH): only reads without credentials, and
 * lists of public items, are compressed.
 */
export function negotiateEncoding(request: FastifyRequest, reply: FastifyReply, size: number): Encoding | undefined {
  const { method, headers, routeOptions } = request;
  const { operation } = routeOptions.config;
  const isRead = method === 'GET' || method === 'HEAD' || (operation?.lines !== undefined && operation.auth === 'none');
  if (!isRead || size < MIN_BYTES || headers.authorization !== undefined) return undefined;
  const type = String(reply.getHeader('content-type'));
  const isCompressible = jsonTypes.test(type) || (otherTypes.test(type) && Number.isFinite(size));
  if (!isCompressible || reply.hasHeader('content-encoding') || reply.hasHeader('content-range')) return undefined;
  varyByEncoding(reply);
  const accepted = new Negotiator({ headers: { 'accept-encoding': headers['accept-encoding'] ?? '' } }).encodings();
  return acceptedEncoding(accepted);
}

function acceptedEncoding(accepted: readonly string[]): Encoding | undefined {
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') || accepted.includes('*') ? 'gzip' : undefined;
}

function varyByEncoding(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  if (vary === undefined) reply.header('vary', 'Accept-Encoding');
  else if (!/accept-encoding/i.test(String(vary))) reply.header('vary', `${vary}, Accept-Encoding`);
}

/** Infinite for a stream. */
function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload instanceof Readable ? Number.POSITIVE_INFINITY : 0;
}
