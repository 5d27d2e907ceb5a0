// Serves the published files that are on local disk; the default CDN_URL points here.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServedFiles } from '../../../domain/ports/index.js';
import { CACHE_CONTROL, downloadHashOf, mediaTypeOf } from '../../../files/names.js';
import { isUnchanged, sendWithEtag } from '../../responses/etag.js';

/** `downloadMs`: to send a download of some megabytes on a slow connection. */
export function fileRoutes(app: FastifyInstance, files: ServedFiles, downloadMs: number): void {
  /** Streamed: clients that read slowly would otherwise each hold a whole one in memory. */
  async function sendDownload(request: FastifyRequest, reply: FastifyReply, name: string, hash: string) {
    const etag = `"${hash}"`;
    const opened = await files.openStream(name);
    if (!opened) throw notFoundError();
    reply.headers({ 'cache-control': CACHE_CONTROL, etag });
    if (isUnchanged(request, etag)) {
      opened.stream.destroy();
      return reply.code(304).send();
    }
    reply.headers({ 'content-type': mediaTypeOf(name), 'content-length': opened.size });
    return reply.send(opened.stream);
  }

  app.get<{ Params: { name: string } }>('/cdn/:name', { handlerTimeout: downloadMs }, async (request, reply) => {
    const { name } = request.params;
    // Also on a 404, so that pages of other sites can tell that a file does not exist.
    reply.header('access-control-allow-origin', '*');
    const hash = downloadHashOf(name);
    if (hash !== undefined) return sendDownload(request, reply, name, hash);
    const type = mediaTypeOf(name);
    const bytes = type === undefined ? undefined : await files.read(name);
    if (type === undefined || bytes === undefined) throw notFoundError();
    return sendWithEtag(request, reply.header('cache-control', CACHE_CONTROL), type, bytes);
  });
}

function notFoundError(): RegistryError {
  return new RegistryError('NOT_FOUND', 'File not found.');
}
