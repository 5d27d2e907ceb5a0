// A lookup that found a record, with the latest status of its Artifact.

import { findRegistration, type Lookup } from '@provenance-registry/client';
import { useLiveArtifact } from '../../ui/artifact/useLiveArtifact.js';

export type RecordedLookup = Lookup & Required<Pick<Lookup, 'artifact' | 'registration'>>;

export function isRecorded(lookup: Lookup | undefined): lookup is RecordedLookup {
  return lookup?.artifact !== undefined && lookup.registration !== undefined;
}

/** The same object while nothing has changed. */
export function useLiveLookup(lookup: Lookup | undefined): Lookup | undefined {
  const artifact = useLiveArtifact(lookup?.artifact);
  const registration = artifact && lookup && findRegistration(artifact, lookup.fingerprint);
  return registration && artifact !== lookup.artifact ? { ...lookup, artifact, registration } : lookup;
}
