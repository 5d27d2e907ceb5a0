// Reads everything that the registry logged in a range of blocks, for a copy of it. What contradicts itself is refused.

import { REGISTRAR_ROLE } from '@provenance-registry/contract/constants';
import Type, { type Static } from 'typebox';
import { type AbiTypes, decodeValues, list, string } from './abi.js';
import { eventTopics } from './contractInterface.js';
import { InvalidResultError } from './errors.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { type BlockSpan, readInSpans } from './logSpans.js';
import { type Hex, LogJson, parseResult, Quantity, toQuantity } from './results.js';

interface Position {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: number;
}

/** Addresses are in lower case. */
export type RegistryEvent = Position &
  (
    | {
        readonly kind: 'curated';
        readonly fingerprint: Hex;
        readonly manifestId: string;
        readonly manifestHash: Hex;
        /** keccak-256 of the `userIdHash` that was registered. */
        readonly registrantTopic: Hex;
      }
    | {
        readonly kind: 'public';
        readonly fingerprint: Hex;
        readonly registeredBy: Hex;
        readonly endpoints: readonly string[];
        readonly manifestId: string;
      }
    /** The endpoints of all curated entries from here on. */
    | { readonly kind: 'endpoints'; readonly endpoints: readonly string[] }
    /** The account may write the curated registry from here on. */
    | { readonly kind: 'registrar'; readonly account: Hex }
  );

const {
  SoftBindingRegistered: curatedTopic,
  ManifestRegistered: manifestTopic,
  PublicSoftBindingRegistered: publicTopic,
  EndpointsChanged: endpointsTopic,
  RoleGranted: roleTopic,
} = eventTopics;
const allTopics: readonly Hex[] = [curatedTopic, manifestTopic, publicTopic, endpointsTopic, roleTopic];
/** All events but the curated registrations, which are by far the most. */
const otherTopics: readonly Hex[] = [publicTopic, endpointsTopic, roleTopic];

const IndexedLogJson = Type.Object({
  ...LogJson.properties,
  logIndex: Quantity,
  removed: Type.Optional(Type.Literal(false)),
});
type IndexedLog = Static<typeof IndexedLogJson>;

/** Decoding so many takes about ten milliseconds, in which nothing else runs. */
const DECODED_AT_ONCE = 200;

export interface EventRange extends BlockSpan {
  readonly withoutCurated?: boolean;
}

/**
 * In the order of the chain. Throws InvalidResultError when the node sends logs that were not asked for, that contradict
 * each other, or of which a part is missing.
 */
export async function readRegistryEvents(
  node: JsonRpcClient,
  registry: Hex,
  { from, to, withoutCurated = false }: EventRange,
): Promise<RegistryEvent[]> {
  const topics = withoutCurated ? otherTopics : allTopics;
  const filter = { address: registry, topics: [topics], fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  const result = await node.request({ method: 'eth_getLogs', params: [filter] });
  const logs = sortLogs(parseResult(Type.Array(IndexedLogJson), result));
  const events: RegistryEvent[] = [];
  for (const [index, log] of logs.entries()) {
    requireExpected(log, registry, topics, from, to);
    events.push(...decodeLog(log, logs[index - 1], logs[index + 1]));
    if (index % DECODED_AT_ONCE === DECODED_AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return events;
}

/** Events of any range of blocks, in spans that the node accepts. */
export function readRegistryEventSpans(
  node: JsonRpcClient,
  registry: Hex,
  range: BlockSpan,
): AsyncGenerator<RegistryEvent[]> {
  return readInSpans(range, (span) => readRegistryEvents(node, registry, span));
}

/** Removes repeated logs. */
function sortLogs(logs: readonly IndexedLog[]): IndexedLog[] {
  const positions = new Map<string, IndexedLog>();
  for (const log of logs) {
    const position = `${log.blockNumber} ${log.logIndex}`;
    const known = positions.get(position);
    if (known && !isSameLog(known, log)) throw new InvalidResultError('the node returned two logs at one position');
    positions.set(position, log);
  }
  return [...positions.values()].sort(
    (one, other) =>
      Number(one.blockNumber) - Number(other.blockNumber) || Number(one.logIndex) - Number(other.logIndex),
  );
}

function isSameLog(one: IndexedLog, other: IndexedLog): boolean {
  return (
    one.blockHash === other.blockHash &&
    one.transactionHash === other.transactionHash &&
    one.data === other.data &&
    one.topics.join() === other.topics.join()
  );
}

function requireExpected(
  { address, topics, blockNumber }: IndexedLog,
  registry: Hex,
  expected: readonly Hex[],
  from: bigint,
  to: bigint,
): void {
  const [topic] = topics;
  const number = BigInt(blockNumber);
  const isExpected = topic !== undefined && expected.includes(topic) && number >= from && number <= to;
  if (isExpected && address.toLowerCase() === registry) return;
  throw new InvalidResultError('the node returned a log that was not asked for');
}

/** None for the second log of a curated registration, and for other roles. */
function decodeLog(log: IndexedLog, previous: IndexedLog | undefined, next: IndexedLog | undefined): RegistryEvent[] {
  const { topics, data, blockHash, transactionHash } = log;
  const position = {
    blockNumber: BigInt(log.blockNumber),
    blockHash,
    transactionHash,
    logIndex: Number(log.logIndex),
  };
  const [topic, first, second] = topics;
  switch (topic) {
    case curatedTopic: {
      // The contract writes both at once: the id is in one, the hash in the other.
      if (!next || !isPair(log, next)) throw missingLogError();
      const [, manifestId] = decode(data, list(string), string);
      const [fingerprint, registrantTopic] = [requireTopic(first), requireTopic(next.topics[2])];
      return [{ ...position, kind: 'curated', fingerprint, manifestId, manifestHash: next.data, registrantTopic }];
    }
    case manifestTopic:
      if (!previous || !isPair(previous, log)) throw missingLogError();
      return [];
    case publicTopic: {
      const [endpoints, manifestId] = decode(data, list(string), string);
      const registeredBy = addressIn(second);
      return [{ ...position, kind: 'public', fingerprint: requireTopic(first), registeredBy, endpoints, manifestId }];
    }
    case endpointsTopic:
      return [{ ...position, kind: 'endpoints', endpoints: decode(data, list(string))[0] }];
    default:
      return first === REGISTRAR_ROLE ? [{ ...position, kind: 'registrar', account: addressIn(second) }] : [];
  }
}

function isPair(binding: IndexedLog, manifest: IndexedLog): boolean {
  return (
    binding.topics[0] === curatedTopic &&
    manifest.topics[0] === manifestTopic &&
    manifest.topics[1] === binding.topics[1] &&
    manifest.blockHash === binding.blockHash &&
    manifest.transactionHash === binding.transactionHash &&
    Number(manifest.logIndex) === Number(binding.logIndex) + 1 &&
    manifest.data.length === 2 + 64
  );
}

function missingLogError(): InvalidResultError {
  return new InvalidResultError('the node left out a log of a registration');
}

function requireTopic(topic: Hex | undefined): Hex {
  if (topic === undefined) throw new InvalidResultError('the node returned a log without its topics');
  return topic;
}

function addressIn(topic: Hex | undefined): Hex {
  return `0x${requireTopic(topic).slice(-40)}`;
}

function decode<T extends readonly unknown[]>(data: Hex, ...types: AbiTypes<T>): T {
  try {
    return decodeValues<T>(data, ...types);
  } catch (cause) {
    throw new InvalidResultError('the node returned a log that the registry cannot have written', { cause });
  }
}
