// Serves the signed index of the downloads.

import { api, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import type { Ports } from '../../../domain/ports/index.js';
import { sendWithEtag } from '../../responses/etag.js';

/** A version lasts an hour by default, and its files are kept for a day: caches may be a minute behind. */
const CACHE_CONTROL = 'public, max-age=60';

export function downloadRoutes(app: FastifyInstance, { store }: Ports): void {
  const { path, errors } = api.getDownloads;
  app.get(path, async (request, reply) => {
    const jws = await store.downloads.findIndex();
    if (jws === undefined) throw new RegistryError('NOT_FOUND', errors.NOT_FOUND);
    // The payload is JSON already.
    const index = Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8');
    const body = `{"index":${index},"jws":"${jws}"}`;
    return sendWithEtag(request, reply.header('cache-control', CACHE_CONTROL), 'application/json; charset=utf-8', body);
  });
}
