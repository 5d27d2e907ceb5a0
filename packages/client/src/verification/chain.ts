// Reads the registry contract's data about a file. Imported on demand, since decoding needs a large library.

import {
  findRegistrationIn,
  findRegistrationLog,
  type JsonRpcClient,
  type ReceiptJson,
  type RegistrationLog,
  readChainId,
  readEntry,
} from '@provenance-registry/chain-client';
import type { Fingerprint } from '@provenance-registry/core';
import { InvalidResponseError } from '../errors.js';
import type { ChainEvidence, Registration, SourceResult } from './evidence.js';

export { BlockJson, ReceiptJson, readBlockByHash, readReceiptJson } from '@provenance-registry/chain-client';
export { connectToNode, throwAsSdkError } from './node.js';

export interface ContractLocation {
  readonly address: string;
  readonly addressFrom: ChainEvidence['addressFrom'];
  readonly expectedChainId: number | undefined;
}

export async function readChain(
  node: JsonRpcClient,
  fingerprint: Fingerprint,
  { address, addressFrom, expectedChainId }: ContractLocation,
  signal: AbortSignal | undefined,
): Promise<SourceResult<ChainEvidence>> {
  const chainId = await readChainId(node);
  if (expectedChainId !== undefined && chainId !== expectedChainId) {
    throw new InvalidResponseError(`The registry is on chain ${expectedChainId}, but the node is on chain ${chainId}.`);
  }
  const entry = await readEntry(node, address, fingerprint);
  if (!entry) return { kind: 'absent' };
  // Optional: some nodes cannot search logs, and the entry has everything except the transaction.
  const log = await findRegistrationLog(node, address, fingerprint, entry).catch(() => signal?.throwIfAborted());
  const registration = log && { registration: toRegistration(log) };
  return { kind: 'found', value: { chainId, address, addressFrom, entry, ...registration } };
}

/** The registration of this fingerprint in a receipt, with the manifest id that it has there. */
export function findRegistration(
  { logs, transactionHash, blockNumber, blockHash }: ReceiptJson,
  address: string,
  fingerprint: Fingerprint,
): (Registration & { readonly manifestId: string }) | undefined {
  const log = findRegistrationIn(logs, address, fingerprint);
  return log && { manifestId: log.manifestId, transactionHash, blockNumber: Number(blockNumber), blockHash };
}

function toRegistration({ transactionHash, blockNumber, blockHash }: RegistrationLog): Registration {
  return { transactionHash, blockNumber: Number(blockNumber), blockHash };
}
