// Verification that trusts nobody: every source is asked for itself, and what they say is compared.

import type { JsonRpcClient } from '@provenance-registry/chain-client';
import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { createClient, type RegistryClient, SIDECAR } from '../client.js';
import { InvalidResponseError } from '../errors.js';
import { type Evidence, expectedId } from './contradictions.js';
import type { Answer, ChainEvidence, ManifestEvidence, RegistryEvidence } from './evidence.js';
import { readManifest } from './manifest.js';
import { connectToNode } from './node.js';
import { askService, orNothing } from './registry.js';
import { judge, type Verification } from './verdict.js';

export interface ChainSource {
  /** A JSON-RPC node of the chain. */
  readonly rpcUrl: string;
  /** Of the contract; without it, the one that the service tells, and the result says so. */
  readonly address?: string | undefined;
}

export interface Sources {
  readonly client?: RegistryClient | undefined;
  readonly chain?: ChainSource | undefined;
  /** Whose signatures count. Without it the signature is checked, but not who stands behind it. */
  readonly trustAnchorsPem?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function verify(fingerprint: string, sources: Sources): Promise<Verification> {
  if (!isFingerprint(fingerprint)) throw new TypeError(`${fingerprint} is not a fingerprint.`);
  const { trustAnchorsPem, signal } = sources;
  const said = await askRegistry(fingerprint, sources);
  // Later than the service: what that has just sent to the chain is there by now.
  const chain = sources.chain
    ? await asked(signal, () => askChain(fingerprint, sources))
    : unasked('no node of the chain was given');
  const isBehind = said.kind === 'nothing' && chain.kind === 'found';
  const registry = isBehind ? await askRegistryAgain(fingerprint, sources) : said;
  const manifest = await asked(signal, () => findManifest({ registry, chain }, sources));
  return judge({ fingerprint, registry, chain, manifest, hasTrustAnchors: trustAnchorsPem !== undefined });
}

/** Whoever asks may stop it; everything else that goes wrong with a source is a fact about that source. */
export async function asked<T>(signal: AbortSignal | undefined, ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

export function unasked(reason: string): Answer<never> {
  return { kind: 'unasked', reason };
}

async function askRegistry(fingerprint: Fingerprint, { client, signal }: Sources): Promise<Answer<RegistryEvidence>> {
  return client ? asked(signal, () => askService(client, fingerprint, signal)) : unasked('no service was given');
}

/** It may have been registered in between; and a service that cannot read the chain finds less, and says that it cannot. */
async function askRegistryAgain(fingerprint: Fingerprint, sources: Sources): Promise<Answer<RegistryEvidence>> {
  const { client, signal } = sources;
  const again = await askRegistry(fingerprint, sources);
  if (!client || again.kind !== 'nothing') return again;
  return asked<RegistryEvidence>(signal, async () => {
    const { status } = await client.getServiceStatus({ signal });
    if (status === 'ok') return again;
    return { kind: 'failed', reason: `the service finds nothing, and says that it is ${status}` };
  });
}

async function askChain(fingerprint: Fingerprint, { client, chain, signal }: Sources): Promise<Answer<ChainEvidence>> {
  const place = chain && (await addressAt(chain, client, signal));
  if (!place) return unasked('the address of the contract is not known');
  return readChain(connectToNode(chain.rpcUrl, signal), fingerprint, place, signal);
}

interface ExpectedPlace {
  readonly address: string;
  readonly addressFrom: ChainEvidence['addressFrom'];
  readonly expectedChainId: number | undefined;
}

/** Where the contract is, as the caller or else the service says. */
export async function addressAt(
  { address }: ChainSource,
  client: RegistryClient | undefined,
  signal: AbortSignal | undefined,
): Promise<ExpectedPlace | undefined> {
  if (address !== undefined) return { address, addressFrom: 'caller', expectedChainId: undefined };
  const told = await client?.getContract({ signal });
  return told && { address: told.address, addressFrom: 'service', expectedChainId: told.chainId };
}

export async function readChain(
  node: JsonRpcClient,
  fingerprint: Fingerprint,
  { address, addressFrom, expectedChainId }: ExpectedPlace,
  signal: AbortSignal | undefined,
): Promise<Answer<ChainEvidence>> {
  const { findRegistration, readChainId, readEntry } = await import('./chain.js');
  const chainId = await readChainId(node);
  if (expectedChainId !== undefined && chainId !== expectedChainId) {
    throw new InvalidResponseError(`The registry is on chain ${expectedChainId}, and the node is on chain ${chainId}.`);
  }
  const entry = await readEntry(node, address, fingerprint);
  if (!entry) return { kind: 'nothing' };
  // Many a node does not search; the entry says everything but the transaction.
  const registration = await findRegistration(node, address, fingerprint, entry).catch(() => signal?.throwIfAborted());
  return { kind: 'found', value: { chainId, address, addressFrom, entry, ...(registration && { registration }) } };
}

/** The manifest that the chain or the service names, from the service or from where the chain says that it is. */
async function findManifest(
  evidence: Pick<Evidence, 'registry' | 'chain'>,
  { client, trustAnchorsPem, signal }: Sources,
): Promise<Answer<ManifestEvidence>> {
  const id = expectedId(evidence);
  if (id === undefined) return nobodyNamed(evidence);
  let last: Answer<ManifestEvidence> = { kind: 'nothing' };
  for (const { from, get } of placesOf(id, evidence.chain, client, signal)) {
    const found = await asked(signal, async () => {
      const sidecar = await orNothing(get);
      return sidecar ? readWord(sidecar, from, trustAnchorsPem) : ({ kind: 'nothing' } as const);
    });
    if (found.kind === 'found' || found.kind === 'unfit') return found;
    if (last.kind === 'nothing') last = found;
  }
  return last;
}

function nobodyNamed({ registry, chain }: Pick<Evidence, 'registry' | 'chain'>): Answer<never> {
  const anyAnswer = [registry, chain].some(({ kind }) => kind === 'nothing' || kind === 'found');
  return anyAnswer ? { kind: 'nothing' } : unasked('nobody named a manifest');
}

export async function readWord(
  sidecar: Uint8Array,
  from: string,
  trustAnchorsPem: string | undefined,
): Promise<Answer<ManifestEvidence>> {
  try {
    return { kind: 'found', value: await readManifest(sidecar, from, trustAnchorsPem) };
  } catch (error) {
    if (error instanceof InvalidResponseError) return { kind: 'unfit', reason: error.message };
    throw error;
  }
}

/** What strangers wrote on chain is not followed: it would tell them who looks at which file. */
function placesOf(
  id: string,
  chain: Answer<ChainEvidence>,
  client: RegistryClient | undefined,
  signal: AbortSignal | undefined,
): { from: string; get: () => Promise<Uint8Array> }[] {
  const own = client ? [{ from: client.baseUrl, get: () => client.manifestBytes(id, { signal }) }] : [];
  const entry = chain.kind === 'found' ? chain.value.entry : undefined;
  const endpoints = entry?.source === 'curated' ? entry.endpoints : [];
  const others = endpoints
    .filter((endpoint) => endpoint !== `${client?.baseUrl}/api/c2pa`)
    .map((endpoint) => ({
      from: endpoint,
      get: () => {
        const asking = client ?? createClient({ baseUrl: endpoint });
        return asking.download(`${endpoint}/manifests/${encodeURIComponent(id)}`, { accept: SIDECAR, signal });
      },
    }));
  return [...own, ...others];
}
