// The fees that a transaction offers.

import { type Head, type JsonRpcClient, readSuggestedPriorityFee } from '@provenance-registry/chain-client';
import type { NewAttempt } from '../../domain/ports/index.js';

export type Fees = Pick<NewAttempt, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Nodes accept a replacement only if both fees rise by a tenth; this raises them by an eighth. */
const REPLACEMENT_RAISE_DIVISOR = 8n;
const FALLBACK_PRIORITY_FEE = 1_000_000_000n;
/** Limit in wei. A higher price is a mistake or an attack: transactions wait until it falls. */
const MAX_FEE_PER_GAS = 2_000_000_000_000n;

export async function currentFees(node: JsonRpcClient, { baseFeePerGas }: Head): Promise<Fees> {
  const suggested = (await readSuggestedPriorityFee(node)) || FALLBACK_PRIORITY_FEE;
  const maxPriorityFeePerGas = min(suggested, MAX_FEE_PER_GAS);
  // The base fee can double in six full blocks.
  return { maxPriorityFeePerGas, maxFeePerGas: min(2n * baseFeePerGas + maxPriorityFeePerGas, MAX_FEE_PER_GAS) };
}

/** Undefined when that would exceed the limit. */
export async function replacementFees(node: JsonRpcClient, last: Fees, head: Head): Promise<Fees | undefined> {
  const current = await currentFees(node, head);
  const fees = {
    maxFeePerGas: max(current.maxFeePerGas, raiseFee(last.maxFeePerGas)),
    maxPriorityFeePerGas: max(current.maxPriorityFeePerGas, raiseFee(last.maxPriorityFeePerGas)),
  };
  return fees.maxFeePerGas <= MAX_FEE_PER_GAS ? fees : undefined;
}

function raiseFee(fee: bigint): bigint {
  return fee + fee / REPLACEMENT_RAISE_DIVISOR + 1n;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
