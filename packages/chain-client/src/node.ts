// An EVM node behind JSON-RPC, as the submitter and the resolver see it: every call has a deadline, an answer has a
// size, and nothing is tried again behind the caller's back.

import { contentRegistryAbi } from '@provenance-registry/contract';
import {
  BaseError,
  createPublicClient,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  isHex,
  type PublicClient,
  RpcRequestError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';

import { errorCodes } from './jsonRpc.js';
import { nodeTransport } from './transport.js';

/** A node that takes longer is as good as away; the submitter asks again. */
const CALL_MS = 5_000;
/** A block with receipts of full batches has less than a megabyte. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

export interface Head {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly baseFeePerGas: bigint;
  readonly gasLimit: bigint;
}

export type Receipt = Pick<TransactionReceipt, 'blockHash' | 'blockNumber' | 'gasUsed' | 'logs' | 'status'> & {
  readonly transactionHash: Hex;
};

export interface NodeOptions {
  readonly url: string;
  readonly callMs?: number;
  readonly maxAnswerBytes?: number;
  readonly maxResultLength?: number;
}

export function connectToNode(options: NodeOptions): PublicClient {
  return createPublicClient({
    transport: nodeTransport({ callMs: CALL_MS, maxAnswerBytes: MAX_ANSWER_BYTES, ...options }),
    // Every block number is asked for when it is needed.
    cacheTime: 0,
  });
}

export async function readHead(node: PublicClient): Promise<Head> {
  const { number, hash, parentHash, baseFeePerGas, gasLimit } = await node.getBlock({ blockTag: 'latest' });
  return { number, hash, parentHash, baseFeePerGas: baseFeePerGas ?? 0n, gasLimit };
}

/** Undefined when the chain is not that high any more. */
export async function blockHashAt(node: PublicClient, blockNumber: bigint): Promise<Hex | undefined> {
  const block = await node.getBlock({ blockNumber }).catch((error: unknown) => {
    if (error instanceof BaseError && error.name === 'BlockNotFoundError') return undefined;
    throw error;
  });
  return block?.hash;
}

/** Undefined when the node knows of none. */
export async function receiptOf(node: PublicClient, hash: Hex): Promise<Receipt | undefined> {
  try {
    return await node.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}

/** The ids under which the curated registry has these fingerprints: sixteen zero bytes where it has none. */
export function curatedManifestIds(
  node: PublicClient,
  registry: Hex,
  fingerprints: readonly Hex[],
): Promise<readonly Hex[]> {
  return node.readContract({
    address: registry,
    abi: contentRegistryAbi,
    functionName: 'curatedManifestIds',
    args: [fingerprints],
  });
}

export interface Registration {
  readonly fingerprint: Hex;
  readonly manifestId: Hex;
  readonly manifestHash: Hex;
  readonly userIdHash: Hex;
}

const registerMany = { abi: contentRegistryAbi, functionName: 'registerManifests' } as const;

export function registrationCalldata(registrations: readonly Registration[]): Hex {
  return encodeFunctionData({ ...registerMany, args: [registrations] });
}

export function estimateRegistrations(
  node: PublicClient,
  { registry, sender }: { registry: Hex; sender: Hex },
  registrations: readonly Registration[],
): Promise<bigint> {
  return node.estimateContractGas({ ...registerMany, address: registry, account: sender, args: [registrations] });
}

/** Undefined when the node does not have an opinion. */
export async function suggestedPriorityFee(node: PublicClient): Promise<bigint | undefined> {
  try {
    const fee: unknown = await node.request({ method: 'eth_maxPriorityFeePerGas' });
    return isHex(fee) && fee !== '0x' ? hexToBigInt(fee) : undefined;
  } catch (error) {
    if (isAnswer(error)) return undefined;
    throw error;
  }
}

/** The node has answered, and the answer is no. Otherwise it is away, and what was asked may have been done. */
export function isAnswer(error: unknown): boolean {
  return answerIn(error) !== undefined;
}

function answerIn(error: unknown): RpcRequestError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  return answer instanceof RpcRequestError ? answer : undefined;
}

/** The name of the error with which the contract refused a call; undefined when it is not the contract that speaks. */
export function revertReason(error: unknown): string | undefined {
  const answer = answerIn(error);
  if (!answer) return undefined;
  const { code, data, details } = answer;
  if (isHex(data) && data !== '0x') return nameOf(data);
  // Some nodes say it in words only. A node with troubles of its own has other words.
  return code === errorCodes.reverted || /\brevert(ed)?\b/i.test(details) ? 'it gave no reason' : undefined;
}

function nameOf(data: Hex): string {
  try {
    return decodeErrorResult({ abi: contentRegistryAbi, data }).errorName;
  } catch {
    return data.slice(0, 10);
  }
}

/** What the node said, in one line, without the request that it was about. */
export function nodeErrorMessage(error: unknown): string {
  const complaint = error instanceof BaseError ? error.details || error.shortMessage : messageOf(error);
  return complaint.replaceAll(/\s+/g, ' ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
