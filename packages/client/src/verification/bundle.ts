// Bundles: everything needed to verify a file later without the service, in one JSON document.

import { Artifact, type Fingerprint, FingerprintText } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { decodeBase64, encodeBase64 } from '../base64.js';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';
import { safeText } from '../sanitize.js';
import type { Verification } from './checks.js';
import type { Problem } from './contradictions.js';
import { type ChainEvidence, type SourceResult, skip, tryRead } from './evidence.js';
import { Report } from './manifest.js';
import { parseJson, readRegistry, summarizeReport } from './registry.js';
import { buildVerification } from './verdict.js';
import { type ChainSource, locateContract, parseManifest, requireFingerprint } from './verify.js';

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
  report: Report,
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
    report: parseJson(report),
    card: encodeBase64(card),
    ...(artifact && { artifact }),
    ...(chain && { chain }),
  });
}

async function recordChain(
  fingerprint: Fingerprint,
  { client, chain, signal }: MakeBundleOptions,
): Promise<ChainRecord | undefined> {
  if (chain?.rpcUrl === undefined) return undefined;
  const { connectToNode, readBlockByHash, readChain, readReceiptJson, throwAsSdkError } = await import('./chain.js');
  const node = connectToNode(chain.rpcUrl, signal);
  const location = await locateContract(chain, client, signal);
  const result = location && (await readChain(node, fingerprint, location, signal).catch(throwAsSdkError));
  if (result?.kind !== 'found') return undefined;
  const { chainId, address, entry, registration } = result.value;
  // A public entry is not the service's own registration.
  if (entry.source === 'public') return undefined;
  const record = { chainId, address, entry: { ...entry, source: entry.source, endpoints: [...entry.endpoints] } };
  if (!registration) return record;
  const [receipt, block] = await Promise.all([
    readReceiptJson(node, registration.transactionHash),
    readBlockByHash(node, registration.blockHash),
  ]).catch(throwAsSdkError);
  return receipt && block ? { ...record, receipt, block } : record;
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
  const { fingerprint = bundle.fingerprint, trustAnchorsPem, signal } = options;
  requireFingerprint(fingerprint);
  const manifest = await tryRead(signal, () =>
    parseManifest(decodeBase64(bundle.manifest), 'the bundle', trustAnchorsPem),
  );
  const copy = bundle.chain && (await readChainCopy(bundle.chain, fingerprint));
  const live = await readLiveChain(bundle.chain, fingerprint, options);
  const chain = live ?? (copy ? { kind: 'found', value: copy.evidence } : skip('the bundle has no chain data'));
  const chainProblems = [...(copy?.problems ?? []), ...(live && copy ? compareEntries(copy.evidence, live) : [])];
  const { service, manifestId, artifact } = bundle;
  const record = { isCopy: true, service, manifestId, artifact, report: summarizeReport(bundle.report) };
  const registry = { kind: 'found', value: record } as const;
  const hasTrustAnchors = trustAnchorsPem !== undefined;
  return buildVerification({ fingerprint, registry, chain, chainProblems, manifest, hasTrustAnchors });
}

/** Undefined when no node is given. */
async function readLiveChain(
  record: ChainRecord | undefined,
  fingerprint: Fingerprint,
  { chain, signal }: VerifyBundleOptions,
): Promise<SourceResult<ChainEvidence> | undefined> {
  const rpcUrl = chain?.rpcUrl;
  if (rpcUrl === undefined) return undefined;
  return tryRead<ChainEvidence>(signal, async () => {
    const address = chain?.address ?? record?.address;
    if (address === undefined) return skip('the address of the contract is not known');
    const addressFrom = chain?.address === undefined ? 'bundle' : 'caller';
    const location = { address, addressFrom, expectedChainId: record?.chainId } as const;
    const { connectToNode, readChain } = await import('./chain.js');
    return readChain(connectToNode(rpcUrl, signal), fingerprint, location, signal);
  });
}

/** The chain data in the bundle and its inconsistencies. */
async function readChainCopy(
  { chainId, address, entry, receipt, block }: ChainRecord,
  fingerprint: Fingerprint,
): Promise<{ readonly evidence: ChainEvidence; readonly problems: readonly Problem[] }> {
  const { BlockJson, findRegistration, ReceiptJson } = await import('./chain.js');
  const evidence: ChainEvidence = { isCopy: true, chainId, address, addressFrom: 'bundle', entry };
  if (receipt === undefined) return { evidence, problems: [] };
  const registered = Check(ReceiptJson, receipt) ? findRegistration(receipt, address, fingerprint) : undefined;
  if (!registered) {
    const reason = 'The receipt in the bundle is not of a transaction that registered this file.';
    return { evidence, problems: [{ code: 'TRANSACTION_MISMATCH', reason }] };
  }
  const { manifestId, ...registration } = registered;
  const problems: Problem[] = [];
  if (manifestId !== entry.manifestId) {
    const reason = safeText`The bundle says that the chain has the manifest ${entry.manifestId}, but its receipt names ${manifestId}.`;
    problems.push({ code: 'MANIFEST_ID_MISMATCH', reason });
  }
  if (
    !Check(BlockJson, block) ||
    block.hash !== registration.blockHash ||
    Number(block.timestamp) !== entry.timestamp
  ) {
    const reason = 'The block in the bundle does not match its receipt or its time.';
    problems.push({ code: 'BLOCK_MISMATCH', reason });
  }
  return { evidence: { ...evidence, registration }, problems };
}

/** Only the endpoints of an entry can change. */
function compareEntries(copy: ChainEvidence, live: SourceResult<ChainEvidence>): Problem[] {
  if (live.kind === 'absent') {
    const reason = 'The bundle says that this file is on chain, but the contract has no entry for it.';
    return [{ code: 'NOT_ON_CHAIN', reason }];
  }
  if (live.kind !== 'found') return [];
  const fixedParts = ({ entry }: ChainEvidence) =>
    JSON.stringify([entry.source, entry.manifestId, entry.manifestHash, entry.registeredBy, entry.timestamp]);
  if (fixedParts(copy) === fixedParts(live.value)) return [];
  const reason = safeText`The bundle says that the chain has ${describeEntry(copy)}, but it has ${describeEntry(live.value)}.`;
  return [{ code: 'ENTRY_MISMATCH', reason }];
}

function describeEntry({ entry }: ChainEvidence): string {
  return safeText`the manifest ${entry.manifestId}, written by ${entry.registeredBy} on ${new Date(entry.timestamp * 1000).toISOString()}`;
}
