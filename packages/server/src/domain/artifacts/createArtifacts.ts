// Creating many Artifacts in one call: several at a time, each as it would have been alone, in the order of the list.

import { type Artifact, limitConcurrency, type RegistryError } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import type { Ports } from '../ports/index.js';
import { createArtifact } from './createArtifact.js';
import type { CreationRequest } from './creationRequest.js';

/** Keeps the workers that sign busy, with enough Artifacts for each commit; the rest of the list waits here. */
const MAX_PARALLEL_CREATIONS = 32;

/**
 * One result for each item. Items that are errors are their own result. When the signal is aborted, nothing more is
 * started, and the reason is thrown once all that has been started is finished.
 * @param authenticate called for each item: a token may be revoked in the meantime
 */
export async function createArtifacts(
  ports: Ports,
  authenticate: () => Promise<Caller>,
  items: readonly (CreationRequest | RegistryError)[],
  signal: AbortSignal,
): Promise<PromiseSettledResult<Artifact>[]> {
  const limit = limitConcurrency(MAX_PARALLEL_CREATIONS, items.length, () => new Error('the whole list may wait'));
  /** The last creation so far with a fingerprint, or with an idempotency key. */
  const latest = { fingerprint: new Map<string, Promise<unknown>>(), key: new Map<string, Promise<unknown>>() };

  function create(request: CreationRequest): Promise<Artifact> {
    const { fingerprint, previousFingerprint = fingerprint, idempotencyKey = '' } = request;
    // All of them have been started before: the limit keeps the order.
    const earlier = [
      latest.fingerprint.get(fingerprint),
      latest.fingerprint.get(previousFingerprint),
      latest.key.get(idempotencyKey),
    ];
    const creation = limit(async () => {
      await Promise.allSettled(earlier);
      signal.throwIfAborted();
      const { artifact } = await createArtifact(ports, await authenticate(), request);
      return artifact;
    });
    latest.fingerprint.set(fingerprint, creation);
    if (request.idempotencyKey !== undefined) latest.key.set(idempotencyKey, creation);
    return creation;
  }

  const results = await Promise.allSettled(
    items.map((item) => (item instanceof Error ? Promise.reject(item) : create(item))),
  );
  signal.throwIfAborted();
  return results;
}
