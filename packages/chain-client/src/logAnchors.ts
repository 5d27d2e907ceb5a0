// Reads and writes the contract of the public log's anchors.

import Type from 'typebox';
import { address as accountType, bytes, decodeValues, encodeBytes, encodeNumber, uint } from './abi.js';
import { logContractSelectors } from './contractInterface.js';
import { NotARegistryError } from './errors.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { readInSpans } from './logSpans.js';
import type { Log } from './receiptEncoding.js';
import { Data, type Hex, LogJson, parseResult, toQuantity } from './results.js';

/** A head of the log: its number of leaves, and the root of their tree. */
export interface AnchoredHead {
  readonly size: number;
  readonly root: Hex;
}

export interface Anchor extends AnchoredHead {
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

const ANCHOR_WORDS = 3;
const WORD_BYTES = 32;

/** The call of `anchor`, with the consistency proof from the last anchored head. */
export function encodeAnchor({ size, root }: AnchoredHead, proof: readonly Hex[]): Hex {
  const parts = proof.map((part) => encodeBytes(part, WORD_BYTES));
  const head = [encodeNumber(size), encodeBytes(root, WORD_BYTES), encodeNumber(ANCHOR_WORDS * WORD_BYTES)];
  return `0x${[logContractSelectors.anchor.slice(2), ...head, encodeNumber(proof.length), ...parts].join('')}`;
}

/** The last anchored head; size 0 before the first. */
export async function readAnchoredHead(node: JsonRpcClient, contract: string): Promise<AnchoredHead> {
  const result = await callContract(node, contract, logContractSelectors.head);
  const [size, root] = decode(() => decodeValues(result, uint, bytes(WORD_BYTES)));
  return { size: toSize(size), root };
}

/** The account that may anchor. */
export async function readLogWriter(node: JsonRpcClient, contract: string): Promise<Hex> {
  const result = await callContract(node, contract, logContractSelectors.writer);
  return decode(() => decodeValues(result, accountType))[0];
}

/** Anchors in a range of blocks, both ends included, oldest first. */
export async function* readAnchors(
  node: JsonRpcClient,
  contract: string,
  range: { readonly from: bigint; readonly to: bigint },
): AsyncGenerator<Anchor> {
  const spans = readInSpans(range, async ({ from, to }) => {
    const topics = [logContractSelectors.Anchored];
    const filter = { address: contract, topics, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    return parseResult(Type.Array(LogJson), await node.request({ method: 'eth_getLogs', params: [filter] }));
  });
  for await (const logs of spans) {
    for (const log of logs) {
      const { transactionHash, blockNumber, blockHash } = log;
      const [head] = findAnchorsIn([log], contract);
      if (head) yield { ...head, transactionHash, blockNumber: BigInt(blockNumber), blockHash };
    }
  }
}

/** The heads that these logs of a transaction anchor in this contract. */
export function findAnchorsIn(logs: readonly Log[], contract: string): AnchoredHead[] {
  const own = logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
  return own.flatMap(({ topics: [topic, size, ...rest], data }) => {
    const isAnchor = topic === logContractSelectors.Anchored && size !== undefined && rest.length === 0;
    if (!isAnchor || data.length !== 2 + 2 * WORD_BYTES || BigInt(size) > Number.MAX_SAFE_INTEGER) return [];
    return [{ size: Number(size), root: data }];
  });
}

async function callContract(node: JsonRpcClient, contract: string, data: Hex): Promise<Hex> {
  const params = [{ to: contract, data }, 'latest'];
  return parseResult(Data, await node.request({ method: 'eth_call', params }));
}

function toSize(size: bigint): number {
  if (size > Number.MAX_SAFE_INTEGER) throw new NotARegistryError('the log in the contract is too large');
  return Number(size);
}

function decode<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new NotARegistryError('the contract at this address takes no anchors of a log', { cause });
  }
}
