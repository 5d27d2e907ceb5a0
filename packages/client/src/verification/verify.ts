// Verification that does not rely on any single source: each is read independently, then all are compared.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { createClient, type RegistryClient, SIDECAR_MEDIA_TYPE } from '../client.js';
import { InvalidArgumentError, InvalidResponseError } from '../errors.js';
import type { ContractLocation } from './chain.js';
import type { Verification } from './checks.js';
import { type Evidence, expectedManifestId } from './contradictions.js';
import {
  type ChainEvidence,
  type ManifestEvidence,
  type RegistryEvidence,
  type SourceResult,
  skip,
  tryRead,
} from './evidence.js';
import { readManifest } from './manifest.js';
import { orNotFound, readRegistry } from './registry.js';
import { buildVerification } from './verdict.js';

/**
 * How to read the registry contract. The result of `client.getContract()` has this form.
 * @example
 * ```ts
 * const chain: ChainSource = { rpcUrl: 'https://rpc.example', address: '0x5FbDB2315678afecb367f032d93F642f64180aa3' };
 * ```
 */
export interface ChainSource {
  /** A JSON-RPC node of the chain. Without it, the chain is not checked. */
  readonly rpcUrl?: string | undefined;
  /** The contract, from a source that you trust. Without it, the service's word is taken, and the result says so. */
  readonly address?: string | undefined;
}

/**
 * The sources that {@link verify} reads. Those that are missing are reported as `unavailable`.
 * @example
 * ```ts
 * const options: VerifyOptions = { client, chain: { rpcUrl, address }, trustAnchorsPem };
 * ```
 */
export interface VerifyOptions {
  readonly client?: RegistryClient | undefined;
  readonly chain?: ChainSource | undefined;
  /** PEM certificates of trusted signers. Without them the signature is checked, but not the identity of the signer. */
  readonly trustAnchorsPem?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds out what the service, the chain and the signed manifest say about a file, and whether they agree.
 * @throws InvalidArgumentError when the fingerprint is malformed. Sources that fail do not throw: their checks are
 * `unavailable`.
 * @example
 * ```ts
 * const { rpcUrl } = await client.getContract();
 * const { verdict, checks } = await verify(fingerprint, { client, chain: { rpcUrl, address: knownAddress } });
 * console.log(verdict, checks.chain.proves);
 * ```
 */
export async function verify(fingerprint: string, options: VerifyOptions): Promise<Verification> {
  requireFingerprint(fingerprint);
  const { trustAnchorsPem, signal } = options;
  const firstRegistry = await tryReadRegistry(fingerprint, options);
  // After the service, so that the chain already has what the service reports as registered.
  const chain = await tryReadChain(fingerprint, options);
  const isBehindChain = firstRegistry.kind === 'absent' && chain.kind === 'found';
  const registry = isBehindChain ? await rereadRegistry(fingerprint, options) : firstRegistry;
  const manifest = await tryRead(signal, () => findManifest({ registry, chain }, options));
  return buildVerification({ fingerprint, registry, chain, manifest, hasTrustAnchors: trustAnchorsPem !== undefined });
}

export function requireFingerprint(text: string): asserts text is Fingerprint {
  if (!isFingerprint(text)) throw new InvalidArgumentError(`${text} is not a fingerprint.`);
}

async function tryReadRegistry(
  fingerprint: Fingerprint,
  { client, signal }: VerifyOptions,
): Promise<SourceResult<RegistryEvidence>> {
  return client ? tryRead(signal, () => readRegistry(client, fingerprint, signal)) : skip('no service was given');
}

/** The file may have been registered in between. A service that cannot read the chain finds less, and reports that. */
async function rereadRegistry(
  fingerprint: Fingerprint,
  options: VerifyOptions,
): Promise<SourceResult<RegistryEvidence>> {
  const { client, signal } = options;
  const registry = await tryReadRegistry(fingerprint, options);
  if (!client || registry.kind !== 'absent') return registry;
  return tryRead<RegistryEvidence>(signal, async () => {
    const { status } = await client.getServiceStatus({ signal });
    if (status === 'ok') return registry;
    return { kind: 'failed', reason: `the service has no record, and its status is ${status}` };
  });
}

async function tryReadChain(
  fingerprint: Fingerprint,
  { client, chain, signal }: VerifyOptions,
): Promise<SourceResult<ChainEvidence>> {
  const rpcUrl = chain?.rpcUrl;
  if (!chain || rpcUrl === undefined) return skip('no node of the chain was given');
  return tryRead<ChainEvidence>(signal, async () => {
    const location = await locateContract(chain, client, signal);
    if (!location) return skip('the address of the contract is not known');
    const { connectToNode, readChain } = await import('./chain.js');
    return readChain(connectToNode(rpcUrl, signal), fingerprint, location, signal);
  });
}

/** The contract's address from the caller, or else from the service. */
export async function locateContract(
  { address }: ChainSource,
  client: RegistryClient | undefined,
  signal: AbortSignal | undefined,
): Promise<ContractLocation | undefined> {
  if (address !== undefined) return { address, addressFrom: 'caller', expectedChainId: undefined };
  const contract = await client?.getContract({ signal });
  return contract && { address: contract.address, addressFrom: 'service', expectedChainId: contract.chainId };
}

/** Reads the manifest that the chain or the service names, from the service or from the endpoints on chain. */
async function findManifest(
  evidence: Pick<Evidence, 'registry' | 'chain'>,
  { client, trustAnchorsPem, signal }: VerifyOptions,
): Promise<SourceResult<ManifestEvidence>> {
  const id = expectedManifestId(evidence);
  if (id === undefined) return resultWithoutId(evidence);
  let result: SourceResult<ManifestEvidence> = { kind: 'absent' };
  for (const { from, download } of listManifestSources(id, evidence.chain, client, signal)) {
    const next = await tryRead(signal, async () => {
      const sidecar = await orNotFound(download);
      return sidecar ? parseManifest(sidecar, from, trustAnchorsPem) : ({ kind: 'absent' } as const);
    });
    if (next.kind === 'found' || next.kind === 'invalid') return next;
    if (result.kind === 'absent') result = next;
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
  trustAnchorsPem: string | undefined,
): Promise<SourceResult<ManifestEvidence>> {
  try {
    return { kind: 'found', value: await readManifest(sidecar, from, trustAnchorsPem) };
  } catch (error) {
    if (error instanceof InvalidResponseError) return { kind: 'invalid', reason: error.message };
    throw error;
  }
}

/** Endpoints of public entries are not contacted: their authors would learn who checks which file. */
function listManifestSources(
  id: string,
  chain: SourceResult<ChainEvidence>,
  client: RegistryClient | undefined,
  signal: AbortSignal | undefined,
) {
  const service = client ? [{ from: client.baseUrl, download: () => client.manifestBytes(id, { signal }) }] : [];
  const entry = chain.kind === 'found' ? chain.value.entry : undefined;
  const endpoints = entry?.source === 'curated' ? entry.endpoints : [];
  const others = endpoints
    .filter((endpoint) => endpoint !== `${client?.baseUrl}/api/c2pa`)
    .map((endpoint) => ({
      from: endpoint,
      download: () => {
        const downloader = client ?? createClient({ baseUrl: endpoint });
        const url = `${endpoint}/manifests/${encodeURIComponent(id)}`;
        return downloader.download(url, { accept: SIDECAR_MEDIA_TYPE, signal });
      },
    }));
  return [...service, ...others];
}
