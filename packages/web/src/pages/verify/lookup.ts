// What the service publicly knows about a fingerprint.

import type { RegistryClient } from '@provenance-registry/client';
import {
  type Artifact,
  type Fingerprint,
  type Rendition,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import { readArtifact } from '../../publicReads.js';
import { useLiveArtifact } from '../../ui/useLiveArtifact.js';

export interface RecordedResult {
  readonly kind: 'recorded';
  readonly artifact: Artifact;
  /** Set when the fingerprint is that of a signed copy of the Artifact's file. */
  readonly rendition: Rendition | undefined;
}

export type LookupResult =
  | { readonly kind: 'notFound' }
  | RecordedResult
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
  return toRecorded(await readArtifact(client, { fingerprint }, { signal }), fingerprint);
}

function toRecorded(artifact: Artifact, fingerprint: Fingerprint): RecordedResult {
  const rendition = artifact.renditions.find((one) => one.fingerprint === fingerprint);
  return { kind: 'recorded', artifact, rendition };
}

/** The result with the latest status of its Artifact; the same object while nothing has changed. */
export function useLiveLookup<T extends LookupResult | undefined>(result: T): T | LookupResult {
  const recorded: RecordedResult | undefined = result?.kind === 'recorded' ? result : undefined;
  const artifact = useLiveArtifact(recorded?.artifact);
  if (artifact === undefined || artifact === recorded?.artifact) return result;
  return toRecorded(artifact, recorded?.rendition?.fingerprint ?? artifact.fingerprint);
}
