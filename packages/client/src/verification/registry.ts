// Reads what the service says about a file.

import type { Artifact, Fingerprint } from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import { findRegistration } from '../fileRegistration.js';
import type { DisclosureLog } from '../lookups/disclosure.js';
import { findMatch, readRecord } from '../lookups/registryRecord.js';
import type { RegistryEvidence, SourceResult } from './evidence.js';

export async function readRegistry(
  client: RegistryClient,
  fingerprint: Fingerprint,
  log: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<SourceResult<RegistryEvidence>> {
  const found = await findMatch(client, fingerprint, log, { detailsOf: ['artifact', 'chain'], signal });
  const { match, manifestId, source, registeredBy } = found;
  if (match === 'none' || manifestId === undefined) return { kind: 'absent' };
  const { artifact, refusal } = await readRecord(client, fingerprint, log, signal);
  const record = artifact && describeRegistration(artifact, fingerprint);
  const own = { service: client.baseUrl, manifestId, source, registeredBy, artifact, refusal };
  return { kind: 'found', value: { ...own, ...record, metadata: artifact?.metadata } };
}

/** A record of another file that does not list this one says nothing about this one. */
function describeRegistration(
  artifact: Artifact,
  fingerprint: Fingerprint,
): Pick<RegistryEvidence, 'registration' | 'signedCopyOf'> {
  const registration = findRegistration(artifact, fingerprint);
  if (!registration) return {};
  return artifact.fingerprint === fingerprint ? { registration } : { registration, signedCopyOf: artifact.fingerprint };
}
