// Serves the published files that are on local disk; the default CDN_URL points here.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import type { FileStore } from '../../domain/ports/index.js';
import { CACHE_CONTROL, mediaTypeOf } from '../../files/names.js';
import { sendWithEtag } from '../etag.js';

export function fileRoutes(app: FastifyInstance, files: FileStore): void {
  app.get<{ Params: { name: string } }>('/cdn/:name', async (request, reply) => {
    const { name } = request.params;
    // Also on a 404, so that pages of other sites can tell that a file does not exist.
    reply.header('access-control-allow-origin', '*');
    const type = mediaTypeOf(name);
    const bytes = type === undefined ? undefined : await files.read(name);
    if (type === undefined || bytes === undefined) throw new RegistryError('NOT_FOUND', 'File not found.');
    return sendWithEtag(request, reply.header('cache-control', CACHE_CONTROL), type, bytes);
  });
}
