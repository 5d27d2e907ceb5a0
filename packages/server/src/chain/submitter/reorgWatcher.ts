// Watches confirmed transactions until no reorganization can reach them.

import { type Head, readBlock } from '@provenance-registry/chain-client';
import type { ConfirmedTransaction, Hex } from '../../domain/ports/index.js';
import type { SubmitterContext } from './state.js';

/** No reorganization is expected this many blocks below a confirmed one. */
export const REORG_DEPTH = 64n;

export class ReorgWatcher {
  /** While this head is in the chain, so are these transactions. */
  #lastCheck: { readonly head: Head; readonly ids: ReadonlySet<string> } | undefined;

  constructor(private readonly context: SubmitterContext) {}

  /** Reopens transactions whose blocks are gone, and forgets those that are final. True when it reopened any. */
  async check(confirmed: readonly ConfirmedTransaction[], head: Head, isHeadDoubtful: boolean): Promise<boolean> {
    const { queue, lease, state, log, confirmations } = this.context;
    if (confirmed.length === 0) return false;
    const mayTrustHead = !isHeadDoubtful && (await this.#isLastHeadInChain(head));
    const knownIds = mayTrustHead ? this.#lastCheck?.ids : undefined;
    const removed = await this.#findRemoved(confirmed.filter(({ id }) => !knownIds?.has(id)));
    if (removed.length > 0) {
      this.#lastCheck = undefined;
      log('warn', { transactions: removed.length }, 'chain: a reorganization removed confirmed transactions');
      await queue.reopen(lease, removed);
      state.outcomes.reorganised += removed.length;
      return true;
    }
    this.#lastCheck = { head, ids: new Set(confirmed.map(({ id }) => id)) };
    const final = confirmed.filter(({ block }) => head.number - block.number >= confirmations + REORG_DEPTH);
    const finalIds = final.map(({ id }) => id);
    if (finalIds.length > 0) await queue.deleteTransactions(lease, finalIds);
    return false;
  }

  async #isLastHeadInChain(head: Head): Promise<boolean> {
    const { node } = this.context;
    if (!this.#lastCheck) return false;
    const { number, hash } = this.#lastCheck.head;
    if (head.hash === hash || head.parentHash === hash) return true;
    return (await readBlock(node, number))?.hash === hash;
  }

  /** Reads every block, in one request: two requests may see the chain before and after a reorganization. */
  async #findRemoved(transactions: readonly ConfirmedTransaction[]): Promise<string[]> {
    const { node } = this.context;
    const numbers = [...new Set(transactions.map(({ block }) => block.number))];
    const hashes = new Map<bigint, Hex | undefined>(
      await Promise.all(numbers.map(async (number) => [number, (await readBlock(node, number))?.hash] as const)),
    );
    return transactions.filter(({ block }) => hashes.get(block.number) !== block.hash).map(({ id }) => id);
  }
}
