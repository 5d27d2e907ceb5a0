// The proof in a bundle that a contract registered a file: read from a node, and recomputed without one. Imported on demand,
// since decoding needs a large library.

import {
  findRegistrationIn,
  findRegistrationLog,
  InvalidProofError,
  type JsonRpcClient,
  type LoggedRegistration,
  type ProvenReceipt,
  readChainId,
  readEntry,
  readReceiptProof,
  verifyReceiptProof,
} from '@provenance-registry/chain-client';
import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import { InvalidResponseError } from '../errors.js';
import type { FileRegistration } from '../fileRegistration.js';
import type { ChainProof } from './bundleFormat.js';

export { readBlock } from '@provenance-registry/chain-client';
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
  if (timestamp >= YEAR_10000) throw new InvalidResponseError('The proof is not valid: the block has no date.');
  const registration = findRegistrationIn(logs, address, fingerprint);
  if (registration?.source !== 'curated' || registration.manifestHash === undefined) {
    throw new InvalidResponseError('The transaction in the proof did not register this file in the contract.');
  }
  const { manifestHash, source } = registration;
  return { blockHash, blockNumber, timestamp, registration: { ...registration, manifestHash, source } };
}

function verifyProof(proof: ChainProof['proof']): ProvenReceipt {
  try {
    return verifyReceiptProof(proof);
  } catch (cause) {
    if (!(cause instanceof InvalidProofError)) throw cause;
    throw new InvalidResponseError(`The proof is not valid: ${cause.message}.`, { cause });
  }
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
  if (transactionHash === undefined) return undefined;
  const [chainId, proof] = await Promise.all([
    readChainId(node),
    readReceiptProof(node, transactionHash, request.onProgress),
  ]);
  return proof && { chainId, address: request.address, proof: { ...proof, nodes: [...proof.nodes] } };
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
