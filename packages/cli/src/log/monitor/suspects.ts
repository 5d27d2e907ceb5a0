// What looks like a contradiction, and may be explained by a leaf that is on its way: it is looked at again for a minute.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowedLeaf } from '@provenance-registry/log';
import type { Finding } from '../findings.js';

/** As long as a leaf may take to be published. */
export const SETTLE_MS = 60_000;
const LOOK_MS = 3_000;
/** More are counted, and not looked at. */
const MAX_SUSPECTS = 1_000;

export interface Suspect {
  readonly finding: Finding;
  /** The leaf that is to be proven. */
  readonly leaf?: Pick<FollowedLeaf, 'index' | 'entry'>;
  readonly isExplained: () => Promise<boolean>;
}

export class Suspects {
  #open: Suspect[] = [];
  omittedCount = 0;

  add(suspect: Suspect): void {
    if (this.#open.length < MAX_SUSPECTS) this.#open.push(suspect);
    else this.omittedCount += 1;
  }

  /** Returns those that are not explained in time. `look` reads the log again. */
  async settle(look: () => Promise<unknown>, settleMs: number, signal: AbortSignal): Promise<readonly Suspect[]> {
    const endsAt = performance.now() + settleMs;
    await this.#removeExplained();
    while (this.#open.length > 0 && performance.now() < endsAt) {
      await sleep(Math.max(0, Math.min(LOOK_MS, endsAt - performance.now())), undefined, { signal });
      await look();
      await this.#removeExplained();
    }
    return this.#open;
  }

  async #removeExplained(): Promise<void> {
    const left: Suspect[] = [];
    for (const suspect of this.#open) if (!(await suspect.isExplained())) left.push(suspect);
    this.#open = left;
  }
}
