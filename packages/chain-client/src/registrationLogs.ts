// Finds registrations in the registry's event log.

import Type from 'typebox';
import { address as accountType, bytes, decodeValues, list, string } from './abi.js';
import { eventTopics } from './contractInterface.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { MAX_LOG_SPAN, min, readInSpans } from './logSpans.js';
import { readBlock, readBlockNumber } from './node.js';
import type { Log } from './receiptEncoding.js';
import type { RegistryEntry } from './registry.js';
import { type Hex, LogJson, parseResult, toQuantity } from './results.js';

type Source = RegistryEntry['source'];

export interface RegistrationLog {
  readonly fingerprint: Hex;
  readonly manifestId: string;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

/** What the events of a transaction say about one registration. */
export interface LoggedRegistration {
  readonly source: Source;
  readonly manifestId: string;
  readonly endpoints: readonly string[];
  /** keccak-256 of the metadata, which only curated registrations log. */
  readonly manifestHash?: Hex;
  /** The account that wrote the entry, which only public registrations log. */
  readonly registeredBy?: Hex;
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
  for await (const logs of readInSpans({ from, to }, (span) => readSpan(node, registry, { ...span, ...filter }))) {
    yield* logs;
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
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
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
    if (block && Number(block.timestamp) < timestamp) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** The fingerprints that these logs register in the curated registry. */
export function registeredFingerprints(logs: readonly LogJson[], registry: string): ReadonlySet<string> {
  const own = logs.filter((log) => isRegistration(log, registry, 'curated'));
  return new Set(own.flatMap(({ topics }) => topics[1] ?? []));
}

/** The registration of a fingerprint among these logs: the curated one, or else a public one. */
export function findRegistrationIn(
  logs: readonly Log[],
  registry: string,
  fingerprint: Hex,
): LoggedRegistration | undefined {
  const own = logs.filter(({ address, topics }) => topics[1] === fingerprint && isSameAddress(address, registry));
  const registrations = own.flatMap((log) => decodeRegistration(log) ?? []);
  const curated = registrations.find(({ source }) => source === 'curated');
  if (!curated) return registrations[0];
  // Two events make a curated registration: the manifest's id is in one, the hash of the metadata in the other.
  const [manifestHash] = own.flatMap((log) => decodeManifestHash(log) ?? []);
  return { ...curated, ...(manifestHash !== undefined && { manifestHash }) };
}

function isRegistration({ address, topics }: Log, registry: string, source: Source): boolean {
  return topics[0] === topicOf(source) && isSameAddress(address, registry);
}

function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function topicOf(source: Source): Hex {
  return source === 'curated' ? eventTopics.SoftBindingRegistered : eventTopics.PublicSoftBindingRegistered;
}

/** Undefined when it is not as the registry writes it. */
function decodeLog(log: LogJson): RegistrationLog | undefined {
  const [, fingerprint] = log.topics;
  const { manifestId } = decodeRegistration(log) ?? {};
  if (fingerprint === undefined || manifestId === undefined) return undefined;
  const { transactionHash, blockNumber, blockHash } = log;
  return { fingerprint, manifestId, transactionHash, blockNumber: BigInt(blockNumber), blockHash };
}

/** Undefined when it is no event of a registration. */
function decodeRegistration({ topics: [topic, fingerprint, account], data }: Log): LoggedRegistration | undefined {
  const isCurated = topic === eventTopics.SoftBindingRegistered;
  if (!isCurated && topic !== eventTopics.PublicSoftBindingRegistered) return undefined;
  if (fingerprint === undefined || (!isCurated && account === undefined)) return undefined;
  try {
    const [endpoints, manifestId] = decodeValues(data, list(string), string);
    if (account === undefined || isCurated) return { source: 'curated', manifestId, endpoints };
    const [registeredBy] = decodeValues(account, accountType);
    return { source: 'public', manifestId, endpoints, registeredBy };
  } catch {
    return undefined;
  }
}

/** Undefined when it is not the event with the hash of the metadata. */
function decodeManifestHash({ topics: [topic, , userIdHash], data }: Log): Hex | undefined {
  const isComplete = topic === eventTopics.ManifestRegistered && userIdHash !== undefined && data.length >= 2 + 64;
  return isComplete ? decodeValues(data, bytes(32))[0] : undefined;
}
