// What the service has for a fingerprint: a match, and the record behind it.

import {
  type Artifact,
  type Fingerprint,
  type LookupResult,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';
import type { DisclosureLog } from './disclosure.js';
import { findByPrefix } from './prefixLookup.js';

export type MatchKind = Exclude<LookupResult['match'], 'none'>;

/** Reads the details of matches in `detailsOf` by the fingerprint, which tells the service which file it is. */
export async function findMatch(
  client: RegistryClient,
  fingerprint: Fingerprint,
  log: DisclosureLog,
  { detailsOf, signal }: { readonly detailsOf: readonly MatchKind[]; readonly signal: AbortSignal | undefined },
): Promise<LookupResult> {
  if (log.lookupBy === 'fingerprint') return matchByFingerprint(client, fingerprint, log, signal);
  const { prefix, entry, isChainKnown } = await findByPrefix(client, fingerprint, signal);
  log.recordPrefix(prefix, isChainKnown);
  if (!entry) return { fingerprint, match: 'none', isChainKnown };
  const { manifestId, source } = entry;
  // The list tells neither which account wrote an entry on chain nor where its manifest is.
  if (source && detailsOf.includes('chain')) return matchByFingerprint(client, fingerprint, log, signal);
  return source ? { fingerprint, match: 'chain', manifestId, source } : { fingerprint, match: 'artifact', manifestId };
}

async function matchByFingerprint(
  client: RegistryClient,
  fingerprint: Fingerprint,
  log: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<LookupResult> {
  log.recordFingerprint();
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (!match) return { fingerprint, match: 'none' };
  const { manifestId, source, registeredBy } = match;
  if (matches.some((other) => other.manifestId !== manifestId)) {
    throw new InvalidResponseError('The service names several manifests for one file.');
  }
  if (source !== 'curated' && source !== 'public') return { fingerprint, match: 'artifact', manifestId };
  const endpoints = matches.map(({ endpoint }) => endpoint);
  const writer = registeredBy === undefined ? {} : { registeredBy };
  return { fingerprint, match: 'chain', manifestId, source, endpoints, ...writer };
}

/**
 * Reads the record as its owner sees it with a credential; without one, or when it is refused, the public record. The
 * service has none of entries that it relays from the chain.
 */
export async function readRecord(
  client: RegistryClient,
  fingerprint: Fingerprint,
  log: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<{ readonly artifact: Artifact | undefined; readonly refusal?: string }> {
  log.recordFingerprint();
  const readPublic = () => undefinedIfNotFound(() => client.getPublicArtifact({ fingerprint }, { signal }));
  if (!client.hasCredential) return { artifact: await readPublic() };
  try {
    return { artifact: await client.getArtifact({ fingerprint }, { signal }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { artifact: await readPublic(), refusal: error.message };
  }
}

/** Undefined instead of a NOT_FOUND error. */
export async function undefinedIfNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
