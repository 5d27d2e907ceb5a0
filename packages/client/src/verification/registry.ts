// Reads what the service says about a file.

import { type Fingerprint, type Match, SOFT_BINDING_ALGORITHM, softBindingValue } from '@provenance-registry/core';
import { Check } from 'typebox/schema';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError, ServiceUnreachableError } from '../errors.js';
import type { RegistryEvidence, SourceResult } from './evidence.js';
import { Report, readSoftBinding } from './manifest.js';

export async function readRegistry(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal: AbortSignal | undefined,
): Promise<SourceResult<RegistryEvidence>> {
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (!match) return { kind: 'absent' };
  if (matches.some(({ manifestId }) => manifestId !== match.manifestId)) {
    throw new InvalidResponseError('The service names several manifests for one file.');
  }
  const { manifestId, endpoint, registeredBy } = match;
  const [record, report] = await Promise.all([
    readRecord(client, fingerprint, signal),
    readReport(client, match, signal),
  ]);
  const own = { service: client.baseUrl, manifestId, endpoint, source: sourceOf(match), registeredBy };
  return { kind: 'found', value: { ...own, ...record, report } };
}

/** With a credential, the record as its owner sees it; without one, or when it is refused, the public record. */
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
  return orNotFound(() => client.getPublicArtifact({ fingerprint }, { signal }));
}

/** Public entries have no report on this service. */
async function readReport(client: RegistryClient, { manifestId, source }: Match, signal: AbortSignal | undefined) {
  if (source === 'public') return undefined;
  const links = await orNotFound(() => client.getManifest({ manifestId }, { signal }));
  if (!links) return undefined;
  const bytes = await orNotFound(() => client.download(links.manifestUrl, { signal })).catch((error: unknown) => {
    // Only the file store is unavailable: what the service said stands.
    if (error instanceof ServiceUnreachableError) return undefined;
    throw error;
  });
  if (!bytes) return undefined;
  const report = parseJson(bytes);
  if (!Check(Report, report))
    throw new InvalidResponseError('The report of the manifest does not have the documented form.');
  return summarizeReport(report);
}

export function summarizeReport(report: Report): NonNullable<RegistryEvidence['report']> {
  return { label: report.active_manifest, fingerprint: readSoftBinding(report) };
}

/** Undefined when it is not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function sourceOf({ source }: Match): RegistryEvidence['source'] {
  return source === 'curated' || source === 'public' ? source : undefined;
}

/** Undefined instead of a NOT_FOUND error. */
export async function orNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
