// An EVM node behind JSON-RPC, as the submitter and the resolver see it: every call has a deadline, an answer has a
// size, and nothing is tried again behind the caller's back.

import { contentRegistryAbi } from '@provenance-registry/contract';
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  encodeFunctionData,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { Hex } from '../registry/ports.js';

/** A node that takes longer is as good as away; the submitter asks again. */
const CALL_MS = 5_000;
/** A block with receipts of full batches has less than a megabyte. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Calls made at the same moment travel together, so many at once. */
const MAX_CALLS_TOGETHER = 100;

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
}

export function connectToNode({ url, callMs = CALL_MS, maxAnswerBytes = MAX_ANSWER_BYTES }: NodeOptions): PublicClient {
  return createPublicClient({
    transport: http(url, {
      retryCount: 0,
      timeout: callMs,
      batch: { batchSize: MAX_CALLS_TOGETHER, wait: 0 },
      fetchFn: (address, options) => fetchWhole(address, options, callMs, maxAnswerBytes),
    }),
    // Every block number is asked for when it is needed.
    cacheTime: 0,
  });
}

/** With its body, within the time: a node that stops in the middle of an answer must not be waited for. */
async function fetchWhole(
  address: Parameters<typeof fetch>[0],
  options: RequestInit | undefined,
  timeMs: number,
  maxBytes: number,
): Promise<Response> {
  const response = await fetch(address, { ...options, signal: AbortSignal.timeout(timeMs) });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('the node answered too much');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(Buffer.concat(chunks), { status, statusText, headers });
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
  blockNumber?: bigint,
): Promise<readonly Hex[]> {
  return node.readContract({
    address: registry,
    abi: contentRegistryAbi,
    functionName: 'curatedManifestIds',
    args: [fingerprints],
    ...(blockNumber !== undefined && { blockNumber }),
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

/** The name of the error with which the contract refused a call; undefined when it is not the contract that speaks. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  if (!(reverted instanceof ContractFunctionRevertedError)) return undefined;
  return reverted.data?.errorName ?? reverted.reason ?? 'it gave no reason';
}

/** What the node said, in one line, without the request that it was about. */
export function complaintOf(error: unknown): string {
  if (error instanceof BaseError) return error.details || error.shortMessage;
  return error instanceof Error ? error.message : String(error);
}
