// Everything that is needed to verify a file later, without the service, in one JSON document.

import { Artifact, type Fingerprint, FingerprintText, isFingerprint } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check as fits } from 'typebox/schema';
import { base64Of, bytesOf } from '../base64.js';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';
import { say } from '../sanitize.js';
import type { Answer, ChainEvidence, RegistryEvidence } from './evidence.js';
import { Report } from './manifest.js';
import { connectToNode, throwAsSdkError } from './node.js';
import { askService, jsonOf, summaryOf } from './registry.js';
import { judge, type Verification } from './verdict.js';
import { addressAt, asked, type ChainSource, readChain, readWord, unasked } from './verify.js';

const VERSION = 1;

const Base64 = Type.String({ pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' });
/** As others wrote it; looked at when it is used. */
const Raw = Type.Record(Type.String(), Type.Unknown());
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
  receipt: Type.Optional(Raw),
  block: Type.Optional(Raw),
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
  /** As much of the record as whoever made the bundle could see. */
  artifact: Type.Optional(Artifact),
  /** Once it is there. */
  chain: Type.Optional(ChainRecord),
});
export type Bundle = Static<typeof Bundle>;

export interface BundleSources {
  readonly client: RegistryClient;
  readonly chain?: ChainSource | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Throws NOT_FOUND, an ApiError, when the service has nothing, or no manifest yet. */
export async function makeBundle(fingerprint: string, sources: BundleSources): Promise<Bundle> {
  if (!isFingerprint(fingerprint)) throw new TypeError(`${fingerprint} is not a fingerprint.`);
  const { client, signal } = sources;
  const said = await askService(client, fingerprint, signal);
  if (said.kind !== 'found' || said.value.source === 'public') {
    throw new ApiError('NOT_FOUND', 404, 'The service has nothing about this file.');
  }
  const { manifestId, artifact } = said.value;
  const { manifestUrl } = await client.getManifest({ manifestId }, { signal });
  const cardUrl = artifact?.c2paAssets.signedAssetUrl ?? new URL(`${manifestId}.png`, manifestUrl).href;
  const [manifest, report, card, chain] = await Promise.all([
    client.manifestBytes(manifestId, { signal }),
    client.download(manifestUrl, { signal }),
    client.download(cardUrl, { signal }),
    sources.chain && recordChain(fingerprint, sources, sources.chain).catch(throwAsSdkError),
  ]);
  return parseBundle({
    version: VERSION,
    madeAt: new Date().toISOString(),
    service: client.baseUrl,
    fingerprint,
    manifestId,
    manifest: base64Of(manifest),
    report: jsonOf(report),
    card: base64Of(card),
    ...(artifact && { artifact }),
    ...(chain && { chain }),
  });
}

async function recordChain(
  fingerprint: Fingerprint,
  { client, signal }: BundleSources,
  source: ChainSource,
): Promise<ChainRecord | undefined> {
  const node = connectToNode(source.rpcUrl, signal);
  const place = await addressAt(source, client, signal);
  const found = place && (await readChain(node, fingerprint, place, signal));
  if (found?.kind !== 'found') return undefined;
  const { chainId, address, entry, registration } = found.value;
  // What a stranger wrote is none of the service's records.
  if (entry.source === 'public') return undefined;
  const record = { chainId, address, entry: { ...entry, source: entry.source, endpoints: [...entry.endpoints] } };
  if (!registration) return record;
  const { readBlockByHash, readReceiptJson } = await import('./chain.js');
  const [receipt, block] = await Promise.all([
    readReceiptJson(node, registration.transactionHash),
    readBlockByHash(node, registration.blockHash),
  ]);
  return receipt && block ? { ...record, receipt, block } : record;
}

/** Throws InvalidResponseError. */
export function parseBundle(json: unknown): Bundle {
  if (fits(Bundle, json)) return json;
  const { version } = fits(Type.Object({ version: Type.Integer() }), json) ? json : {};
  const isOther = version !== undefined && version !== VERSION;
  throw new InvalidResponseError(
    isOther ? `Bundles of version ${version} are not known here.` : 'This is not a bundle.',
  );
}

export interface BundleOptions {
  /** Of the file in hand; without it, the bundle is checked for the file that it says it is about. */
  readonly fingerprint?: string | undefined;
  /** Without it nothing is asked over the network. */
  readonly chain?: ChainSource | undefined;
  readonly trustAnchorsPem?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function verifyBundle(bundle: Bundle, options: BundleOptions = {}): Promise<Verification> {
  const { fingerprint = bundle.fingerprint, trustAnchorsPem, signal } = options;
  if (!isFingerprint(fingerprint)) throw new TypeError(`${fingerprint} is not a fingerprint.`);
  const manifest = await asked(signal, () => readWord(bytesOf(bundle.manifest), 'the bundle', trustAnchorsPem));
  const copy = bundle.chain && (await readCopy(bundle.chain, fingerprint));
  const live = options.chain && (await askAgain(bundle.chain, fingerprint, options.chain, signal));
  const chain = live ?? (copy ? { kind: 'found', value: copy.word } : unasked('the bundle has no record of the chain'));
  const chainFaults = [...(copy?.faults ?? []), ...(live && copy ? differences(copy.word, live) : [])];
  const registry = copyOfService(bundle);
  return judge({ fingerprint, registry, chain, chainFaults, manifest, hasTrustAnchors: trustAnchorsPem !== undefined });
}

function copyOfService({ service, manifestId, artifact, report }: Bundle): Answer<RegistryEvidence> {
  return { kind: 'found', value: { isCopy: true, service, manifestId, artifact, report: summaryOf(report) } };
}

function askAgain(
  record: ChainRecord | undefined,
  fingerprint: Fingerprint,
  { rpcUrl, address }: ChainSource,
  signal: AbortSignal | undefined,
): Promise<Answer<ChainEvidence>> {
  return asked<ChainEvidence>(signal, async () => {
    const known = address ?? record?.address;
    if (known === undefined) return unasked('the address of the contract is not known');
    const node = connectToNode(rpcUrl, signal);
    const place = { address: known, addressFrom: address === undefined ? 'bundle' : 'caller' } as const;
    return readChain(node, fingerprint, { ...place, expectedChainId: record?.chainId }, signal);
  });
}

/** The chain's word as the bundle has it, and what in it does not fit together. */
async function readCopy({ chainId, address, entry, receipt, block }: ChainRecord, fingerprint: Fingerprint) {
  const { BlockJson, ReceiptJson, registrationIn } = await import('./chain.js');
  const word: ChainEvidence = { isCopy: true, chainId, address, addressFrom: 'bundle', entry };
  if (receipt === undefined) return { word, faults: [] };
  const registered = fits(ReceiptJson, receipt) ? registrationIn(receipt, address, fingerprint) : undefined;
  if (!registered)
    return { word, faults: ['The receipt in the bundle is not of a transaction that registered this file.'] };
  const { manifestId, ...registration } = registered;
  const found: [boolean, string][] = [
    [
      manifestId !== entry.manifestId,
      say`The bundle names the manifest ${entry.manifestId} as that on chain, and its receipt ${manifestId}.`,
    ],
    [
      !fits(BlockJson, block) || block.hash !== registration.blockHash || Number(block.timestamp) !== entry.timestamp,
      'The block in the bundle is not the one of its receipt and its time.',
    ],
  ];
  const faults = found.filter(([isWrong]) => isWrong).map(([, fault]) => fault);
  return { word: { ...word, registration }, faults };
}

/** Endpoints may have changed since; nothing else can. */
function differences(copy: ChainEvidence, live: Answer<ChainEvidence>): string[] {
  if (live.kind === 'nothing')
    return ['The bundle says that this file is on chain, and the contract has no entry of it.'];
  if (live.kind !== 'found') return [];
  const shown = ({ entry }: ChainEvidence) =>
    JSON.stringify([entry.source, entry.manifestId, entry.manifestHash, entry.registeredBy, entry.timestamp]);
  if (shown(copy) === shown(live.value)) return [];
  return [
    say`The bundle says that the chain has the manifest ${copy.entry.manifestId}, ${when(copy)}; it has ${live.value.entry.manifestId}, ${when(live.value)}.`,
  ];
}

function when({ entry }: ChainEvidence): string {
  return say`written by ${entry.registeredBy} on ${new Date(entry.timestamp * 1000).toISOString()}`;
}
