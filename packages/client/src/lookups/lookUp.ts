// Looks files up: one with everything that the service shows about it, or any number in calls of a bounded size.

import type { Artifact, Fingerprint, LookupResult } from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import { InvalidResponseError } from '../errors.js';
import { type FileRegistration, findRegistration } from '../fileRegistration.js';
import { type Disclosure, DisclosureLog } from './disclosure.js';
import { type FileInput, identifyFile } from './fileInput.js';
import { type LookalikeSearch, searchLookalikes } from './lookalikes.js';
import type { PerceptualHashes } from './perceptualHashes.js';
import { findMatch, type MatchKind, readRecord } from './registryRecord.js';

/**
 * The result of {@link lookUp} and {@link lookUpMany}: what the service says about a file. Nothing of it is checked; see
 * {@link verify}.
 * @example
 * ```ts
 * const { match, mark, registeredAt, disclosure }: Lookup = await lookUp(client, file);
 * if (match === 'artifact') console.log(`Registered under ${mark?.name} since ${registeredAt}`);
 * ```
 */
export interface Lookup extends LookupResult {
  /** What the service was told. */
  readonly disclosure: Disclosure;
  /** The record of an Artifact, as the caller may see it; not from {@link lookUpMany}. */
  readonly artifact?: Artifact;
  /** The registration of this very file, which may be a signed copy of the Artifact's. */
  readonly registration?: FileRegistration;
  /** The registered file of which this one is a signed copy. */
  readonly signedCopyOf?: Fingerprint;
  /** Look-alikes, if there is no match and `perceptualHashes` were given. */
  readonly similar?: LookalikeSearch;
}

/**
 * Options of {@link lookUp}: how much the service may learn about the file.
 * @example
 * ```ts
 * const options: LookUpOptions = { detailsOf: [] }; // the service learns the first digits of the fingerprint, nothing else
 * ```
 */
export interface LookUpOptions {
  /**
   * `prefix`, the default: the service is asked for all fingerprints that start with the same digits, and does not learn
   * which file is looked up unless it has it. `fingerprint`: it is sent the fingerprint, and can also ask a node of the chain.
   */
  readonly lookupBy?: Disclosure['lookupBy'] | undefined;
  /** The matches whose details are read by the fingerprint, which tells the service which file it is. Default: all. */
  readonly detailsOf?: readonly MatchKind[] | undefined;
  /** Search for look-alikes with these if there is no match: they are sent, not the file. */
  readonly perceptualHashes?: PerceptualHashes | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks a file up. Content is hashed here and never sent.
 * @throws InvalidArgumentError when the fingerprint is malformed; InvalidResponseError when the service contradicts itself.
 * @example
 * ```ts
 * const { match, disclosure } = await lookUp(client, await openAsBlob('sunrise.jpg'));
 * console.log(match, explanations.disclosed(disclosure));
 * ```
 */
export async function lookUp(client: RegistryClient, file: FileInput, options: LookUpOptions = {}): Promise<Lookup> {
  const { lookupBy, detailsOf = ['artifact', 'chain'], perceptualHashes: hashes, signal } = options;
  const { fingerprint } = await identifyFile(file, signal);
  const log = new DisclosureLog(lookupBy);
  const found = await findMatch(client, fingerprint, log, { detailsOf, signal });
  const hasRecord = found.match === 'artifact' && detailsOf.includes('artifact');
  const record = hasRecord ? await describeRecord(client, fingerprint, log, signal) : {};
  const isSearched = found.match === 'none' && hashes;
  const similar = isSearched ? await searchLookalikes(client, { fingerprint, hashes }, { signal }) : undefined;
  // Every lookup sends the service at least the prefix.
  const { disclosure = { lookupBy: log.lookupBy, fingerprintDisclosed: true } } = log;
  return { ...found, ...record, disclosure, ...(similar && { similar }) };
}

async function describeRecord(
  client: RegistryClient,
  fingerprint: Fingerprint,
  log: DisclosureLog,
  signal: AbortSignal | undefined,
): Promise<Partial<Lookup>> {
  const { artifact } = await readRecord(client, fingerprint, log, signal);
  const registration = artifact && findRegistration(artifact, fingerprint);
  if (!registration) throw new InvalidResponseError('The service lists this file, but has no record of it.');
  const { status, transactionHash, createdAt } = registration;
  return {
    ...summarizeArtifact(artifact),
    artifact,
    registration: { status, transactionHash, createdAt },
    ...(artifact.fingerprint !== fingerprint && { signedCopyOf: artifact.fingerprint }),
  };
}

/** The fields that a lookup of many fingerprints has of an Artifact, too: none under a private Mark. */
function summarizeArtifact(artifact: Artifact): Partial<LookupResult> {
  const { mark, metadata, verifiedDomains, license, licenseKey, aiPreferences, claims, createdAt } = artifact;
  if (!('name' in mark)) return {};
  const { id, name } = mark;
  const nameThen = metadata.mark?.name ?? name;
  const [domain] = verifiedDomains;
  return {
    registeredAt: createdAt,
    mark: { id, name, ...(nameThen !== name && { nameAtRegistration: nameThen }) },
    ...(domain && { verifiedDomain: domain.domain }),
    ...(license && { license }),
    ...(licenseKey && { licenseKey }),
    ...(aiPreferences && { aiPreferences }),
    contested: claims.contested,
    supersededBy: claims.supersededBy,
  };
}

/** Also with the longest conditions of AI preferences, far below the largest response that the client accepts. */
const FINGERPRINTS_PER_CALL = 1_000;

/**
 * Looks up any number of fingerprints, and yields a result for each in their order. They are read as results are needed, and
 * sent to the service as they are: it learns which files they belong to.
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
): AsyncGenerator<Lookup> {
  let pending: Fingerprint[] = [];
  for await (const fingerprint of fingerprints) {
    if (pending.push(fingerprint) < FINGERPRINTS_PER_CALL) continue;
    yield* await lookUpBatch(client, pending, options);
    pending = [];
  }
  if (pending.length > 0) yield* await lookUpBatch(client, pending, options);
}

async function lookUpBatch(
  client: Pick<RegistryClient, 'lookUpFingerprints'>,
  fingerprints: Fingerprint[],
  options: { readonly signal?: AbortSignal | undefined },
): Promise<Lookup[]> {
  const { results } = await client.lookUpFingerprints({ fingerprints }, options);
  const areInOrder = fingerprints.every((fingerprint, index) => results[index]?.fingerprint === fingerprint);
  if (results.length !== fingerprints.length || !areInOrder) {
    throw new InvalidResponseError('The results of the lookup are not those of the requested fingerprints.');
  }
  const disclosure: Disclosure = { lookupBy: 'fingerprint', fingerprintDisclosed: true };
  return results.map((result) => ({ ...result, disclosure }));
}
