// Compares the proof of a block with what the caller knows: the hash of the block, the contract, the chain, and nodes.

import type { JsonRpcClient } from '@provenance-registry/chain-client';
import { problems as problemTexts } from '../explanations.js';
import { type Inconsistency, type SourceResult, tryRead } from './evidence.js';
import { type ChainSource, listNodes } from './options.js';

interface ProvenBlock {
  readonly blockHash: string;
  /** Of the contract, in lower case. */
  readonly address: string;
  readonly chainId: number;
}

export interface NamedBlock {
  readonly blockHash: string | undefined;
  readonly address: string | undefined;
  readonly chainId: number | undefined;
}

export function compareWithNamed(proven: ProvenBlock, named: NamedBlock): Inconsistency[] {
  const { blockHash, address, chainId } = named;
  const rules = [
    [
      blockHash === undefined || blockHash.toLowerCase() === proven.blockHash,
      'BLOCK_MISMATCH',
      problemTexts.BLOCK_MISMATCH.compared(blockHash, proven.blockHash),
    ],
    [
      address === undefined || address.toLowerCase() === proven.address,
      'CONTRACT_MISMATCH',
      problemTexts.CONTRACT_MISMATCH.bundle(address, proven.address),
    ],
    [
      chainId === undefined || chainId === proven.chainId,
      'CHAIN_ID_MISMATCH',
      problemTexts.CHAIN_ID_MISMATCH.bundle(chainId, proven.chainId),
    ],
  ] as const;
  return rules.flatMap(([holds, code, reason]) => (holds ? [] : [{ code, reason }]));
}

/** Asks each of the caller's nodes. */
export async function askNodes<T>(
  { chain, signal }: { readonly chain?: ChainSource | undefined; readonly signal?: AbortSignal | undefined },
  ask: (node: JsonRpcClient) => Promise<T>,
): Promise<SourceResult<T>[]> {
  const { connectToNode } = await import('./bundleProof.js');
  const asking = listNodes(chain).map((rpcUrl) =>
    tryRead<T>(signal, async () => ({
      kind: 'found',
      value: await ask(connectToNode(rpcUrl, signal, chain?.fetch)),
    })),
  );
  return Promise.all(asking);
}
