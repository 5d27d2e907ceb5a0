// Reads a registration as the chain has it now: the entry in the curated registry, and the transaction that wrote it.

import {
  createJsonRpcClient,
  findRegistrationIn,
  readEntry,
  readReceipt,
  readTransaction,
} from '@provenance-registry/chain-client';
import type { ChainRegistration, ChainRegistrations, Hex } from '../domain/ports/index.js';

/** Timeout of each of the three calls, which run at the same time. */
const CALL_TIMEOUT_MS = 2_000;

export function createRegistrationReader({
  url,
  registry,
}: {
  readonly url: string;
  readonly registry: Hex;
}): ChainRegistrations {
  const node = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS });

  async function readTransactionOf(fingerprint: Hex, hash: Hex): Promise<ChainRegistration['transaction']> {
    const [transaction, receipt] = await Promise.all([readTransaction(node, hash), readReceipt(node, hash)]);
    if (!transaction || !receipt?.isSuccess || !findRegistrationIn(receipt.logs, registry, fingerprint))
      return undefined;
    return { from: transaction.from, blockNumber: receipt.blockNumber, blockHash: receipt.blockHash };
  }

  return {
    async read(fingerprint, transactionHash) {
      try {
        const [found, transaction] = await Promise.all([
          readEntry(node, registry, fingerprint),
          readTransactionOf(fingerprint, transactionHash),
        ]);
        if (found?.source !== 'curated') return { entry: undefined, transaction };
        const { manifestId, manifestHash, registeredBy, timestamp } = found;
        return { entry: { manifestId, manifestHash, registeredBy, time: new Date(timestamp * 1000) }, transaction };
      } catch {
        return undefined;
      }
    },
  };
}
