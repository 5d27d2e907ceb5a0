// Routes for questions that do not tell which file they are about: public, without credentials.

import { api } from '@provenance-registry/core';
import { listFingerprints } from '../../../domain/lookups/fingerprintLists.js';
import type { Ports } from '../../../domain/ports/index.js';
import { type Router, SerializedJson } from '../../router.js';

/** A client that has just registered a file waits no longer than this until caches show it. */
const CACHE_CONTROL = 'public, max-age=10';

export function lookupRoutes(route: Router, ports: Ports): void {
  route(api.listFingerprints, async ({ params: { prefix }, query }) => {
    const { cursor: after, marks: withMarks = false } = query;
    return new SerializedJson(await listFingerprints(ports, { prefix, after, withMarks }), CACHE_CONTROL);
  });
}
