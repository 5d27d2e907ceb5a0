// Reads from the chain what the registry contract has about a file. Imported on demand: decoding needs a large library.

import {
  findRegistrationIn,
  findRegistrationLog,
  type JsonRpcClient,
  type ReceiptJson,
  type RegistrationLog,
} from '@provenance-registry/chain-client';
import type { Fingerprint } from '@provenance-registry/core';
import type { ChainEntry, Registration } from './evidence.js';

export {
  BlockJson,
  ReceiptJson,
  readBlockByHash,
  readChainId,
  readEntry,
  readReceiptJson,
} from '@provenance-registry/chain-client';

/** The transaction that made the entry; undefined when the log does not have it. */
export async function findRegistration(
  node: JsonRpcClient,
  address: string,
  fingerprint: Fingerprint,
  entry: Pick<ChainEntry, 'source' | 'timestamp'>,
): Promise<Registration | undefined> {
  const log = await findRegistrationLog(node, address, fingerprint, entry);
  return log && registrationOf(log);
}

/** The registration of this fingerprint in a receipt, with the manifest id that it has there. */
export function registrationIn(
  { logs }: ReceiptJson,
  address: string,
  fingerprint: Fingerprint,
): (Registration & { readonly manifestId: string }) | undefined {
  const log = findRegistrationIn(logs, address, fingerprint);
  return log && { ...registrationOf(log), manifestId: log.manifestId };
}

function registrationOf({ transactionHash, blockNumber, blockHash }: RegistrationLog): Registration {
  return { transactionHash, blockNumber: Number(blockNumber), blockHash };
}
