// Headers of blocks as the node shows them now, and what events must have in common with them.

import {
  InvalidResultError,
  type JsonRpcClient,
  type RegistryEvent,
  readBlock,
} from '@provenance-registry/chain-client';
import type { Hex } from '../../domain/ports/index.js';
import { readInBatches } from './readInBatches.js';

export interface BlockFacts {
  readonly hash: Hex;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

export type Blocks = ReadonlyMap<bigint, BlockFacts>;

export async function readBlocks(node: JsonRpcClient, numbers: ReadonlySet<bigint>): Promise<Blocks> {
  return new Map(
    await readInBatches([...numbers], async (number) => [number, await requireBlock(node, number)] as const),
  );
}

export async function requireBlock(node: JsonRpcClient, number: bigint): Promise<BlockFacts> {
  const block = await readBlock(node, number);
  if (!block || BigInt(block.number) !== number) {
    throw new InvalidResultError(`the node does not have block ${number}, which it has shown before`);
  }
  return { hash: block.hash, timestamp: Number(block.timestamp) };
}

/** Throws InvalidResultError when an event is of another block, or when time goes backwards. */
export function requireConsistent(events: readonly RegistryEvent[], blocks: Blocks): void {
  const isSame = events.every(({ blockNumber, blockHash }) => blocks.get(blockNumber)?.hash === blockHash);
  if (!isSame) throw new InvalidResultError('the node returned a log of another block');
  const times = [...blocks].sort(([one], [other]) => Number(one - other)).map(([, { timestamp }]) => timestamp);
  const isOrdered = times.every((time, index) => time >= (times[index - 1] ?? 0));
  if (!isOrdered) throw new InvalidResultError('the node returned blocks whose times decrease');
}
