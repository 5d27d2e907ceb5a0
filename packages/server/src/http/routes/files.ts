// Published files, when they are on this machine's disk: what CDN_URL points to unless somebody says otherwise.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import type { FileStore } from '../../domain/ports/index.js';
import { CACHE_CONTROL, mediaTypeOf } from '../../files/names.js';
import { sendTagged } from '../etag.js';

export function fileRoutes(app: FastifyInstance, files: FileStore): void {
  app.get<{ Params: { name: string } }>('/cdn/:name', async (request, reply) => {
    const { name } = request.params;
    // Also on a 404: pages of other sites may ask whether a file is there.
    reply.header('access-control-allow-origin', '*');
    const type = mediaTypeOf(name);
    const bytes = type === undefined ? undefined : await files.read(name);
    if (type === undefined || bytes === undefined) throw new RegistryError('NOT_FOUND', 'There is no such file.');
    return sendTagged(request, reply.header('cache-control', CACHE_CONTROL), type, bytes);
  });
}
