// Gives positions to events, in one process at a time.

import type { Feed } from '../domain/ports/index.js';
import { JobLoop } from '../jobs/jobLoop.js';
import type { WorkNotices } from '../jobs/workNotices.js';

/** Events that no notice told of wait this long at most; longer while there are no notices. */
const POLL_MS = 200;
/** Events of one moment are ordered together, also when each of them wakes the orderer. */
const MIN_PAUSE_MS = 25;
/** While the database is unavailable. */
const MAX_PAUSE_MS = 5_000;
/** About 50 ms of work, during which no other process can order events. */
const BATCH_SIZE = 1_000;

export interface EventOrdererOptions {
  readonly feed: Pick<Feed, 'order'>;
  readonly notices: WorkNotices;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export interface EventOrderer {
  /** Resolves when nothing is under way any more. Events without a position get one after the next start. */
  close(): Promise<void>;
}

export function startEventOrderer({ feed, notices, log }: EventOrdererOptions): EventOrderer {
  const loop = new JobLoop({
    async step() {
      const count = await feed.order(BATCH_SIZE);
      // Webhooks send them.
      if (count > 0) notices.announce();
      return count === BATCH_SIZE ? 0 : notices.pauseMs(POLL_MS);
    },
    onFailure(_, { reason, count }) {
      if (count === 1) log('warn', { reason }, 'events cannot be ordered');
      return Math.min(POLL_MS * 2 ** count, MAX_PAUSE_MS);
    },
    onRecovery: () => log('info', {}, 'events are ordered again'),
    minPauseMs: MIN_PAUSE_MS,
    notices,
  });
  return { close: () => loop.stop() };
}
