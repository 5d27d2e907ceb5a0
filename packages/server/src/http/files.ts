// Published files, when they are on this machine's disk: what CDN_URL points to unless somebody says otherwise.

import { createHash } from 'node:crypto';
import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import { CACHE_CONTROL, mediaTypeOf } from '../files/names.js';
import type { FileStore } from '../registry/ports.js';

export function fileRoutes(app: FastifyInstance, files: FileStore): void {
  app.get<{ Params: { name: string } }>('/cdn/:name', async (request, reply) => {
    const { name } = request.params;
    // Also on a 404: pages of other sites may ask whether a file is there.
    reply.header('access-control-allow-origin', '*');
    const type = mediaTypeOf(name);
    const bytes = type === undefined ? undefined : await files.read(name);
    if (type === undefined || bytes === undefined) throw new RegistryError('NOT_FOUND', 'There is no such file.');

    const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    reply.headers({ etag: tag, 'cache-control': CACHE_CONTROL });
    if (names(request.headers['if-none-match'], tag)) return reply.code(304).send();
    return reply.header('content-type', type).send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  });
}

/** Whether an If-None-Match names that tag; proxies that compress mark a tag as weak, which does not matter here. */
function names(ifNoneMatch: string | undefined, tag: string): boolean {
  const candidates = ifNoneMatch?.split(',').map((candidate) => candidate.trim().replace(/^W\//, '')) ?? [];
  return candidates.includes(tag) || candidates.includes('*');
}
