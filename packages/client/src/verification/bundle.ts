// Bundles: everything needed to verify a file later without the service, in one JSON document.

import { Artifact, type Fingerprint, FingerprintText } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { decodeBase64, encodeBase64 } from '../base64.js';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';
import type { Verification } from './checks.js';
import { type ChainEvidence, type SourceResult, skip, tryRead } from './evidence.js';
import { readRegistry } from './registry.js';
import { buildVerification } from './verdict.js';
import { type ChainSource, listNodes, parseManifest, readCallerRoots, requireFingerprint } from './verify.js';

const VERSION = 1;

const Base64 = Type.String({ pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' });
/** Kept as received; validated when used. */
const RawObject = Type.Record(Type.String(), Type.Unknown());
const ChainRecord = Type.Object({
  chainId: Type.Integer(),
  address: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
  entry: Type.Object({
    source: Type.Literal('curated'),
    endpoints: Type.Array(Type.String()),
    manifestId: Type.String(),
    manifestHash: Type.String(),
    registeredBy: Type.String(),
    timestamp: Type.Integer({ minimum: 0, maximum: 1e11, description: 'Seconds since 1970.' }),
  }),
  receipt: Type.Optional(RawObject),
  block: Type.Optional(RawObject),
});
type ChainRecord = Static<typeof ChainRecord>;

const Bundle = Type.Object({
  version: Type.Literal(VERSION),
  madeAt: Type.String(),
  service: Type.String(),
  fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
  manifestId: Type.String(),
  /** The signed manifest. */
  manifest: Base64,
  report: RawObject,
  /** A PNG. */
  card: Base64,
  /** The record, as far as the creator of the bundle could see it. */
  artifact: Type.Optional(Artifact),
  /** Absent when the file was not on chain yet. */
  chain: Type.Optional(ChainRecord),
});

/**
 * The content of a bundle, ready for `JSON.stringify`.
 * @example
 * ```ts
 * const bundle: Bundle = parseBundle(JSON.parse(await readFile('sunrise.bundle.json', 'utf8')));
 * ```
 */
export type Bundle = Static<typeof Bundle>;

/**
 * Options of {@link makeBundle}. Without `chain`, the bundle has no chain data.
 * @example
 * ```ts
 * const options: MakeBundleOptions = { client, chain: await client.getContract() };
 * ```
 */
export interface MakeBundleOptions {
  readonly client: RegistryClient;
  readonly chain?: ChainSource | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Collects manifest, report, card, record and chain data of a file.
 * @throws ApiError with code `NOT_FOUND` when the service has no record of the file, or no manifest yet.
 * @example
 * ```ts
 * const bundle = await makeBundle(fingerprint, { client, chain: await client.getContract() });
 * await writeFile('sunrise.bundle.json', JSON.stringify(bundle));
 * ```
 */
export async function makeBundle(fingerprint: string, options: MakeBundleOptions): Promise<Bundle> {
  requireFingerprint(fingerprint);
  const { client, signal } = options;
  const record = await readRegistry(client, fingerprint, signal);
  if (record.kind !== 'found' || record.value.source === 'public') {
    throw new ApiError('NOT_FOUND', 404, 'The service has no record of this file.');
  }
  const { manifestId, artifact } = record.value;
  const { manifestUrl } = await client.getManifest({ manifestId }, { signal });
  const cardUrl = artifact?.c2paAssets.signedAssetUrl ?? new URL(`${manifestId}.png`, manifestUrl).href;
  const [manifest, report, card, chain] = await Promise.all([
    client.manifestBytes(manifestId, { signal }),
    client.download(manifestUrl, { signal }),
    client.download(cardUrl, { signal }),
    recordChain(fingerprint, options),
  ]);
  return parseBundle({
    version: VERSION,
    madeAt: new Date().toISOString(),
    service: client.baseUrl,
    fingerprint,
    manifestId,
    manifest: encodeBase64(manifest),
    report: JSON.parse(new TextDecoder().decode(report)),
    card: encodeBase64(card),
    ...(artifact && { artifact }),
    ...(chain && { chain }),
  });
}

async function recordChain(
  fingerprint: Fingerprint,
  { client, chain, signal }: MakeBundleOptions,
): Promise<ChainRecord | undefined> {
  const { address, chainId: _chainId, rpcUrl } = await client.getContract({ signal });
  const rpcUrls = chain ? listNodes(chain) : rpcUrl === undefined ? [] : [rpcUrl];
  const { readChain } = await import('./chain.js');
  const location = { rpcUrls, from: 'caller', address: chain?.address ?? address, addressFrom: 'caller' } as const;
  const result = await readChain(fingerprint, { ...location, expectedChainId: undefined }, signal);
  if (result.kind !== 'found' || result.value.entry.source === 'public') return undefined;
  const { chainId, entry } = result.value;
  const { registeredBy = '', source } = { ...result.value.entry, source: 'curated' as const };
  const timestamp = result.value.blockTime ?? 0;
  return {
    chainId,
    address: location.address,
    entry: { ...entry, source, registeredBy, timestamp, endpoints: [...entry.endpoints] },
  };
}

/**
 * Checks that a parsed JSON document is a bundle.
 * @throws InvalidResponseError when it is not, or has an unsupported version.
 * @example
 * ```ts
 * const bundle = parseBundle(JSON.parse(text));
 * ```
 */
export function parseBundle(json: unknown): Bundle {
  if (Check(Bundle, json)) return json;
  const { version } = Check(Type.Object({ version: Type.Integer() }), json) ? json : {};
  const isUnsupported = version !== undefined && version !== VERSION;
  throw new InvalidResponseError(
    isUnsupported ? `Bundles of version ${version} are not supported.` : 'This is not a bundle.',
  );
}

/**
 * Options of {@link verifyBundle}.
 * @example
 * ```ts
 * const options: VerifyBundleOptions = { fingerprint: (await hashFile('sunrise.jpg')).fingerprint };
 * ```
 */
export interface VerifyBundleOptions {
  /** The fingerprint of your file. Default: the one in the bundle. */
  readonly fingerprint?: string | undefined;
  /** Without it, no network is used. */
  readonly chain?: ChainSource | undefined;
  /** PEM certificates of trusted signers. */
  readonly trustAnchorsPem?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies a bundle offline, or against the chain when `chain` is given.
 * @example
 * ```ts
 * const { verdict } = await verifyBundle(bundle, { fingerprint });
 * ```
 */
export async function verifyBundle(bundle: Bundle, options: VerifyBundleOptions = {}): Promise<Verification> {
  const { fingerprint = bundle.fingerprint, signal } = options;
  requireFingerprint(fingerprint);
  const caller = readCallerRoots(options);
  const manifest = await tryRead(signal, () => parseManifest(decodeBase64(bundle.manifest), 'the bundle', { caller }));
  const chain = await readLiveChain(bundle.chain, fingerprint, options);
  const { service, manifestId, artifact } = bundle;
  const record = { isCopy: true, service, manifestId, metadata: artifact?.metadata };
  const registry = { kind: 'found', value: record } as const;
  return buildVerification({ fingerprint, registry, chain, manifest, hasTrustAnchors: caller !== undefined });
}

async function readLiveChain(
  record: ChainRecord | undefined,
  fingerprint: Fingerprint,
  { chain, signal }: VerifyBundleOptions,
): Promise<SourceResult<ChainEvidence>> {
  const rpcUrls = listNodes(chain);
  const address = chain?.address ?? record?.address;
  if (rpcUrls.length === 0 || address === undefined) return skip('no node of the chain was given');
  const { readChain } = await import('./chain.js');
  const location = { rpcUrls, from: 'caller', address, addressFrom: chain?.address ? 'caller' : 'bundle' } as const;
  return readChain(fingerprint, { ...location, expectedChainId: chain?.chainId ?? record?.chainId }, signal);
}
