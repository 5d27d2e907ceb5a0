// Gives positions to events, in one process at a time.

import type { EventOrder, Feed } from '../domain/ports/index.js';
import { JobLoop } from '../jobs/jobLoop.js';

/** Events of other processes wait this long at most. */
const POLL_MS = 200;
/** Events of one moment are ordered together, also when each of them wakes the orderer. */
const MIN_PAUSE_MS = 25;
/** While the database is unavailable. */
const MAX_PAUSE_MS = 5_000;
/** About 50 ms of work, during which no other process can order events. */
const BATCH_SIZE = 1_000;

export interface EventOrdererOptions {
  readonly feed: Pick<Feed, 'order'>;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export interface EventOrderer extends EventOrder {
  /** Resolves when nothing is under way any more. Events without a position get one after the next start. */
  close(): Promise<void>;
}

export function startEventOrderer({ feed, log }: EventOrdererOptions): EventOrderer {
  const loop = new JobLoop({
    async step() {
      return (await feed.order(BATCH_SIZE)) === BATCH_SIZE ? 0 : POLL_MS;
    },
    onFailure(_, { reason, count }) {
      if (count === 1) log('warn', { reason }, 'events cannot be ordered');
      return Math.min(POLL_MS * 2 ** count, MAX_PAUSE_MS);
    },
    onRecovery: () => log('info', {}, 'events are ordered again'),
    minPauseMs: MIN_PAUSE_MS,
  });
  return {
    wake() {
      // Requests cannot know better than the loop whether the database is back.
      if (loop.failures === 0) loop.wake();
    },
    close: () => loop.stop(),
  };
}
