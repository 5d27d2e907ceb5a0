// What this service says in public about a fingerprint.

import type { RegistryClient } from '@provenance-registry/client';
import { type Artifact, type Fingerprint, SOFT_BINDING_ALGORITHM, softBindingValue } from '@provenance-registry/core';
import { readArtifact } from '../../publicReads.js';
import { useFollowed } from '../../ui/useLiveArtifact.js';

export type Finding =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'recorded'; readonly artifact: Artifact }
  /** The service has no record of its own, and passes on what is on chain. */
  | { readonly kind: 'onChain'; readonly isCurated: boolean; readonly registeredBy: string | undefined };

/** Asked this way round because a lookup that finds nothing is no error. */
export async function lookUp(client: RegistryClient, fingerprint: Fingerprint, signal: AbortSignal): Promise<Finding> {
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (!match) return { kind: 'nothing' };
  if (match.source !== undefined) {
    return { kind: 'onChain', isCurated: match.source === 'curated', registeredBy: match.registeredBy };
  }
  return { kind: 'recorded', artifact: await readArtifact(client, { fingerprint }, { signal }) };
}

/** As it is now, when it has moved on; the same object for as long as it has not. */
export function useFollowedFinding(finding: Finding | undefined): Finding | undefined {
  const first = finding?.kind === 'recorded' ? finding.artifact : undefined;
  const artifact = useFollowed(first);
  return artifact === undefined || artifact === first ? finding : { kind: 'recorded', artifact };
}
