// Watches transactions that count as confirmed until no reorganisation can reach them.

import { type Head, readBlock } from '@provenance-registry/chain-client';
import type { ConfirmedTransaction, Hex } from '../../domain/ports/index.js';
import type { Submission } from './state.js';

/** So many blocks on top of one that counts as confirmed, and no reorganisation is expected to reach it any more. */
export const REORG_DEPTH = 64n;

export interface Watch {
  /** True when a reorganisation has taken one of them: it is on its way again. */
  look(confirmed: readonly ConfirmedTransaction[], head: Head): Promise<boolean>;
}

export function createWatch({ node, queue, lease, confirmations, outcomes, log }: Submission): Watch {
  /** While this head is in the chain, so are all these transactions. */
  let seen: { readonly head: Head; readonly ids: ReadonlySet<string> } | undefined;

  async function look(confirmed: readonly ConfirmedTransaction[], head: Head): Promise<boolean> {
    if (confirmed.length === 0) return false;
    const trusted = (await isStillThere(head)) ? seen?.ids : undefined;
    const lost = await takenBack(confirmed.filter(({ id }) => !trusted?.has(id)));
    if (lost.length > 0) {
      seen = undefined;
      log('warn', { transactions: lost.length }, 'chain: a reorganisation took confirmed transactions back');
      await queue.reopen(lease, lost);
      outcomes.reorganised += lost.length;
      return true;
    }
    seen = { head, ids: new Set(confirmed.map(({ id }) => id)) };
    const settled = confirmed.filter(({ block }) => head.number - block.number >= confirmations + REORG_DEPTH);
    if (settled.length > 0) {
      await queue.forget(
        lease,
        settled.map(({ id }) => id),
      );
    }
    return false;
  }

  async function isStillThere(head: Head): Promise<boolean> {
    if (!seen) return false;
    const { number, hash } = seen.head;
    if (head.hash === hash || head.parentHash === hash) return true;
    return (await readBlock(node, number))?.hash === hash;
  }

  /** Each block is asked for, and all in one request: two of them may be from before and after a reorganisation. */
  async function takenBack(doubtful: readonly ConfirmedTransaction[]): Promise<string[]> {
    const numbers = [...new Set(doubtful.map(({ block }) => block.number))];
    const hashes = new Map<bigint, Hex | undefined>(
      await Promise.all(numbers.map(async (number) => [number, (await readBlock(node, number))?.hash] as const)),
    );
    return doubtful.filter(({ block }) => hashes.get(block.number) !== block.hash).map(({ id }) => id);
  }

  return { look };
}
