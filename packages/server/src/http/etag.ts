// Responses with an entity tag, answered with 304 to clients that have the same content already.
// @fastify/etag does not fit: it compares If-None-Match as a whole, without lists and without `*`.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

export function sendWithEtag(request: FastifyRequest, reply: FastifyReply, type: string, content: string | Uint8Array) {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  reply.header('etag', etag);
  if (reply.statusCode === 200 && matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const body = typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.length);
  return reply.header('content-type', type).send(body);
}

export function isUnchanged(request: FastifyRequest, etag: string): boolean {
  return matches(request.headers['if-none-match'], etag);
}

/** By weak comparison (RFC 9110, 13.1.2): proxies that compress mark a tag as weak. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const candidates = ifNoneMatch?.split(',').map((candidate) => candidate.trim().replace(/^W\//, '')) ?? [];
  return candidates.includes(etag) || candidates.includes('*');
}
