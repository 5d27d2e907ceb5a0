// Reads the registry's log in pieces that nodes accept.

import { ResponseTooLargeError } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { BaseError, type PublicClient, RpcRequestError } from 'viem';
import type { Hex } from '../domain/ports/index.js';

/** Public nodes refuse wider spans; some refuse narrower ones as well. */
const MAX_SPAN = 10_000n;

export interface RegistrationLog {
  readonly fingerprint: Hex;
  readonly manifestId: string;
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
}

/** Curated registrations from block to block, both included, oldest first; of one fingerprint, or of all. */
export async function* readRegistrations(
  node: PublicClient,
  registry: Hex,
  { from, to, fingerprint }: { from: bigint; to: bigint; fingerprint?: Hex },
): AsyncGenerator<RegistrationLog> {
  let span = MAX_SPAN;
  for (let next = from; next <= to; ) {
    const last = next + span - 1n < to ? next + span - 1n : to;
    let logs: Awaited<ReturnType<typeof readSpan>>;
    try {
      logs = await readSpan(node, registry, next, last, fingerprint);
    } catch (error) {
      if (!isRefusal(error) || last === next) throw error;
      span = (last - next + 1n) / 2n;
      continue;
    }
    for (const { args, blockNumber, transactionHash } of logs) yield { ...args, blockNumber, transactionHash };
    next = last + 1n;
    span = 2n * span < MAX_SPAN ? 2n * span : MAX_SPAN;
  }
}

function readSpan(node: PublicClient, registry: Hex, fromBlock: bigint, toBlock: bigint, fingerprint?: Hex) {
  return node.getContractEvents({
    address: registry,
    abi: contentRegistryAbi,
    eventName: 'SoftBindingRegistered',
    ...(fingerprint !== undefined && { args: { fingerprint } }),
    fromBlock,
    toBlock,
    strict: true,
  });
}

/**
 * The node has heard the question and does not want it, or has more to say to it than can be heard; a node that is away
 * would not want a shorter one either.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  return error.walk((cause) => cause instanceof RpcRequestError || cause instanceof ResponseTooLargeError) !== null;
}

/** The transaction that registered this fingerprint in the curated registry. Throws when there is none. */
export async function findTransactionHash(node: PublicClient, registry: Hex, fingerprint: Hex): Promise<Hex> {
  const [, , , , , timestamp] = await node.readContract({
    address: registry,
    abi: contentRegistryAbi,
    functionName: 'resolveByBindingDetailed',
    args: [fingerprint],
  });
  const to = await node.getBlockNumber();
  const from = await firstBlockAt(node, timestamp, to);
  for await (const { transactionHash } of readRegistrations(node, registry, { from, to, fingerprint })) {
    return transactionHash;
  }
  throw new Error(`the registry has ${fingerprint}, and its log does not`);
}

/** The first block with this time or a later one: times never fall from block to block. */
async function firstBlockAt(node: PublicClient, timestamp: bigint, latest: bigint): Promise<bigint> {
  let [low, high] = [0n, latest];
  while (low < high) {
    const middle = (low + high) / 2n;
    const block = await node.getBlock({ blockNumber: middle });
    if (block.timestamp < timestamp) low = middle + 1n;
    else high = middle;
  }
  return low;
}
