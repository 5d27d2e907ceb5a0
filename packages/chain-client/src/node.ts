// The calls to a node that the registry needs, with checked results.

import Type, { type Static } from 'typebox';
import { InvalidResultError } from './errors.js';
import { JsonRpcError } from './jsonRpc.js';
import type { JsonRpcClient } from './jsonRpcClient.js';
import {
  Address,
  Amount,
  BlockJson,
  Data,
  Hash,
  type Hex,
  type LogJson,
  parseResult,
  Quantity,
  ReceiptJson,
  toQuantity,
} from './results.js';

export interface Head {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly baseFeePerGas: bigint;
  readonly gasLimit: bigint;
}

export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: bigint;
  readonly gasUsed: bigint;
  readonly isSuccess: boolean;
  readonly logs: readonly LogJson[];
}

const HeadJson = Type.Object({
  number: Quantity,
  hash: Hash,
  parentHash: Hash,
  gasLimit: Amount,
  /** Absent on chains without EIP-1559. */
  baseFeePerGas: Type.Optional(Amount),
});
const FullReceiptJson = Type.Object({
  ...ReceiptJson.properties,
  gasUsed: Amount,
  status: Type.Optional(Quantity),
});

const TransactionJson = Type.Object({
  hash: Hash,
  from: Address,
  to: Type.Union([Address, Type.Null()]),
  input: Type.Optional(Data),
});

export async function readChainId(node: JsonRpcClient): Promise<number> {
  return Number(parseResult(Quantity, await node.request({ method: 'eth_chainId' })));
}

export async function readBlockNumber(node: JsonRpcClient): Promise<bigint> {
  return BigInt(parseResult(Quantity, await node.request({ method: 'eth_blockNumber' })));
}

export async function readHead(node: JsonRpcClient): Promise<Head> {
  const block = await node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  const { number, hash, parentHash, gasLimit, baseFeePerGas = '0x0' } = parseResult(HeadJson, block);
  return {
    number: BigInt(number),
    hash,
    parentHash,
    gasLimit: BigInt(gasLimit),
    baseFeePerGas: BigInt(baseFeePerGas),
  };
}

/** Undefined when the chain is shorter. */
export async function readBlock(node: JsonRpcClient, number: bigint): Promise<BlockJson | undefined> {
  return orUndefined(
    BlockJson,
    await node.request({ method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }),
  );
}

/** Undefined when the node does not know the block. */
export async function readBlockByHash(node: JsonRpcClient, hash: string): Promise<BlockJson | undefined> {
  return orUndefined(BlockJson, await node.request({ method: 'eth_getBlockByHash', params: [hash, false] }));
}

/** Who sent what to which account; `to` is null when it creates a contract. Undefined when it is unknown. */
export async function readTransaction(
  node: JsonRpcClient,
  transactionHash: Hex,
): Promise<{ readonly from: Hex; readonly to: Hex | null; readonly input: Hex } | undefined> {
  const result = await node.request({ method: 'eth_getTransactionByHash', params: [transactionHash] });
  const transaction = orUndefined(TransactionJson, result);
  if (!transaction) return undefined;
  if (transaction.hash !== transactionHash) throw new InvalidResultError('the node returned another transaction');
  const { from, to, input = '0x' } = transaction;
  return { from, to, input };
}

/** Undefined when the transaction is unknown or not mined. */
export async function readReceipt(node: JsonRpcClient, transactionHash: Hex): Promise<Receipt | undefined> {
  const receipt = orUndefined(FullReceiptJson, await requestReceipt(node, transactionHash));
  if (!receipt) return undefined;
  const { blockNumber, gasUsed, status, ...rest } = receipt;
  return {
    ...rest,
    blockNumber: BigInt(blockNumber),
    gasUsed: BigInt(gasUsed),
    isSuccess: status === '0x1',
  };
}

/** Returns the receipt as the node does, to be stored; undefined when the transaction is unknown or not mined. */
export async function readReceiptJson(node: JsonRpcClient, transactionHash: string): Promise<ReceiptJson | undefined> {
  return orUndefined(ReceiptJson, await requestReceipt(node, transactionHash));
}

function requestReceipt(node: JsonRpcClient, transactionHash: string): Promise<unknown> {
  return node.request({ method: 'eth_getTransactionReceipt', params: [transactionHash] });
}

export async function readBalance(node: JsonRpcClient, address: Hex): Promise<bigint> {
  return BigInt(parseResult(Amount, await node.request({ method: 'eth_getBalance', params: [address, 'latest'] })));
}

/** The account's next nonce, as of that block. */
export async function readTransactionCount(
  node: JsonRpcClient,
  address: Hex,
  block: bigint | 'latest',
): Promise<number> {
  const params = [address, block === 'latest' ? block : toQuantity(block)];
  return Number(parseResult(Quantity, await node.request({ method: 'eth_getTransactionCount', params })));
}

/** Reads the state of that block: nodes may lack that of old ones. */
export async function hasCode(
  node: JsonRpcClient,
  address: string,
  block: bigint | 'latest' = 'latest',
): Promise<boolean> {
  const params = [address, block === 'latest' ? block : toQuantity(block)];
  const code = await node.request({ method: 'eth_getCode', params });
  return parseResult(Data, code) !== '0x';
}

export async function estimateGas(
  node: JsonRpcClient,
  transaction: { readonly from: Hex; readonly to: Hex; readonly data: Hex },
): Promise<bigint> {
  return BigInt(parseResult(Amount, await node.request({ method: 'eth_estimateGas', params: [transaction] })));
}

/** Undefined when the node has no suggestion. */
export async function readSuggestedPriorityFee(node: JsonRpcClient): Promise<bigint | undefined> {
  try {
    return BigInt(parseResult(Amount, await node.request({ method: 'eth_maxPriorityFeePerGas' })));
  } catch (error) {
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
}

export async function sendRawTransaction(node: JsonRpcClient, raw: Hex): Promise<void> {
  await node.request({ method: 'eth_sendRawTransaction', params: [raw] });
}

/** The error in one line. */
export function nodeErrorMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}

function orUndefined<T extends Type.TSchema>(schema: T, result: unknown): Static<T> | undefined {
  return result === null ? undefined : parseResult(schema, result);
}
