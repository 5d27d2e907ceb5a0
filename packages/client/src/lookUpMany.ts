// Looks up any number of fingerprints in calls of a bounded size.

import type { Fingerprint, LookupResult } from '@provenance-registry/core';
import type { RegistryClient } from './client.js';
import { InvalidResponseError } from './errors.js';

/** Also with the longest conditions of AI preferences, far below the largest response that the client accepts. */
const FINGERPRINTS_PER_CALL = 1_000;

/**
 * What the service says about each of these fingerprints, in their order. They are read as results are needed, and sent to
 * the service as they are: it learns which files they belong to.
 * @throws InvalidResponseError when the results are not those of the fingerprints.
 * @example
 * ```ts
 * for await (const { fingerprint, match } of lookUpMany(client, fingerprints)) {
 *   if (match !== 'none') console.log(`${fingerprint} is registered`);
 * }
 * ```
 */
export async function* lookUpMany(
  client: Pick<RegistryClient, 'lookUpFingerprints'>,
  fingerprints: AsyncIterable<Fingerprint> | Iterable<Fingerprint>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<LookupResult> {
  let pending: Fingerprint[] = [];
  for await (const fingerprint of fingerprints) {
    if (pending.push(fingerprint) < FINGERPRINTS_PER_CALL) continue;
    yield* await lookUp(client, pending, options);
    pending = [];
  }
  if (pending.length > 0) yield* await lookUp(client, pending, options);
}

async function lookUp(
  client: Pick<RegistryClient, 'lookUpFingerprints'>,
  fingerprints: Fingerprint[],
  options: { readonly signal?: AbortSignal | undefined },
): Promise<LookupResult[]> {
  const { results } = await client.lookUpFingerprints({ fingerprints }, options);
  const areInOrder = fingerprints.every((fingerprint, index) => results[index]?.fingerprint === fingerprint);
  if (results.length === fingerprints.length && areInOrder) return results;
  throw new InvalidResponseError('The results of the lookup are not those of the fingerprints that were asked for.');
}
