// Looks up many fingerprints: in the Artifacts, then in the mirror of the chain. Never asks the node.

import { aiPreferencesOf, type Fingerprint, type LookupResult, licenses } from '@provenance-registry/core';
import type { ChainMatches, HolderDetails, HolderSummary, Ports } from '../ports/index.js';

/** Returns what is known about each of these fingerprints. */
export async function lookUpFingerprints(
  { store }: Pick<Ports, 'store'>,
  fingerprints: readonly Fingerprint[],
): Promise<(fingerprint: Fingerprint) => LookupResult> {
  const [holders, mirrored] = await Promise.all([
    store.bulkLookups.findHolders(fingerprints),
    store.bulkLookups.findMirrored(fingerprints),
  ]);
  return (fingerprint) => {
    const holder = holders.get(fingerprint);
    return holder ? describeHolder(fingerprint, holder) : describeMirrored(fingerprint, mirrored);
  };
}

function describeHolder(fingerprint: Fingerprint, { artifactId, createdAt, details }: HolderSummary): LookupResult {
  const bare = { fingerprint, match: 'artifact', manifestId: artifactId } as const;
  return details ? { ...bare, registeredAt: createdAt.toISOString(), ...describeDetails(details) } : bare;
}

function describeDetails(details: HolderDetails) {
  const { mark, markNameAtRegistration, verifiedDomain, licenseKey, contested, supersededBy } = details;
  const isRenamed = markNameAtRegistration !== null && markNameAtRegistration !== mark.name;
  return {
    mark: { ...mark, ...(isRenamed && { nameAtRegistration: markNameAtRegistration }) },
    ...(verifiedDomain !== null && { verifiedDomain }),
    license: licenses[licenseKey],
    licenseKey,
    aiPreferences: aiPreferencesOf(details),
    contested,
    supersededBy,
  };
}

function describeMirrored(fingerprint: Fingerprint, { entries, isChainKnown }: ChainMatches): LookupResult {
  const entry = entries.get(fingerprint);
  if (!entry) return { fingerprint, match: 'none', isChainKnown };
  const { manifestId, source, registeredBy, endpoints, registeredAt } = entry;
  return {
    fingerprint,
    match: 'chain',
    manifestId,
    registeredAt: registeredAt.toISOString(),
    source,
    registeredBy,
    endpoints: [...endpoints],
  };
}
