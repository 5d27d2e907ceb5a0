// What a transaction offers to pay.

import { type Head, type JsonRpcClient, readSuggestedPriorityFee } from '@provenance-registry/chain-client';
import type { NewAttempt } from '../../domain/ports/index.js';

export type Fees = Pick<NewAttempt, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Nodes take a replacement only if it pays a tenth more; both fees must rise. */
const REPLACEMENT_RISE = 8n;
const FALLBACK_PRIORITY_FEE = 1_000_000_000n;
/** A price above this is a mistake or an attack: the transaction waits until it has passed. */
export const MAX_FEE_PER_GAS = 2_000_000_000_000n;

export async function currentFees(node: JsonRpcClient, { baseFeePerGas }: Head): Promise<Fees> {
  const suggested = (await readSuggestedPriorityFee(node)) || FALLBACK_PRIORITY_FEE;
  const maxPriorityFeePerGas = min(suggested, MAX_FEE_PER_GAS);
  // The base fee can double in six full blocks.
  return { maxPriorityFeePerGas, maxFeePerGas: min(2n * baseFeePerGas + maxPriorityFeePerGas, MAX_FEE_PER_GAS) };
}

/** Undefined when that would be too much. */
export async function raisedFees(node: JsonRpcClient, last: Fees, head: Head): Promise<Fees | undefined> {
  const current = await currentFees(node, head);
  const fees = {
    maxFeePerGas: max(current.maxFeePerGas, raised(last.maxFeePerGas)),
    maxPriorityFeePerGas: max(current.maxPriorityFeePerGas, raised(last.maxPriorityFeePerGas)),
  };
  return fees.maxFeePerGas <= MAX_FEE_PER_GAS ? fees : undefined;
}

function raised(fee: bigint): bigint {
  return fee + fee / REPLACEMENT_RISE + 1n;
}

function max(one: bigint, two: bigint): bigint {
  return one > two ? one : two;
}

function min(one: bigint, two: bigint): bigint {
  return one < two ? one : two;
}
