// Whose is this file? From our own records first; if they have nothing, from the registries on chain.

import {
  type Fingerprint,
  isUuid,
  legacyAlgorithms,
  type Match,
  parseSoftBindingValue,
  RegistryError,
  SOFT_BINDING_ALGORITHM,
} from '@provenance-registry/core';
import { assetsOf } from './artifacts.js';
import type { Ports } from './ports/index.js';

/** As the C2PA text has it. */
const DEFAULT_MAX_RESULTS = 10;
const EXACT = 100;

export function fingerprintOfBinding(alg: string, value: string): Fingerprint {
  requireOurAlgorithm(alg);
  const fingerprint = parseSoftBindingValue(value);
  if (!fingerprint) throw new RegistryError('BAD_REQUEST', 'The value is not the base64 of 32 bytes.');
  return fingerprint;
}

export function requireOurAlgorithm(alg: string): void {
  if (alg === SOFT_BINDING_ALGORITHM || legacyAlgorithms.includes(alg)) return;
  throw new RegistryError('BAD_REQUEST', `This service knows ${SOFT_BINDING_ALGORITHM}.`);
}

export async function findMatches(
  ports: Ports,
  fingerprint: Fingerprint,
  maxResults = DEFAULT_MAX_RESULTS,
): Promise<{ matches: Match[] }> {
  const manifestId = await ports.lookup(fingerprint);
  if (manifestId !== undefined) {
    return { matches: [{ manifestId, endpoint: `${ports.baseUrl}/api/c2pa`, similarityScore: EXACT }] };
  }
  const entry = await ports.chain.registry.resolve(fingerprint);
  const matches = (entry?.endpoints ?? []).map((endpoint) => ({
    manifestId: entry?.manifestId ?? '',
    endpoint,
    similarityScore: EXACT,
    ...(entry && { source: entry.source, registeredBy: entry.registeredBy }),
  }));
  return { matches: matches.slice(0, maxResults) };
}

/** Not until its Artifact has left `pending`, and not when it failed. */
export async function findManifest(ports: Ports, manifestId: string) {
  // Neither a URN's first two parts nor a UUID mind their case.
  const id = manifestId.toLowerCase().replace(/^urn:c2pa:/, '');
  const artifact = isUuid(id) ? await ports.store.artifacts.findById(id) : undefined;
  if (!artifact || artifact.status === 'pending' || artifact.status === 'failed') {
    throw new RegistryError('NOT_FOUND', 'There is no such manifest.');
  }
  const { manifestUrl, manifestBinaryUrl } = assetsOf(ports, id);
  return { id, manifestUrl, manifestBinaryUrl };
}

/** The sidecar as it was published; `activeOnly`: without the manifests of earlier versions. */
export async function readSidecar(ports: Ports, manifestId: string, activeOnly: boolean): Promise<Uint8Array> {
  const { id } = await findManifest(ports, manifestId);
  const sidecar = await ports.files.read(`${id}.c2pa`);
  if (!sidecar) throw new RegistryError('UNAVAILABLE', 'The manifest cannot be read right now.');
  return activeOnly ? ports.manifests.activeOnly(sidecar) : sidecar;
}

export async function describeStatus(ports: Ports): Promise<{ status: 'ok' | 'degraded' | 'down'; timestamp: string }> {
  const [records, chain] = await Promise.allSettled([ports.store.artifacts.statuses([]), ports.chain.check()]);
  const withRecords = chain.status === 'fulfilled' ? 'ok' : 'degraded';
  return { status: records.status === 'fulfilled' ? withRecords : 'down', timestamp: ports.clock().toISOString() };
}
