// Looks up the manifests of a fingerprint, in the own records and the mirror of the chain, and on chain itself while the
// mirror is behind; and of a file, also by the manifest that it carries.

import {
  type Fingerprint,
  fingerprintOf,
  isUuid,
  legacyAlgorithms,
  type Match,
  parseSoftBindingValue,
  prefixDigitsFor,
  RegistryError,
  type ServiceStatus,
  SOFT_BINDING_ALGORITHM,
} from '@provenance-registry/core';
import { assetUrls } from '../artifacts/artifacts.js';
import type { UploadedFile } from '../artifacts/creationRequest.js';
import type { ChainEntry, Ports, PrefixQuery } from '../ports/index.js';

/** The default of the C2PA specification. */
const DEFAULT_MAX_RESULTS = 10;
const EXACT_SCORE = 100;
/** Artifacts usually leave `pending` within seconds. */
const PENDING_RETRY_SECONDS = 2;

export function parseBinding(alg: string, value: string): Fingerprint {
  requireSupportedAlgorithm(alg);
  const fingerprint = parseSoftBindingValue(value);
  if (!fingerprint) throw new RegistryError('BAD_REQUEST', 'The value is not the base64 of 32 bytes.');
  return fingerprint;
}

export function requireSupportedAlgorithm(alg: string): void {
  if (alg === SOFT_BINDING_ALGORITHM || legacyAlgorithms.includes(alg)) return;
  throw new RegistryError('BAD_REQUEST', `The supported algorithm is ${SOFT_BINDING_ALGORITHM}.`);
}

export async function findMatches(
  ports: Ports,
  fingerprint: Fingerprint,
  maxResults = DEFAULT_MAX_RESULTS,
): Promise<{ matches: Match[] }> {
  const holder = await ports.store.lookups.findHolder(fingerprint);
  if (holder?.kind === 'artifact') {
    const manifestId = holder.artifactId;
    return { matches: [{ manifestId, endpoint: ownEndpoint(ports), similarityScore: EXACT_SCORE }] };
  }
  if (holder?.kind === 'none') return { matches: [] };
  const entry = holder ? holder.entry : await ports.chain.registry.resolve(fingerprint);
  if (!entry) return { matches: [] };
  const endpoints = await leaveOutOwnWithoutManifest(ports, entry);
  const matches = endpoints.slice(0, maxResults).map((endpoint) => ({
    manifestId: entry.manifestId,
    endpoint,
    similarityScore: EXACT_SCORE,
    source: entry.source,
    registeredBy: entry.registeredBy,
  }));
  return { matches };
}

function ownEndpoint({ baseUrl }: Ports): string {
  return `${baseUrl}/api/c2pa`;
}

/** A database that was restored from an older backup lacks Artifacts that are on chain: their manifests may be lost too. */
async function leaveOutOwnWithoutManifest(
  ports: Ports,
  { source, endpoints, manifestId }: ChainEntry,
): Promise<readonly string[]> {
  const own = ownEndpoint(ports);
  if (source !== 'curated' || !endpoints.includes(own)) return endpoints;
  const isPublished = isUuid(manifestId) && (await ports.files.read(`${manifestId}.c2pa`)) !== undefined;
  return isPublished ? endpoints : endpoints.filter((endpoint) => endpoint !== own);
}

/**
 * Matches of the file itself, or else of the original that the manifest inside names: a signed copy, or a card. Files are
 * whole only if they carry a manifest.
 */
export async function findMatchesOfFile(
  ports: Ports,
  client: string,
  file: UploadedFile,
  maxResults?: number,
): Promise<{ matches: Match[] }> {
  const found = await findMatches(ports, fingerprintOf(file.digest), maxResults);
  if (found.matches.length > 0) return found;
  if (file.wasEvicted) {
    throw new RegistryError('UNAVAILABLE', 'The service is reading too many manifests right now.');
  }
  if (!file.isWhole) return found;
  const { mediaType } = await ports.media.inspect(file.bytes, undefined, { isWhole: false, client });
  const manifest = await ports.manifestInspector.inspect({ client, mediaType, bytes: file.bytes });
  return manifest?.ownFingerprint === undefined ? found : findMatches(ports, manifest.ownFingerprint, maxResults);
}

/** Throws NOT_FOUND while the Artifact is `pending`, when it failed, and for every other id. */
export async function findManifest(ports: Ports, manifestId: string) {
  // UUIDs and the first two parts of a URN are case-insensitive.
  const id = manifestId.toLowerCase().replace(/^urn:c2pa:/, '');
  const artifact = isUuid(id) ? await ports.store.artifacts.findById(id) : undefined;
  if (artifact?.status === 'pending') {
    // Its match leads here from the moment of its creation.
    throw new RegistryError('NOT_FOUND', 'The manifest is not available yet: the Artifact is pending.', {
      retryAfterSeconds: PENDING_RETRY_SECONDS,
    });
  }
  if (!(artifact ? artifact.status !== 'failed' : await isLostButPublished(ports, id))) {
    throw new RegistryError('NOT_FOUND', 'There is no such manifest.');
  }
  const { manifestUrl, manifestBinaryUrl } = assetUrls(ports, id);
  return { id, manifestUrl, manifestBinaryUrl };
}

/** Whether its entry on chain leads here, and the database does not have its Artifact: it was restored from an older backup. */
async function isLostButPublished(ports: Ports, id: string): Promise<boolean> {
  if (!isUuid(id) || !(await ports.store.lookups.isOnChainWithoutArtifact(id))) return false;
  return (await ports.files.read(`${id}.c2pa`)) !== undefined;
}

/** The published sidecar; `activeOnly`: without the manifests of previous versions. */
export async function readSidecar(ports: Ports, manifestId: string, activeOnly: boolean): Promise<Uint8Array> {
  const { id } = await findManifest(ports, manifestId);
  const sidecar = await ports.files.read(`${id}.c2pa`);
  if (!sidecar) throw new RegistryError('UNAVAILABLE', 'The manifest cannot be read right now.');
  return activeOnly ? ports.manifests.activeOnly(sidecar) : sidecar;
}

export async function describeStatus(ports: Ports): Promise<ServiceStatus> {
  const [mirror, chain] = await Promise.allSettled([ports.store.chainMirror.readProgress(), ports.chain.check()]);
  const timestamp = ports.clock().toISOString();
  if (mirror.status === 'rejected') return { status: 'down', timestamp };
  const status = chain.status === 'fulfilled' ? 'ok' : 'degraded';
  if (!mirror.value) return { status, timestamp };
  const { checkedAt, ...progress } = mirror.value;
  return { status, timestamp, mirror: { ...progress, checkedAt: checkedAt?.toISOString() ?? null } };
}

/** A `FingerprintBucket` as JSON, most of which comes from the store. Throws BAD_REQUEST for the cursor of another list. */
export async function listFingerprints(ports: Ports, query: PrefixQuery): Promise<Buffer> {
  const { prefix, after } = query;
  if (after !== undefined && !after.startsWith(`0x${prefix}`)) {
    throw new RegistryError('BAD_REQUEST', 'The cursor is not one of this list.');
  }
  const { entriesJson, nextCursor, isChainKnown, registeredCount } = await ports.store.lookups.listByPrefix(query);
  const facts = JSON.stringify({ prefix, digits: prefixDigitsFor(registeredCount), isChainKnown, nextCursor });
  return Buffer.from(`${facts.slice(0, -1)},"entries":[${entriesJson}]}`);
}
