// Finds registrations in the registry's event log.

import { contentRegistryAbi } from '@provenance-registry/contract';
import Type from 'typebox';
import { decodeEventLog, encodeEventTopics, hexToBigInt, hexToNumber, numberToHex } from 'viem/utils';
import { ResponseTooLargeError } from './errors.js';
import { JsonRpcError } from './jsonRpc.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { readBlock, readBlockNumber } from './node.js';
import type { RegistryEntry } from './registry.js';
import { type Hex, LogJson, parseResult } from './results.js';

/** Public nodes refuse to search more blocks at once; some refuse less as well. */
const MAX_LOG_SPAN = 10_000n;

const [curatedTopic] = encodeEventTopics({ abi: contentRegistryAbi, eventName: 'SoftBindingRegistered' });
const [publicTopic] = encodeEventTopics({ abi: contentRegistryAbi, eventName: 'PublicSoftBindingRegistered' });

type Source = RegistryEntry['source'];

export interface RegistrationLog {
  readonly fingerprint: Hex;
  readonly manifestId: string;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

export interface LogRange {
  /** Both included. */
  readonly from: bigint;
  readonly to: bigint;
  /** Undefined: all. */
  readonly fingerprint?: Hex;
  /** Undefined: curated. */
  readonly source?: Source;
}

/** Registrations in a range of blocks, oldest first, read in spans that the node accepts. */
export async function* readRegistrationLogs(
  node: JsonRpcClient,
  registry: string,
  { from, to, ...filter }: LogRange,
): AsyncGenerator<RegistrationLog> {
  let span = MAX_LOG_SPAN;
  for (let first = from; first <= to; ) {
    const last = min(first + span - 1n, to);
    let logs: RegistrationLog[];
    try {
      logs = await readSpan(node, registry, { from: first, to: last, ...filter });
    } catch (error) {
      const isSpanTooWide = error instanceof JsonRpcError || error instanceof ResponseTooLargeError;
      if (!isSpanTooWide || last === first) throw error;
      span = (last - first + 1n) / 2n;
      continue;
    }
    yield* logs;
    first = last + 1n;
    span = min(2n * span, MAX_LOG_SPAN);
  }
}

async function readSpan(
  node: JsonRpcClient,
  registry: string,
  { from, to, fingerprint, source = 'curated' }: LogRange,
): Promise<RegistrationLog[]> {
  const filter = {
    address: registry,
    topics: [topicOf(source), ...(fingerprint === undefined ? [] : [fingerprint])],
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
  };
  const logs = parseResult(Type.Array(LogJson), await node.request({ method: 'eth_getLogs', params: [filter] }));
  return logs.filter((log) => isRegistration(log, registry, source)).flatMap((log) => decodeLog(log) ?? []);
}

/** The registration that made this entry; undefined when the log does not have it. */
export async function findRegistrationLog(
  node: JsonRpcClient,
  registry: string,
  fingerprint: Hex,
  { source, timestamp }: Pick<RegistryEntry, 'source' | 'timestamp'>,
): Promise<RegistrationLog | undefined> {
  const latest = await readBlockNumber(node);
  const from = await findFirstBlockAt(node, timestamp, latest);
  // The entry has the time of its block, and far fewer blocks than one span share a time.
  const to = min(from + MAX_LOG_SPAN - 1n, latest);
  for await (const log of readRegistrationLogs(node, registry, { from, to, fingerprint, source })) return log;
  return undefined;
}

/** The first block with this timestamp or a later one: timestamps never decrease from block to block. */
async function findFirstBlockAt(node: JsonRpcClient, timestamp: number, latest: bigint): Promise<bigint> {
  let [low, high] = [0n, latest];
  while (low < high) {
    const middle = (low + high) / 2n;
    const block = await readBlock(node, middle);
    if (block && hexToNumber(block.timestamp) < timestamp) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** The fingerprints that these logs register in the curated registry. */
export function registeredFingerprints(logs: readonly LogJson[], registry: string): ReadonlySet<string> {
  const own = logs.filter((log) => isRegistration(log, registry, 'curated'));
  return new Set(own.flatMap(({ topics }) => topics[1] ?? []));
}

/** The registration of a fingerprint among these logs, in either registry. */
export function findRegistrationIn(
  logs: readonly LogJson[],
  registry: string,
  fingerprint: Hex,
): RegistrationLog | undefined {
  const log = logs.find(
    (one) =>
      (isRegistration(one, registry, 'curated') || isRegistration(one, registry, 'public')) &&
      one.topics[1] === fingerprint,
  );
  return log && decodeLog(log);
}

function isRegistration({ address, topics }: LogJson, registry: string, source: Source): boolean {
  return topics[0] === topicOf(source) && address.toLowerCase() === registry.toLowerCase();
}

function topicOf(source: Source): Hex {
  return source === 'curated' ? curatedTopic : publicTopic;
}

/** Undefined when it is not as the registry writes it. */
function decodeLog({ topics, data, transactionHash, blockNumber, blockHash }: LogJson): RegistrationLog | undefined {
  const [signature, ...indexed] = topics;
  if (signature === undefined) return undefined;
  try {
    const { args } = decodeEventLog({ abi: contentRegistryAbi, topics: [signature, ...indexed], data });
    if (!('manifestId' in args)) return undefined;
    const { fingerprint, manifestId } = args;
    return { fingerprint, manifestId, transactionHash, blockNumber: hexToBigInt(blockNumber), blockHash };
  } catch {
    return undefined;
  }
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
