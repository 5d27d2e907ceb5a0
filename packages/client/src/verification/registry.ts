// Reads what the service says about a file.

import {
  type Artifact,
  type Fingerprint,
  type Match,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';
import { findRegistration } from '../fileRegistration.js';
import type { RegistryEvidence, SourceResult } from './evidence.js';
import { findPrivately, type LookupQuestion } from './privateLookup.js';

/** How the service is asked for a file, and what it has learned so far. */
export interface DisclosureLog {
  readonly kind: LookupQuestion['kind'];
  /** Undefined until the first request. */
  lookup: LookupQuestion | undefined;
  /** Whether the result of the last private lookup covers the chain. */
  isChainKnown: boolean;
}

/** Call this before the service is sent anything that names the file. */
export function recordDisclosure(disclosures: DisclosureLog): void {
  disclosures.lookup = { ...(disclosures.lookup ?? { kind: disclosures.kind }), isFileNamed: true };
}

export async function readRegistry(
  client: RegistryClient,
  fingerprint: Fingerprint,
  disclosures: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<SourceResult<RegistryEvidence>> {
  const match =
    disclosures.kind === 'prefix'
      ? await matchPrivately(client, fingerprint, disclosures, signal)
      : await matchDirectly(client, fingerprint, disclosures, signal);
  if (!match) return { kind: 'absent' };
  const { manifestId, source, registeredBy } = match;
  const record = await readRecord(client, fingerprint, signal);
  const own = { service: client.baseUrl, manifestId, source: toSource(source), registeredBy };
  const { artifact } = record;
  const described = artifact && describeRegistration(artifact, fingerprint);
  return { kind: 'found', value: { ...own, ...record, ...described, metadata: artifact?.metadata } };
}

/** `source` and `registeredBy`: of an entry on chain that the service relays. */
type RegistryMatch = Pick<Match, 'manifestId' | 'source' | 'registeredBy'>;

async function matchPrivately(
  client: RegistryClient,
  fingerprint: Fingerprint,
  disclosures: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<RegistryMatch | undefined> {
  const { prefix, entry, isChainKnown } = await findPrivately(client, fingerprint, { signal });
  disclosures.lookup = { kind: 'prefix', isFileNamed: disclosures.lookup?.isFileNamed ?? false, prefix };
  disclosures.isChainKnown = isChainKnown;
  if (!entry) return undefined;
  recordDisclosure(disclosures);
  // The list does not tell which account wrote an entry on chain.
  return entry.source === undefined ? entry : matchDirectly(client, fingerprint, disclosures, signal);
}

async function matchDirectly(
  client: RegistryClient,
  fingerprint: Fingerprint,
  disclosures: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<RegistryMatch | undefined> {
  recordDisclosure(disclosures);
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (matches.some(({ manifestId }) => manifestId !== match?.manifestId)) {
    throw new InvalidResponseError('The service names several manifests for one file.');
  }
  return match;
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

/** Reads the record as its owner sees it with a credential; without one, or when it is refused, the public record. */
async function readRecord(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal: AbortSignal | undefined,
): Promise<Pick<RegistryEvidence, 'artifact' | 'refusal'>> {
  if (!client.hasCredential) return { artifact: await readPublicRecord(client, fingerprint, signal) };
  try {
    return { artifact: await client.getArtifact({ fingerprint }, { signal }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { artifact: await readPublicRecord(client, fingerprint, signal), refusal: error.message };
  }
}

/** The service has no record of entries that it relays from the chain. */
async function readPublicRecord(client: RegistryClient, fingerprint: Fingerprint, signal: AbortSignal | undefined) {
  return undefinedIfNotFound(() => client.getPublicArtifact({ fingerprint }, { signal }));
}

function toSource(source: string | undefined): RegistryEvidence['source'] {
  return source === 'curated' || source === 'public' ? source : undefined;
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
