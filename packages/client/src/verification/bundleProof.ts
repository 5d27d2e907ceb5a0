// The proofs in a bundle that a contract registered a file, and that one anchored the log: read from a node, and recomputed without
// one. Imported on demand, since decoding needs a large library.

import {
  findAnchorsIn,
  findRegistrationIn,
  findRegistrationLog,
  InvalidProofError,
  type JsonRpcClient,
  type LoggedRegistration,
  type ProvenReceipt,
  readBlockHeader,
  readChainId,
  readEntry,
  readReceiptJson,
  readReceiptProof,
  verifyReceiptProof,
} from '@provenance-registry/chain-client';
import { type Fingerprint, isFingerprint, type PublishedAnchor } from '@provenance-registry/core';
import { InvalidResponseError } from '../errors.js';
import type { FileRegistration } from '../fileRegistration.js';
import type { AnchorProof, ChainProof } from './bundleFormat.js';

export { readBlock, readChainId } from '@provenance-registry/chain-client';
export { connectToNode, throwAsSdkError } from './chainNode.js';

/** What a proof shows about a file. */
export interface ProvenRegistration extends Omit<ProvenReceipt, 'logs' | 'isSuccess'> {
  readonly registration: LoggedRegistration & { readonly source: 'curated'; readonly manifestHash: `0x${string}` };
}

/** The first second, since 1970, that has no date in four digits. */
const YEAR_10000 = 253_402_300_800;

/** Throws InvalidResponseError when the proof is invalid, or of another registration. */
export function proveRegistration({ address, proof }: ChainProof, fingerprint: Fingerprint): ProvenRegistration {
  const { logs, blockHash, blockNumber, timestamp } = verifyProof(proof);
  const registration = findRegistrationIn(logs, address, fingerprint);
  if (registration?.source !== 'curated' || registration.manifestHash === undefined) {
    throw new InvalidResponseError('The transaction in the proof did not register this file in the contract.');
  }
  const { manifestHash, source } = registration;
  return { blockHash, blockNumber, timestamp, registration: { ...registration, manifestHash, source } };
}

/** What a block shows about an anchor of the log. */
export interface AnchorBlock {
  readonly blockHash: `0x${string}`;
  readonly blockNumber: number;
  /** In seconds since 1970. */
  readonly timestamp: number;
  /** Of the tree that was anchored. */
  readonly root: `0x${string}`;
}

/** Throws InvalidResponseError when the proof is invalid, or of another anchor. */
export function proveAnchor({ address, size, proof }: AnchorProof): AnchorBlock {
  const { logs, blockHash, blockNumber, timestamp } = verifyProof(proof);
  const anchor = findAnchorsIn(logs, address).find((one) => one.size === size);
  if (!anchor) throw new InvalidResponseError('The transaction in the proof did not anchor that many leaves.');
  return { blockHash, blockNumber, timestamp, root: anchor.root };
}

/** The same from a node, which is believed; undefined when it does not have this anchor. */
export async function readAnchorBlock(
  node: JsonRpcClient,
  { address, size, transactionHash }: Pick<PublishedAnchor, 'address' | 'size' | 'transactionHash'>,
): Promise<AnchorBlock | undefined> {
  const receipt = await readReceiptJson(node, transactionHash);
  const anchor = receipt && findAnchorsIn(receipt.logs, address).find((one) => one.size === size);
  if (!anchor) return undefined;
  const { blockHash } = receipt;
  const header = await readBlockHeader(node, blockHash);
  return header && { blockHash, blockNumber: header.number, timestamp: header.timestamp, root: anchor.root };
}

function verifyProof(proof: ChainProof['proof']): ProvenReceipt {
  let proven: ProvenReceipt;
  try {
    proven = verifyReceiptProof(proof);
  } catch (cause) {
    if (!(cause instanceof InvalidProofError)) throw cause;
    throw new InvalidResponseError(`The proof is not valid: ${cause.message}.`, { cause });
  }
  if (proven.timestamp >= YEAR_10000) throw new InvalidResponseError('The proof is not valid: the block has no date.');
  return proven;
}

export interface ProofRequest {
  readonly address: string;
  readonly fingerprint: Fingerprint;
  readonly registration: FileRegistration | undefined;
  readonly onProgress: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
}

/** Undefined when the file is not on chain. */
export async function readChainProof(node: JsonRpcClient, request: ProofRequest): Promise<ChainProof | undefined> {
  const transactionHash = await findTransactionHash(node, request);
  return transactionHash && readProof(node, { ...request, transactionHash });
}

/** What a transaction logged at an address; undefined when the node does not have it. */
export async function readProof(
  node: JsonRpcClient,
  { transactionHash, address, onProgress }: Pick<ProofRequest, 'address' | 'onProgress'> & { transactionHash: string },
): Promise<ChainProof | undefined> {
  if (!isFingerprint(transactionHash)) return undefined;
  const [chainId, proof] = await Promise.all([readChainId(node), readReceiptProof(node, transactionHash, onProgress)]);
  return proof && { chainId, address, proof: { ...proof, nodes: [...proof.nodes] } };
}

/** The one that the service names saves the search, which not every node offers; the proof shows whether it is true. */
async function findTransactionHash(
  node: JsonRpcClient,
  { address, fingerprint, registration }: ProofRequest,
): Promise<`0x${string}` | undefined> {
  const stated = registration?.status === 'submitted' ? registration.transactionHash : null;
  // A transaction hash has the form of a fingerprint.
  if (stated !== null && isFingerprint(stated)) return stated;
  const entry = await readEntry(node, address, fingerprint);
  // A public entry is not the service's own registration.
  if (entry?.source !== 'curated') return undefined;
  return (await findRegistrationLog(node, address, fingerprint, entry))?.transactionHash;
}
