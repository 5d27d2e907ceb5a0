// What the service says about a file.

import { type Fingerprint, type Match, SOFT_BINDING_ALGORITHM, softBindingValue } from '@provenance-registry/core';
import { Check } from 'typebox/schema';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError, ServiceUnreachableError } from '../errors.js';
import type { Answer, RegistryEvidence } from './evidence.js';
import { Report, softBindingIn } from './manifest.js';

export async function askService(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal: AbortSignal | undefined,
): Promise<Answer<RegistryEvidence>> {
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value }, { signal });
  const [match] = matches;
  if (!match) return { kind: 'nothing' };
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

/** With a credential, what its owner may see; without one, or when it is refused, what everybody may. */
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

/** Of what the service only passes on from the chain it has none. */
async function readPublicRecord(client: RegistryClient, fingerprint: Fingerprint, signal: AbortSignal | undefined) {
  return orNothing(() => client.getPublicArtifact({ fingerprint }, { signal }));
}

/** What strangers registered has no report here. */
async function readReport(client: RegistryClient, { manifestId, source }: Match, signal: AbortSignal | undefined) {
  if (source === 'public') return undefined;
  const links = await orNothing(() => client.getManifest({ manifestId }, { signal }));
  if (!links) return undefined;
  const bytes = await orNothing(() => client.download(links.manifestUrl, { signal })).catch((error: unknown) => {
    // The service has spoken all the same: only where it keeps its files is away.
    if (error instanceof ServiceUnreachableError) return undefined;
    throw error;
  });
  if (!bytes) return undefined;
  const report = jsonOf(bytes);
  if (!Check(Report, report)) throw new InvalidResponseError("The manifest's report is not in its form.");
  return summaryOf(report);
}

export function summaryOf(report: Report): NonNullable<RegistryEvidence['report']> {
  return { label: report.active_manifest, fingerprint: softBindingIn(report) };
}

export function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function sourceOf({ source }: Match): RegistryEvidence['source'] {
  return source === 'curated' || source === 'public' ? source : undefined;
}

export async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
