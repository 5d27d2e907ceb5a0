// What this service says in public about a fingerprint.

import { ApiError, type RegistryClient } from '@provenance-registry/client';
import { type Artifact, type Fingerprint, SOFT_BINDING_ALGORITHM, softBindingValue } from '@provenance-registry/core';

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
  return { kind: 'recorded', artifact: await readRecord(client, fingerprint, signal) };
}

/** Those who are logged in see what they may; a session that has ended is no reason to see less than a stranger. */
async function readRecord(client: RegistryClient, fingerprint: Fingerprint, signal: AbortSignal): Promise<Artifact> {
  if (client.hasCredential) {
    try {
      return await client.getArtifact({ fingerprint }, { signal });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
  }
  return client.getPublicArtifact({ fingerprint }, { signal });
}
