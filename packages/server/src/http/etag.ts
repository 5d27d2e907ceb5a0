// Answers that clients keep, and ask for again only when they have changed.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The content, or that the client has it already. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, type: string, content: string | Uint8Array) {
  const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  reply.header('etag', tag);
  if (reply.statusCode === 200 && names(request.headers['if-none-match'], tag)) return reply.code(304).send();
  const sent = typeof content === 'string' ? content : Buffer.from(content.buffer, content.byteOffset, content.length);
  return reply.header('content-type', type).send(sent);
}

/** Whether an If-None-Match names that tag; proxies that compress mark a tag as weak, which does not matter here. */
function names(ifNoneMatch: string | undefined, tag: string): boolean {
  const candidates = ifNoneMatch?.split(',').map((candidate) => candidate.trim().replace(/^W\//, '')) ?? [];
  return candidates.includes(tag) || candidates.includes('*');
}
