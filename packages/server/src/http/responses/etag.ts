// Responses with an entity tag, answered with 304 to clients that have the same content already.
// @fastify/etag does not fit: it compares If-None-Match as a whole, without lists and without `*`.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { negotiateEncoding } from './compression.js';

/** Results for content that is sent again: the same bytes in the same buffer. */
const knownTags = new WeakMap<object, string>();

/** Tags the JSON of operations that declare it. Caches may keep it, and must ask whether it is still the same. */
export function tagResponses(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { operation } = request.routeOptions.config;
    const isContent = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!operation?.hasEtag || !isContent || reply.statusCode !== 200 || reply.hasHeader('etag')) {
      done(null, payload);
      return;
    }
    if (reply.getHeader('cache-control') === 'no-store') reply.header('cache-control', 'public, no-cache');
    if (isKnownToClient(request, reply, payload)) {
      reply.code(304).removeHeader('content-type');
      done(null, null);
    } else done(null, payload);
  });
}

export function sendWithEtag(request: FastifyRequest, reply: FastifyReply, type: string, content: string | Uint8Array) {
  const isBytes = typeof content !== 'string' && !Buffer.isBuffer(content);
  const body = isBytes ? Buffer.from(content.buffer, content.byteOffset, content.length) : content;
  reply.header('content-type', type);
  if (isKnownToClient(request, reply, body) && reply.statusCode === 200) {
    reply.removeHeader('content-type');
    return reply.code(304).send();
  }
  return reply.send(body);
}

/** Adds the tag of this content, in the encoding in which the client gets it. */
function isKnownToClient(request: FastifyRequest, reply: FastifyReply, content: string | Buffer): boolean {
  const encoding = negotiateEncoding(request, reply, content.length);
  const etag = `"${hash(content)}${encoding ? `-${encoding}` : ''}"`;
  reply.header('etag', etag);
  return isUnchanged(request, etag);
}

function hash(content: string | Buffer): string {
  const known = typeof content === 'string' ? undefined : knownTags.get(content);
  if (known !== undefined) return known;
  const tag = createHash('sha256').update(content).digest('base64url');
  if (typeof content !== 'string') knownTags.set(content, tag);
  return tag;
}

/** Compares weakly (RFC 9110, 13.1.2): proxies that compress mark a tag as weak. */
export function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const candidates =
    request.headers['if-none-match']?.split(',').map((candidate) => candidate.trim().replace(/^W\//, '')) ?? [];
  return candidates.includes(etag) || candidates.includes('*');
}
