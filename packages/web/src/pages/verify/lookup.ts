// What the service publicly knows about a fingerprint.

import type { RegistryClient } from '@provenance-registry/client';
import { type Artifact, type Fingerprint, SOFT_BINDING_ALGORITHM, softBindingValue } from '@provenance-registry/core';
import { readArtifact } from '../../publicReads.js';
import { useLiveArtifact } from '../../ui/useLiveArtifact.js';

export type LookupResult =
  | { readonly kind: 'notFound' }
  | { readonly kind: 'recorded'; readonly artifact: Artifact }
  /** The service has no record, and passes on an entry of the chain. */
  | { readonly kind: 'onChain'; readonly isCurated: boolean; readonly registeredBy: string | undefined };

/** Asks for matches first, because an unknown fingerprint is no error there. */
export async function lookUp(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal: AbortSignal,
): Promise<LookupResult> {
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (!match) return { kind: 'notFound' };
  if (match.source !== undefined) {
    return { kind: 'onChain', isCurated: match.source === 'curated', registeredBy: match.registeredBy };
  }
  return { kind: 'recorded', artifact: await readArtifact(client, { fingerprint }, { signal }) };
}

/** The result with the latest status of its Artifact; the same object while nothing has changed. */
export function useLiveLookup<T extends LookupResult | undefined>(result: T): T | LookupResult {
  const loaded = result?.kind === 'recorded' ? result.artifact : undefined;
  const artifact = useLiveArtifact(loaded);
  return artifact === undefined || artifact === loaded ? result : { kind: 'recorded', artifact };
}
