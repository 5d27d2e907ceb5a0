// Finds the signed manifest of a file: the one that the caller has, or the one that the chain or the service names.

import { createClient, type RegistryClient, SIDECAR_MEDIA_TYPE } from '../client.js';
import { InvalidResponseError } from '../errors.js';
import { skippedSources } from '../explanations.js';
import type { DisclosureLog } from '../lookups/disclosure.js';
import { undefinedIfNotFound } from '../lookups/registryRecord.js';
import { type Evidence, expectedManifestId } from './contradictions.js';
import { evidenceOf, type ManifestEvidence, type SourceResult, skip, tryRead, tryReadWithin } from './evidence.js';
import { readManifest, type TrustRoots } from './manifest.js';
import { serviceTimeout, type VerifyOptions } from './options.js';

export async function findManifest(
  evidence: Pick<Evidence, 'registry' | 'chain'>,
  { roots, log }: { readonly roots: TrustRoots; readonly log: DisclosureLog },
  options: VerifyOptions,
): Promise<SourceResult<ManifestEvidence>> {
  const { manifest, c2paWasmUrl, signal: caller } = options;
  if (manifest) return tryRead(caller, () => parseManifest(manifest, 'the given file', roots, c2paWasmUrl));
  const id = expectedManifestId(evidence);
  if (id === undefined) return resultWithoutId(evidence);
  let result: SourceResult<ManifestEvidence> = skip(skippedSources.MANIFEST_SERVICE_UNAVAILABLE);
  for (const { from, download } of listManifestSources(id, evidence, log, options)) {
    const next = await tryReadWithin<ManifestEvidence>(serviceTimeout(options), caller, async (signal) => {
      const sidecar = await undefinedIfNotFound(() => download(signal));
      return sidecar ? parseManifest(sidecar, from, roots, c2paWasmUrl) : { kind: 'absent' };
    });
    if (next.kind === 'found' || next.kind === 'invalid') return next;
    if (result.kind === 'skipped' || result.kind === 'absent') result = next;
  }
  return result;
}

function resultWithoutId({ registry, chain }: Pick<Evidence, 'registry' | 'chain'>): SourceResult<never> {
  const wasAnySourceRead = [registry, chain].some(({ kind }) => kind === 'absent' || kind === 'found');
  return wasAnySourceRead ? { kind: 'absent' } : skip(skippedSources.NO_MANIFEST_NAMED);
}

export async function parseManifest(
  sidecar: Uint8Array,
  from: string,
  roots: TrustRoots,
  c2paWasmUrl: string | URL | undefined,
): Promise<SourceResult<ManifestEvidence>> {
  try {
    return { kind: 'found', value: await readManifest(sidecar, from, roots, c2paWasmUrl) };
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    return { kind: 'invalid', code: 'MANIFEST_UNREADABLE', reason: error.message };
  }
}

interface ManifestSource {
  readonly from: string;
  readonly download: (signal: AbortSignal) => Promise<Uint8Array>;
}

/** Endpoints of public entries are not contacted: their authors would learn who checks which file. */
function listManifestSources(
  id: string,
  { registry, chain }: Pick<Evidence, 'registry' | 'chain'>,
  log: DisclosureLog,
  { client }: VerifyOptions,
): ManifestSource[] {
  const own = client && `${client.baseUrl}/api/c2pa`;
  const isReachable = registry.kind !== 'failed';
  const download = (from: RegistryClient) => (signal: AbortSignal) => {
    log.recordFingerprint();
    return from.manifestBytes(id, { signal });
  };
  const service: ManifestSource[] = client && isReachable ? [{ from: client.baseUrl, download: download(client) }] : [];
  const entry = evidenceOf(chain)?.entry;
  const endpoints = entry?.source === 'curated' ? entry.endpoints : [];
  const others = endpoints
    .filter((endpoint) => endpoint !== own)
    .map((endpoint) => ({
      from: endpoint,
      download: (signal: AbortSignal) => downloadFrom(endpoint, id, client, signal),
    }));
  return [...service, ...others];
}

function downloadFrom(endpoint: string, id: string, client: RegistryClient | undefined, signal: AbortSignal) {
  const downloader = client ?? createClient({ baseUrl: endpoint });
  const url = `${endpoint}/manifests/${encodeURIComponent(id)}`;
  return downloader.download(url, { accept: SIDECAR_MEDIA_TYPE, signal });
}
