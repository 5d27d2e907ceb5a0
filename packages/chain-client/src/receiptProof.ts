// Proves by one block hash what a transaction logged: header, receipt, and the Merkle path between them.

import Type from 'typebox';
import { type BlockWithTransactions, decodeHeader, readBlockWithTransactions } from './blockHeader.js';
import { InvalidProofError, ResponseTooLargeError } from './errors.js';
import { JsonRpcError } from './jsonRpc.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { decodeReceipt, encodeReceipt, type Log, ReceiptContentJson } from './receiptEncoding.js';
import { buildReceiptProof, readReceiptFromTrie } from './receiptTrie.js';
import { Hash, type Hex, parseResult, Quantity, toQuantity } from './results.js';

/** Calls for single receipts that are under way at once: as many as one request holds. */
const RECEIPTS_AT_ONCE = 100;
/** What leads from the hash of a block to a receipt in it. Bytes are in lower-case hexadecimal. */
export interface ReceiptProof {
  /** RLP of the block header; its keccak-256 is the hash of the block. */
  readonly header: Hex;
  /** Its RLP is the key of the receipt in the trie. */
  readonly transactionIndex: number;
  /** The receipt as in the trie: RLP, after the type of the transaction if it has one. */
  readonly receipt: Hex;
  /** RLP of the nodes of the trie, from the root to the leaf with the receipt. */
  readonly nodes: readonly Hex[];
}

export interface ProvenReceipt {
  readonly blockHash: Hex;
  readonly blockNumber: number;
  /** The time of the block, in seconds since 1970. */
  readonly timestamp: number;
  readonly isSuccess: boolean;
  readonly logs: readonly Log[];
}

/** How many receipts of the block have been read. */
export interface ReceiptProgress {
  readonly done: number;
  readonly total: number;
}

const MinedJson = Type.Object({ transactionHash: Hash, blockHash: Hash, transactionIndex: Quantity });

/** Everything follows from the proof; only whether its block is part of a chain remains to be asked. Throws InvalidProofError. */
export function verifyReceiptProof({ header, transactionIndex, receipt, nodes }: ReceiptProof): ProvenReceipt {
  const { hash, number, timestamp, receiptsRoot } = decodeHeader(header);
  if (readReceiptFromTrie({ root: receiptsRoot, nodes }, transactionIndex) !== receipt) {
    throw new InvalidProofError('the receipt is not the one that the proof leads to');
  }
  return { blockHash: hash, blockNumber: number, timestamp, ...decodeReceipt(receipt) };
}

/** Undefined when the transaction is unknown or not mined; throws InvalidProofError when the node's data is inconsistent. */
export async function readReceiptProof(
  node: JsonRpcClient,
  transactionHash: Hex,
  onProgress: (progress: ReceiptProgress) => void = () => {},
): Promise<ReceiptProof | undefined> {
  const result = await node.request({ method: 'eth_getTransactionReceipt', params: [transactionHash] });
  if (result === null) return undefined;
  const { blockHash, transactionIndex } = parseResult(MinedJson, result);
  const block = await readBlockWithTransactions(node, blockHash);
  if (!block) return undefined;
  const index = Number(transactionIndex);
  if (block.transactionHashes[index] !== transactionHash) {
    throw new InvalidProofError('the block that the node sent does not have the transaction');
  }
  const receipts = (await readReceipts(node, block, onProgress)).map(encodeReceipt);
  const { root, nodes } = buildReceiptProof(receipts, index);
  const receipt = receipts[index];
  if (root !== block.receiptsRoot || receipt === undefined) {
    throw new InvalidProofError('the receipts that the node sent are not those of the block');
  }
  return { header: block.header, transactionIndex: index, receipt, nodes };
}

/** Returns the receipts in the order of the transactions. Not every node returns all at once. */
async function readReceipts(
  node: JsonRpcClient,
  block: BlockWithTransactions,
  onProgress: (progress: ReceiptProgress) => void,
): Promise<ReceiptContentJson[]> {
  const receipts = (await readAllReceipts(node, block)) ?? (await readSingleReceipts(node, block, onProgress));
  return receipts.toSorted((one, other) => Number(one.transactionIndex) - Number(other.transactionIndex));
}

async function readAllReceipts(
  node: JsonRpcClient,
  { number }: BlockWithTransactions,
): Promise<ReceiptContentJson[] | undefined> {
  try {
    const params = [toQuantity(number)];
    const receipts = await node.request({ method: 'eth_getBlockReceipts', params });
    return receipts === null ? undefined : parseResult(Type.Array(ReceiptContentJson), receipts);
  } catch (error) {
    if (error instanceof JsonRpcError || error instanceof ResponseTooLargeError) return undefined;
    throw error;
  }
}

async function readSingleReceipts(
  node: JsonRpcClient,
  { transactionHashes }: BlockWithTransactions,
  onProgress: (progress: ReceiptProgress) => void,
): Promise<ReceiptContentJson[]> {
  const receipts: ReceiptContentJson[] = [];
  for (let start = 0; start < transactionHashes.length; start += RECEIPTS_AT_ONCE) {
    const hashes = transactionHashes.slice(start, start + RECEIPTS_AT_ONCE);
    const results = await Promise.all(
      hashes.map((hash) => node.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    receipts.push(...results.map((result) => parseResult(ReceiptContentJson, result)));
    onProgress({ done: receipts.length, total: transactionHashes.length });
  }
  return receipts;
}
