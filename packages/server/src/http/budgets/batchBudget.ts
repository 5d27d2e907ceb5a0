// Limits the batches in progress: how many run at once, fairly among callers, and the memory of all of them.

import { FairLimit } from '../../workers/fairLimit.js';
import { busyError } from '../parsing/json.js';
import { MemoryBudget } from './memoryBudget.js';

/** Memory of all batches that run or wait: hundreds of ordinary ones, and four of the largest. */
const MAX_BYTES = 25_165_824;

export interface Batch {
  /** The id of the user whose turn it is. */
  readonly client: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/** Runs the work when it is its turn. Rejects with UNAVAILABLE if the budget is used up. */
export type BatchBudget = <T>(batch: Batch, work: () => Promise<T>) => Promise<T>;

export function createBatchBudget(): BatchBudget {
  const memory = new MemoryBudget(MAX_BYTES);
  const limit = new FairLimit({
    name: 'batches',
    // Two keep the machine busy; more let short batches pass long ones. Each result is some kilobytes until it is sent.
    maxRunning: 8,
    maxRunningPerClient: 4,
    // Within the memory.
    maxWaiting: 1_000,
    maxWaitingPerClient: 100,
    maxWaitingPerLane: 100,
  });
  return async ({ client, bytes, signal }, work) => {
    const givenUp = new AbortController();
    const holding = memory.hold(client, () => {
      holding.release();
      givenUp.abort(busyError());
    });
    try {
      if (!holding.add(bytes)) throw busyError();
      return await limit.run({ client, signal: AbortSignal.any([signal, givenUp.signal]) }, () => {
        holding.keep();
        return work();
      });
    } finally {
      holding.release();
    }
  };
}
