// Makes bundles: collects the manifest, the metadata, and the proofs of the registration on chain and in the public log, with its
// anchor.

import {
  type Artifact,
  digestOf,
  type Fingerprint,
  fingerprintOf,
  type LogReceipt,
  manifestHashOf,
  type PublishedAnchor,
} from '@provenance-registry/core';
import { encodeUtf8, isIncluded, parseReceipt, portableHasher } from '@provenance-registry/log';
import { encodeBase64 } from '../base64.js';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';
import { problems } from '../explanations.js';
import type { FileRegistration } from '../fileRegistration.js';
import { DisclosureLog } from '../lookups/disclosure.js';
import { requireFingerprint } from '../lookups/fileInput.js';
import { undefinedIfNotFound } from '../lookups/registryRecord.js';
import { type AnchorProof, BUNDLE_FORMAT, type Bundle, type ChainProof, parseBundle } from './bundleFormat.js';
import { isSameManifestId } from './evidence.js';
import { readInclusion } from './log/inclusion.js';
import { fetchReceipt } from './log/receipt.js';
import { openMirror } from './mirror/source.js';
import { type ChainSource, listNodes } from './options.js';
import { readRegistry } from './registry.js';

/** A checkpoint follows a registration within a second. */
const RECEIPT_WAIT_SECONDS = 5;

/**
 * Options of {@link makeBundle}.
 * @example
 * ```ts
 * const options: MakeBundleOptions = { client, chain: { rpcUrl: 'https://rpc.example' } };
 * ```
 */
export interface MakeBundleOptions {
  readonly client: RegistryClient;
  /** The node to read the proof from, and the contract. Default: those of the service; a proof needs no trust in them. */
  readonly chain?: ChainSource | undefined;
  /** Called while the receipts of the block are read one by one, from nodes that do not send them all at once. */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Collects what proves the registration of a file. Without a node, or before the file is on chain, the bundle has no `chain`;
 * before a checkpoint of the public log covers it, no `log`, and before an anchor on chain does, no `log.anchor`.
 * @throws ApiError with code `NOT_FOUND` when the service has no record of the file, or no manifest yet.
 * @throws InvalidResponseError when what the service or the node says is not what the chain proves.
 * @example
 * ```ts
 * const bundle = await makeBundle(fingerprint, { client });
 * await writeFile('sunrise.bundle.json', JSON.stringify(bundle));
 * ```
 */
export async function makeBundle(text: string, options: MakeBundleOptions): Promise<Bundle> {
  const fingerprint = requireFingerprint(text);
  const { client, signal } = options;
  const record = await readRegistry(client, fingerprint, new DisclosureLog('fingerprint'), signal);
  if (record.kind !== 'found' || record.value.source === 'public') {
    throw new ApiError('NOT_FOUND', 404, 'The service has no record of this file.');
  }
  const { manifestId, artifact, registration, signedCopyOf } = record.value;
  const [manifest, proven, log] = await Promise.all([
    client.manifestBytes(manifestId, { signal }),
    proveOnChain(fingerprint, manifestId, registration, options),
    readLogProof(fingerprint, options),
  ]);
  const metadata = completeMetadata(artifact, proven?.manifestHash);
  const bundle: Bundle = {
    ...BUNDLE_FORMAT,
    fingerprint,
    ...(signedCopyOf && { signedCopyOf }),
    manifestId,
    manifest: encodeBase64(manifest),
    ...(metadata && { metadata }),
    ...(proven && { chain: proven.chain }),
    ...(log && { log }),
    maker: { madeAt: new Date().toISOString(), service: client.baseUrl },
  };
  parseBundle(bundle);
  return bundle;
}

/** Undefined when the service has no log, or no checkpoint covers the file in time. */
async function readLogProof(fingerprint: Fingerprint, options: MakeBundleOptions): Promise<Bundle['log']> {
  const { client, signal } = options;
  const identity = await undefinedIfNotFound(() => client.getRegistryIdentity({ signal }));
  if (!identity?.log) return undefined;
  const found = await fetchReceipt(client, fingerprint, new DisclosureLog('fingerprint'), {
    wait: RECEIPT_WAIT_SECONDS,
    signal,
  });
  if (!found) return undefined;
  // The service's word; the signatures are in the receipt.
  const { witnessed: _, anchor: stated, ...receipt } = found;
  const anchor = stated && (await proveAnchored(receipt, stated, options));
  return { ...receipt, ...(anchor && { anchor }) };
}

/** The anchor that the service names, as the chain has it. Undefined when there is no node, or it does not have the transaction. */
async function proveAnchored(
  { receipt, leaf }: Pick<LogReceipt, 'receipt' | 'leaf'>,
  { transactionHash, address, size }: PublishedAnchor,
  { client, chain, onProgress, signal }: MakeBundleOptions,
): Promise<AnchorProof | undefined> {
  const { rpcUrl, fetch: send } = await locateRegistry(client, chain, signal);
  if (rpcUrl === undefined) return undefined;
  const { connectToNode, proveAnchor, readProof, throwAsSdkError } = await import('./bundleProof.js');
  const { index } = parseReceipt(receipt);
  const [proof, hashes] = await Promise.all([
    readProof(connectToNode(rpcUrl, signal, send), { transactionHash, address, onProgress }).catch(throwAsSdkError),
    readInclusion(openMirror(client), { index, size }, signal),
  ]);
  if (!proof) return undefined;
  const anchor = { ...proof, size, hashes: hashes.map(fingerprintOf) };
  const root = digestOf(proveAnchor(anchor).root);
  if (!isIncluded(portableHasher.hashLeaf(encodeUtf8(leaf)), { index, hashes }, { size, root })) {
    throw new InvalidResponseError(problems.ANCHOR_INVALID.otherTree);
  }
  return anchor;
}

/** Undefined when parts of it are hidden from the maker: then it does not have the hash on chain. */
function completeMetadata(artifact: Artifact | undefined, manifestHash: string | undefined) {
  if (artifact?.metadata.filename === undefined) return undefined;
  if (manifestHash !== undefined && manifestHashOf(artifact.metadata) !== manifestHash) {
    throw new InvalidResponseError('The record that the service shows does not match the hash on chain.');
  }
  return artifact.metadata;
}

/** Undefined when there is no node, or the file is not on chain. */
async function proveOnChain(
  fingerprint: Fingerprint,
  manifestId: string,
  registration: FileRegistration | undefined,
  { client, chain, onProgress, signal }: MakeBundleOptions,
): Promise<{ readonly chain: ChainProof; readonly manifestHash: string } | undefined> {
  const { rpcUrl, address, fetch: send } = await locateRegistry(client, chain, signal);
  if (rpcUrl === undefined) return undefined;
  const { connectToNode, proveRegistration, readChainProof, throwAsSdkError } = await import('./bundleProof.js');
  const request = { address: address.toLowerCase(), fingerprint, registration, onProgress };
  const proof = await readChainProof(connectToNode(rpcUrl, signal, send), request).catch(throwAsSdkError);
  if (!proof) return undefined;
  const { registration: proven } = proveRegistration(proof, fingerprint);
  if (!isSameManifestId(proven.manifestId, manifestId)) {
    throw new InvalidResponseError(
      `The service names the manifest ${manifestId}, but the chain has ${proven.manifestId}.`,
    );
  }
  return { chain: proof, manifestHash: proven.manifestHash };
}

async function locateRegistry(client: RegistryClient, chain: ChainSource | undefined, signal: AbortSignal | undefined) {
  const [rpcUrl] = listNodes(chain);
  const { address, fetch: send } = chain ?? {};
  if (rpcUrl !== undefined && address !== undefined) return { rpcUrl, address, fetch: send };
  const advertised = await client.getContract({ signal });
  const named = { rpcUrl: rpcUrl ?? advertised.rpcUrl, address: address ?? advertised.address };
  return { ...named, fetch: rpcUrl === undefined ? undefined : send };
}
