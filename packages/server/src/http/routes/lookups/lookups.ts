// Public routes that do not learn which file a client looks for: lists of fingerprints by prefix, and the index of the signed
// downloads.

import { api, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import { listFingerprints } from '../../../domain/lookups/lookups.js';
import type { Ports } from '../../../domain/ports/index.js';
import { sendWithEtag } from '../../responses/etag.js';
import { type Router, SerializedJson } from '../../router.js';

/** A client that has just registered a file waits no longer than this until caches show it. */
const LIST_CACHE_CONTROL = 'public, max-age=10';
/** A version lasts an hour by default, and its files are kept for a day: caches may be a minute behind. */
const DOWNLOADS_CACHE_CONTROL = 'public, max-age=60';

export function lookupRoutes(app: FastifyInstance, route: Router, ports: Ports): void {
  route(api.listFingerprints, async ({ params: { prefix }, query }) => {
    const { cursor: after, marks: withMarks = false } = query;
    return new SerializedJson(await listFingerprints(ports, { prefix, after, withMarks }), LIST_CACHE_CONTROL);
  });

  const { path, errors } = api.getDownloads;
  app.get(path, async (request, reply) => {
    const jws = await ports.store.downloads.findIndex();
    if (jws === undefined) throw new RegistryError('NOT_FOUND', errors.NOT_FOUND);
    // The payload is JSON already.
    const index = Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8');
    reply.header('cache-control', DOWNLOADS_CACHE_CONTROL);
    return sendWithEtag(request, reply, 'application/json; charset=utf-8', `{"index":${index},"jws":"${jws}"}`);
  });
}
