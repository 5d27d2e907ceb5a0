// Verification that does not rely on any single source: each is read independently, then all are compared.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { createClient, type RegistryClient, SIDECAR_MEDIA_TYPE } from '../client.js';
import { InvalidArgumentError, InvalidResponseError } from '../errors.js';
import { linkSignals } from '../signals.js';
import { type Evidence, expectedManifestId } from './contradictions.js';
import {
  type ChainEvidence,
  evidenceOf,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
  skip,
  tryRead,
} from './evidence.js';
import { extractCertificates, type RootSet, readManifest, type TrustRoots } from './manifest.js';
import type { LookupQuestion } from './privateLookup.js';
import { type DisclosureLog, readRegistry, recordDisclosure, undefinedIfNotFound } from './registry.js';
import { readServiceInfo, type ServiceInfo } from './serviceInfo.js';
import type { ReadContent } from './signedCopies.js';
import type { IndependentSource, Verification } from './types.js';
import { buildVerification } from './verdict.js';

/**
 * The chain as the caller knows it from elsewhere than from the service. What is left out is taken from the service, and
 * the result says so.
 * @example
 * ```ts
 * const chain: ChainSource = { rpcUrl: 'https://rpc.example', address: '0x5FbDB2315678afecb367f032d93F642f64180aa3' };
 * ```
 */
export interface ChainSource {
  /** JSON-RPC nodes of the chain. Several must agree. */
  readonly rpcUrl?: string | readonly string[] | undefined;
  /** The contract. */
  readonly address?: string | undefined;
  readonly chainId?: number | undefined;
}

/**
 * The sources that {@link verify} reads. Everything in `chain`, `trustAnchorsPem` and `timestampAnchorsPem` counts as
 * obtained elsewhere than from the service: do not pass on what the service told you.
 * @example
 * ```ts
 * const options: VerifyOptions = { client, chain: { rpcUrl, address }, trustAnchorsPem };
 * ```
 */
export interface VerifyOptions {
  readonly client?: RegistryClient | undefined;
  readonly chain?: ChainSource | undefined;
  /** PEM certificates of the authorities that issue the certificates of trusted signers. */
  readonly trustAnchorsPem?: string | undefined;
  /** Those of time-stamp authorities; default: `trustAnchorsPem`. */
  readonly timestampAnchorsPem?: string | undefined;
  /** The signed manifest (`.c2pa`), if you have it. */
  readonly manifest?: Uint8Array | undefined;
  /** Sources that must confirm independently of the service; otherwise the verdict is `incomplete`. */
  readonly require?: readonly IndependentSource[] | undefined;
  /**
   * `prefix`, the default: the service is asked for all fingerprints that start with the same digits, and does not learn
   * which file is checked unless it has it. `fingerprint`: it is sent the fingerprint.
   */
  readonly lookup?: LookupQuestion['kind'] | undefined;
  /** Time limit for each source; 30 seconds by default, and 3 for the service when you name a node and trust anchors. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const SOURCE_TIMEOUT_MS = 30_000;
/** The service is not needed then: it may be gone for good. */
const DISPENSABLE_SERVICE_TIMEOUT_MS = 3_000;

/**
 * Finds out what the service, the chain and the signed manifest say about a file, and whether they agree.
 * @throws InvalidArgumentError when the fingerprint is malformed, or the trust anchors contain no certificate. Sources
 * that fail do not throw: their checks are `unavailable`.
 * @example
 * ```ts
 * const { verdict, facts } = await verify(fingerprint, { client, chain: { rpcUrl: 'https://rpc.example' } });
 * for (const { name, value, evidence } of facts) console.log(name, value, evidence);
 * ```
 */
export function verify(fingerprint: string, options: VerifyOptions): Promise<Verification> {
  return verifyWithContent(fingerprint, options, undefined);
}

/** Verifies with what was read in the file, which may show that it is a signed copy. */
export async function verifyWithContent(
  fingerprint: string,
  options: VerifyOptions,
  content: ReadContent | undefined,
): Promise<Verification> {
  requireFingerprint(fingerprint);
  const callerRoots = readCallerRoots(options);
  const disclosures: DisclosureLog = { kind: options.lookup ?? 'prefix', lookup: undefined, isChainKnown: false };
  const firstRegistry = await tryReadRegistry(fingerprint, disclosures, options);
  const info = await tryReadServiceInfo(firstRegistry, options);
  // After the service, so that the chain already has what the service reports as registered.
  const transactionHash = evidenceOf(firstRegistry)?.registration?.transactionHash;
  const chain = await tryReadChain(fingerprint, { info, transactionHash, disclosures }, options);
  const registry = isBehindChain(firstRegistry, chain)
    ? await rereadRegistry(fingerprint, disclosures, options)
    : firstRegistry;
  const roots = { caller: callerRoots, service: info?.roots, issuer: info?.issuer };
  const manifest = await findManifest({ registry, chain }, { roots, disclosures }, options);
  const evidence = {
    fingerprint,
    registry,
    chain,
    manifest,
    hasTrustAnchors: callerRoots !== undefined,
    isNodeFromCaller: listNodes(options.chain).length > 0,
    statedContract: info?.contract,
    content,
  };
  const { lookup } = disclosures;
  return { ...buildVerification(evidence, options.require), ...(lookup && { lookup }) };
}

export function requireFingerprint(text: string): asserts text is Fingerprint {
  if (!isFingerprint(text)) throw new InvalidArgumentError(`${text} is not a fingerprint.`);
}

/** Undefined when the caller named no trust anchors. */
export function readCallerRoots(
  options: Pick<VerifyOptions, 'trustAnchorsPem' | 'timestampAnchorsPem'>,
): RootSet | undefined {
  const { trustAnchorsPem, timestampAnchorsPem = trustAnchorsPem } = options;
  if (trustAnchorsPem === undefined) return undefined;
  const signer = extractCertificates(trustAnchorsPem);
  if (signer === '') throw new InvalidArgumentError('The trust anchors contain no certificate.');
  return { signer, timestamp: extractCertificates(timestampAnchorsPem ?? '') };
}

export function listNodes(chain: ChainSource | undefined): readonly string[] {
  const { rpcUrl = [] } = chain ?? {};
  return typeof rpcUrl === 'string' ? [rpcUrl] : rpcUrl;
}

/** Reads a source within a time limit; a source that takes longer has failed. */
async function tryReadWithin<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<SourceResult<T>>,
): Promise<SourceResult<T>> {
  const { signal, abort, release } = linkSignals(caller);
  const timer = setTimeout(() => abort(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    return await tryRead(caller, () => read(signal));
  } finally {
    clearTimeout(timer);
    release();
  }
}

function serviceTimeout({ timeoutMs, chain, trustAnchorsPem }: VerifyOptions): number {
  const isDispensable = listNodes(chain).length > 0 && chain?.address !== undefined && trustAnchorsPem !== undefined;
  return timeoutMs ?? (isDispensable ? DISPENSABLE_SERVICE_TIMEOUT_MS : SOURCE_TIMEOUT_MS);
}

async function tryReadRegistry(
  fingerprint: Fingerprint,
  disclosures: DisclosureLog,
  options: VerifyOptions,
): Promise<SourceResult<RegistryEvidence>> {
  const { client } = options;
  if (!client) return skip('no service was given');
  return tryReadWithin(serviceTimeout(options), options.signal, (signal) =>
    readRegistry(client, fingerprint, disclosures, signal),
  );
}

/** Undefined when the service does not tell. */
async function tryReadServiceInfo(
  registry: SourceResult<RegistryEvidence>,
  options: VerifyOptions,
): Promise<ServiceInfo | undefined> {
  const { client } = options;
  if (!client || registry.kind === 'failed') return undefined;
  const result = await tryReadWithin<ServiceInfo>(serviceTimeout(options), options.signal, async (signal) => ({
    kind: 'found',
    value: await readServiceInfo(client, signal),
  }));
  return evidenceOf(result);
}

/** The service may have registered the file after it was asked. */
function isBehindChain(registry: SourceResult<RegistryEvidence>, chain: SourceResult<ChainEvidence>): boolean {
  if (evidenceOf(chain)?.entry.source !== 'curated') return false;
  return registry.kind === 'absent' || evidenceOf(registry)?.registration?.status === 'pending';
}

/** A service that cannot read the chain finds less, and reports that. */
async function rereadRegistry(
  fingerprint: Fingerprint,
  disclosures: DisclosureLog,
  options: VerifyOptions,
): Promise<SourceResult<RegistryEvidence>> {
  const { client } = options;
  const registry = await tryReadRegistry(fingerprint, disclosures, options);
  if (!client || registry.kind !== 'absent') return registry;
  return tryReadWithin<RegistryEvidence>(serviceTimeout(options), options.signal, async (signal) => {
    const { status } = await client.getServiceStatus({ signal });
    if (status === 'ok') return registry;
    return { kind: 'failed', reason: `the service has no record, and its status is ${status}` };
  });
}

/** Reads the nodes and the contract that the caller named, or else those that the service names. */
async function tryReadChain(
  fingerprint: Fingerprint,
  {
    info,
    transactionHash,
    disclosures,
  }: { info: ServiceInfo | undefined; transactionHash: string | null | undefined; disclosures: DisclosureLog },
  { chain, timeoutMs = SOURCE_TIMEOUT_MS, signal: caller }: VerifyOptions,
): Promise<SourceResult<ChainEvidence>> {
  const own = listNodes(chain);
  const stated = info?.contract.rpcUrl;
  const rpcUrls = own.length > 0 ? own : stated === undefined ? [] : [stated];
  const address = chain?.address ?? info?.contract.address;
  if (rpcUrls.length === 0) return skip('no node of the chain was given');
  if (address === undefined) return skip('the address of the contract is not known');
  // The node of the service would learn what the service was not told.
  if (own.length === 0 && disclosures.lookup?.isFileNamed === false) return skip(describeSkippedNode(disclosures));
  return tryReadWithin(timeoutMs, caller, async (signal) => {
    const { readChain } = await import('./chain.js');
    const location = {
      rpcUrls,
      from: own.length > 0 ? 'caller' : 'service',
      address,
      addressFrom: chain?.address === undefined ? 'service' : 'caller',
      expectedChainId: chain?.chainId,
      transactionHash,
    } as const;
    return readChain(fingerprint, location, signal);
  });
}

function describeSkippedNode({ isChainKnown }: DisclosureLog): string {
  return isChainKnown
    ? 'the node that the service names would learn which file this is; according to the service, the chain has no entry'
    : 'the node that the service names would learn which file this is, and the service has not read the latest blocks';
}

/** Reads the manifest that the caller has, or the one that the chain or the service names. */
async function findManifest(
  evidence: Pick<Evidence, 'registry' | 'chain'>,
  { roots, disclosures }: { readonly roots: TrustRoots; readonly disclosures: DisclosureLog },
  options: VerifyOptions,
): Promise<SourceResult<ManifestEvidence>> {
  const { manifest, signal: caller } = options;
  if (manifest) return tryRead(caller, () => parseManifest(manifest, 'the given file', roots));
  const id = expectedManifestId(evidence);
  if (id === undefined) return resultWithoutId(evidence);
  let result: SourceResult<ManifestEvidence> = skip('the service that has the manifest is unavailable');
  for (const { from, download } of listManifestSources(id, evidence, disclosures, options)) {
    const next = await tryReadWithin<ManifestEvidence>(serviceTimeout(options), caller, async (signal) => {
      const sidecar = await undefinedIfNotFound(() => download(signal));
      return sidecar ? parseManifest(sidecar, from, roots) : { kind: 'absent' };
    });
    if (next.kind === 'found' || next.kind === 'invalid') return next;
    if (result.kind === 'skipped' || result.kind === 'absent') result = next;
  }
  return result;
}

function resultWithoutId({ registry, chain }: Pick<Evidence, 'registry' | 'chain'>): SourceResult<never> {
  const wasAnySourceRead = [registry, chain].some(({ kind }) => kind === 'absent' || kind === 'found');
  return wasAnySourceRead ? { kind: 'absent' } : skip('no source named a manifest');
}

export async function parseManifest(
  sidecar: Uint8Array,
  from: string,
  roots: TrustRoots,
): Promise<SourceResult<ManifestEvidence>> {
  try {
    return { kind: 'found', value: await readManifest(sidecar, from, roots) };
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
  disclosures: DisclosureLog,
  { client }: VerifyOptions,
): ManifestSource[] {
  const own = client && `${client.baseUrl}/api/c2pa`;
  const isReachable = registry.kind !== 'failed';
  const download = (from: RegistryClient) => (signal: AbortSignal) => {
    recordDisclosure(disclosures);
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
