// Finds the block in which the registry contract was deployed, where its mirror begins.

import { hasCode, type JsonRpcClient, JsonRpcError, readRegistryEvents } from '@provenance-registry/chain-client';
import type { Hex } from '../../domain/ports/index.js';

/** The genesis block has no logs. */
const EARLIEST_BLOCK = 1n;

/** The earliest block of the chain when the node lacks the state of old blocks. */
export async function findFirstBlock(node: JsonRpcClient, registry: Hex, head: bigint): Promise<bigint> {
  try {
    let [low, high] = [EARLIEST_BLOCK, head];
    while (low < high) {
      const middle = (low + high) / 2n;
      if (await hasCode(node, registry, middle)) high = middle;
      else low = middle + 1n;
    }
    // The constructor logs the endpoints. A node may also return no code for state that it no longer has.
    const events = await readRegistryEvents(node, registry, { from: low, to: low });
    return events.some(({ kind }) => kind === 'endpoints') ? low : EARLIEST_BLOCK;
  } catch (error) {
    if (error instanceof JsonRpcError) return EARLIEST_BLOCK;
    throw error;
  }
}
