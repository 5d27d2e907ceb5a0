// The header of a block: its hash covers the time of the block and the root of its receipts.

import Type, { type Static } from 'typebox';
import { InvalidProofError } from './errors.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import { keccak256 } from './keccak.js';
import { Amount, Data, Hash, type Hex, parseResult, Quantity } from './results.js';
import { decodeNumber, decodeRlp, encodeNumber, encodeRlp, requireBytes, requireList } from './rlp.js';

/** The order of the fields is that of the hashed list. A fork appends fields; no chain has a later one without the earlier. */
const HeaderJson = Type.Object({
  parentHash: Hash,
  sha3Uncles: Hash,
  miner: Data,
  stateRoot: Hash,
  transactionsRoot: Hash,
  receiptsRoot: Hash,
  logsBloom: Data,
  difficulty: Amount,
  number: Quantity,
  gasLimit: Amount,
  gasUsed: Amount,
  timestamp: Quantity,
  extraData: Data,
  mixHash: Hash,
  nonce: Data,
  // London
  baseFeePerGas: Type.Optional(Amount),
  // Shanghai
  withdrawalsRoot: Type.Optional(Hash),
  // Cancun
  blobGasUsed: Type.Optional(Amount),
  excessBlobGas: Type.Optional(Amount),
  parentBeaconBlockRoot: Type.Optional(Hash),
  // Prague
  requestsHash: Type.Optional(Hash),
});
type HeaderJson = Static<typeof HeaderJson>;

const BlockWithTransactionsJson = Type.Object({
  ...HeaderJson.properties,
  hash: Hash,
  transactions: Type.Array(Hash),
});

const RECEIPTS_ROOT_INDEX = 5;
const NUMBER_INDEX = 8;
const TIMESTAMP_INDEX = 11;
/** The fields of the first headers, before any fork. */
const MIN_FIELDS = 15;

export interface BlockHeader {
  readonly hash: Hex;
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The RLP whose keccak-256 is `hash`. */
  readonly header: Hex;
}

export interface BlockWithTransactions extends BlockHeader {
  readonly receiptsRoot: Hex;
  readonly transactionHashes: readonly Hex[];
}

/**
 * A block, with its hash recomputed from its content. Undefined when the node does not know the block; throws
 * InvalidProofError when it sends another one.
 */
export async function readBlockHeader(node: JsonRpcClient, blockHash: Hex): Promise<BlockHeader | undefined> {
  const block = await readBlockWithTransactions(node, blockHash);
  if (!block) return undefined;
  const { hash, number, timestamp, header } = block;
  return { hash, number, timestamp, header };
}

export async function readBlockWithTransactions(
  node: JsonRpcClient,
  blockHash: Hex,
): Promise<BlockWithTransactions | undefined> {
  const result = await node.request({ method: 'eth_getBlockByHash', params: [blockHash, false] });
  if (result === null) return undefined;
  const json = parseResult(BlockWithTransactionsJson, result);
  const header = encodeHeader(json);
  const block = decodeHeader(header);
  if (block.hash !== blockHash) {
    throw new InvalidProofError(`the block that the node sent has the hash ${block.hash} instead of ${blockHash}`);
  }
  return { ...block, transactionHashes: json.transactions };
}

/** The RLP of a header, from the JSON of a node. */
export function encodeHeader(json: HeaderJson): Hex {
  const { parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom } = json;
  const { extraData, mixHash, nonce, withdrawalsRoot, parentBeaconBlockRoot, requestsHash } = json;
  const numbers = [json.difficulty, json.number, json.gasLimit, json.gasUsed, json.timestamp].map(encodeNumber);
  const optionalNumber = (quantity: Hex | undefined) => quantity && encodeNumber(quantity);
  const appended = [
    optionalNumber(json.baseFeePerGas),
    withdrawalsRoot,
    optionalNumber(json.blobGasUsed),
    optionalNumber(json.excessBlobGas),
    parentBeaconBlockRoot,
    requestsHash,
  ].filter((field) => field !== undefined);
  const roots = [parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom];
  return encodeRlp([...roots, ...numbers, extraData, mixHash, nonce, ...appended]);
}

/** Throws InvalidProofError when these bytes are not a header. */
export function decodeHeader(header: Hex): BlockHeader & { readonly receiptsRoot: Hex } {
  const fields = requireList(decodeRlp(header));
  if (fields.length < MIN_FIELDS) throw new InvalidProofError('the proof has no block header');
  return {
    hash: keccak256(header),
    number: decodeNumber(fields[NUMBER_INDEX]),
    timestamp: decodeNumber(fields[TIMESTAMP_INDEX]),
    receiptsRoot: requireBytes(fields[RECEIPTS_ROOT_INDEX], 32),
    header,
  };
}
