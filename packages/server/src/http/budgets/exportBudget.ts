// The budget of exports: how many are open at once, and how many of their pages are made at once.

import { FairLimit } from '../../workers/fairLimit.js';

const MAX_OPEN = 64;
const MAX_WAITING = 256;

/** Each has a page in memory, for as long as its client takes to read it. */
export function createExportBudget() {
  const queue = { maxWaiting: MAX_WAITING, maxWaitingPerClient: 32, maxWaitingPerLane: 32 };
  return {
    open: new FairLimit({ name: 'exports', maxRunning: MAX_OPEN, maxRunningPerClient: 2, ...queue, maxWaitMs: 60_000 }),
    /** No more wait than are open. */
    pages: new FairLimit({ name: 'export-pages', maxRunning: 2, maxRunningPerClient: 1, ...queue }),
  };
}
