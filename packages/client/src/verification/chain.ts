// What the contract has about a file, read from a node of the chain and from nobody else.

import { contentRegistryAbi } from '@provenance-registry/contract';
import type { Fingerprint } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import {
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  isHex,
} from 'viem/utils';
import { InvalidResponseError } from '../errors.js';
import type { ChainEntry, Registration } from './evidence.js';
import { type Node, Refused } from './node.js';

/** Public nodes refuse to search more blocks at once; those with one time are far fewer. */
const MAX_SPAN = 10_000;
/** In seconds: some three thousand years. */
const MAX_TIMESTAMP = 100_000_000_000n;

const Quantity = Type.String({ pattern: '^0x[0-9a-f]{1,13}$' });
const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' });
const Data = Type.Unsafe<`0x${string}`>({ type: 'string', pattern: '^0x([0-9a-f]{2})*$' });
/** The rest is kept as it comes. */
export const Block = Type.Object({ number: Quantity, hash: Hash, timestamp: Quantity });
export type Block = Static<typeof Block>;
const Log = Type.Object({
  address: Type.String(),
  topics: Type.Unsafe<[`0x${string}`, ...`0x${string}`[]]>({ ...Type.Array(Hash), minItems: 1 }),
  data: Data,
  blockNumber: Quantity,
  blockHash: Hash,
  transactionHash: Hash,
});
export const Receipt = Type.Object({
  transactionHash: Hash,
  blockHash: Hash,
  blockNumber: Quantity,
  logs: Type.Array(Log),
});
export type Receipt = Static<typeof Receipt>;

/** There is something else, or nothing, where the registry should be. */
export class NoRegistryError extends Error {}

export async function readChainId(node: Node): Promise<number> {
  return Number(take(Quantity, await node.request('eth_chainId')));
}

/** The entry of a fingerprint: the curated one, or else the earliest public one; undefined when there is none. */
export async function readEntry(
  node: Node,
  address: string,
  fingerprint: Fingerprint,
): Promise<ChainEntry | undefined> {
  const read = { abi: contentRegistryAbi, functionName: 'resolveByBindingDetailed' } as const;
  const data = encodeFunctionData({ ...read, args: [fingerprint] });
  try {
    const result = take(Data, await node.request('eth_call', { to: address, data }, 'latest'));
    if (result === '0x') throw new NoRegistryError(`there is no contract at ${address}`);
    const [source, endpoints, manifestId, manifestHash, registeredBy, timestamp] = decoded(() =>
      decodeFunctionResult({ ...read, data: result }),
    );
    const registry = source === 1 ? 'curated' : 'public';
    if (timestamp > MAX_TIMESTAMP) throw new InvalidResponseError('The node tells a time that no calendar has.');
    return { source: registry, endpoints, manifestId, manifestHash, registeredBy, timestamp: Number(timestamp) };
  } catch (error) {
    if (error instanceof Refused && saysNotFound(error)) return undefined;
    throw error;
  }
}

function saysNotFound({ data }: Refused): boolean {
  if (!isHex(data) || data === '0x') return false;
  return decoded(() => decodeErrorResult({ abi: contentRegistryAbi, data }).errorName) === 'ManifestNotFound';
}

/** The transaction in which the entry was made, by the log of the blocks of its time; undefined when it is not there. */
export async function findRegistration(
  node: Node,
  address: string,
  fingerprint: Fingerprint,
  { source, timestamp }: Pick<ChainEntry, 'source' | 'timestamp'>,
): Promise<Registration | undefined> {
  const latest = Number(take(Quantity, await node.request('eth_blockNumber')));
  const from = await firstBlockFrom(node, timestamp, latest);
  const to = Math.min(await firstBlockFrom(node, timestamp + 1, latest), from + MAX_SPAN, latest);
  const logs = await node.request('eth_getLogs', {
    address,
    topics: [topicOf(source), fingerprint],
    fromBlock: hex(from),
    toBlock: hex(to),
  });
  const [log] = take(Type.Array(Log), logs);
  return log && registrationOf(log);
}

export async function readReceipt(node: Node, transactionHash: string): Promise<Receipt> {
  return take(Receipt, await node.request('eth_getTransactionReceipt', transactionHash));
}

export async function readBlock(node: Node, blockHash: string): Promise<Block> {
  return take(Block, await node.request('eth_getBlockByHash', blockHash, false));
}

/** The registration of this fingerprint among what the transaction did, with the id that it was registered under. */
export function registrationIn(
  { logs }: Receipt,
  address: string,
  fingerprint: Fingerprint,
): (Registration & { readonly manifestId: string }) | undefined {
  const log = logs.find(
    ({ topics, ...entry }) =>
      entry.address.toLowerCase() === address.toLowerCase() &&
      [topicOf('curated'), topicOf('public')].includes(topics[0]) &&
      topics[1] === fingerprint,
  );
  if (!log) return undefined;
  const { args } = decoded(() => decodeEventLog({ abi: contentRegistryAbi, ...log }));
  return 'manifestId' in args ? { ...registrationOf(log), manifestId: args.manifestId } : undefined;
}

function registrationOf({ transactionHash, blockNumber, blockHash }: Static<typeof Log>): Registration {
  return { transactionHash, blockNumber: Number(blockNumber), blockHash };
}

function topicOf(source: ChainEntry['source']): string {
  const eventName = source === 'curated' ? 'SoftBindingRegistered' : 'PublicSoftBindingRegistered';
  const [topic] = encodeEventTopics({ abi: contentRegistryAbi, eventName });
  return topic;
}

/** The first block of this time or a later one, or the latest: times never fall from block to block. */
async function firstBlockFrom(node: Node, timestamp: number, latest: number): Promise<number> {
  let [low, high] = [0, latest];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = take(Block, await node.request('eth_getBlockByNumber', hex(middle), false));
    if (Number(block.timestamp) < timestamp) low = middle + 1;
    else high = middle;
  }
  return low;
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

function take<T extends Type.TSchema>(schema: T, value: unknown): Static<T> {
  if (!Check(schema, value)) throw new InvalidResponseError('The node answered something that is not in its form.');
  return value;
}

function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new NoRegistryError('the contract at this address answers as a registry would not', { cause });
  }
}
