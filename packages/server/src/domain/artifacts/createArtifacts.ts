// Creating many Artifacts in one call: each gets the result that it would have got alone, in the order of the list. Those of a
// slice take each step together: they share its statements, and the syncs of their files.

import { type Artifact, limitConcurrency, type RegistryError } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import type { Ports } from '../ports/index.js';
import { Barrier } from './barrier.js';
import { createArtifact } from './createArtifact.js';
import type { CreationRequest } from './creationRequest.js';
import { yieldEvery } from './yieldEvery.js';

/** Recorded by one statement, which keeps the owner's other creations waiting for some tens of milliseconds. */
const SLICE_ITEMS = 100;
/** While one is published and recorded, the next is signed. */
const MAX_PARALLEL_SLICES = 2;
/** Keeps the workers that sign busy; more would only wait there. */
const MAX_PARALLEL_SIGNATURES = 32;
/** Manifests and rows: building one holds the event loop for up to a millisecond. */
const PREPARED_IN_A_TURN = 4;

/**
 * One result for each item. Items that are errors are their own result. When the signal is aborted, nothing more is
 * started, and the reason is thrown once all that has been started is finished.
 * @param authenticate called for each slice: a token may be revoked in the meantime
 */
export async function createArtifacts(
  ports: Ports,
  authenticate: () => Promise<Caller>,
  items: readonly (CreationRequest | RegistryError)[],
  signal: AbortSignal,
): Promise<PromiseSettledResult<Artifact>[]> {
  const queueFullError = () => new Error('the whole list may wait');
  const limitSlices = limitConcurrency(MAX_PARALLEL_SLICES, items.length, queueFullError);
  const limitSignatures = limitConcurrency(MAX_PARALLEL_SIGNATURES, items.length, queueFullError);
  const yieldToOthers = yieldEvery(PREPARED_IN_A_TURN);
  const limitSigning = <T>(sign: () => Promise<T>) =>
    limitSignatures(async () => {
      await yieldToOthers();
      return sign();
    });
  /** The last creation so far with a fingerprint, or with an idempotency key. */
  const latest = { fingerprint: new Map<string, Promise<unknown>>(), key: new Map<string, Promise<unknown>>() };

  async function createSlice(slice: typeof items): Promise<PromiseSettledResult<Artifact>[]> {
    const barrier = new Barrier();
    const group = { limitSigning, waitForOthers: () => barrier.wait(), yieldToOthers };
    let caller: Promise<Caller> | undefined;

    async function createWithOthers(request: CreationRequest): Promise<Artifact> {
      barrier.join();
      try {
        caller ??= authenticate();
        return (await createArtifact(ports, await caller, request, group)).artifact;
      } finally {
        barrier.leave();
      }
    }

    async function createAfter(earlier: readonly Promise<unknown>[], request: CreationRequest): Promise<Artifact> {
      await Promise.allSettled(earlier);
      signal.throwIfAborted();
      return (await createArtifact(ports, await authenticate(), request)).artifact;
    }

    function create(request: CreationRequest): Promise<Artifact> {
      const { fingerprint, previousFingerprint = fingerprint, idempotencyKey = '' } = request;
      // All of them have been started before: the limit keeps the order of the slices.
      const earlier = [
        latest.fingerprint.get(fingerprint),
        latest.fingerprint.get(previousFingerprint),
        latest.key.get(idempotencyKey),
      ].filter((creation) => creation !== undefined);
      const creation = earlier.length > 0 ? createAfter(earlier, request) : createWithOthers(request);
      latest.fingerprint.set(fingerprint, creation);
      if (request.idempotencyKey !== undefined) latest.key.set(idempotencyKey, creation);
      return creation;
    }

    signal.throwIfAborted();
    return Promise.allSettled(slice.map((item) => (item instanceof Error ? Promise.reject(item) : create(item))));
  }

  const slices = Array.from({ length: Math.ceil(items.length / SLICE_ITEMS) }, (_, index) =>
    limitSlices(() => createSlice(items.slice(index * SLICE_ITEMS, (index + 1) * SLICE_ITEMS))),
  );
  const results = await Promise.allSettled(slices);
  signal.throwIfAborted();
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}
