// Waits for events of the feed, with one query for all waiting readers.

import type { Feed, FeedChanges } from '../ports/index.js';

/** Interval of the query: events are ordered as often. */
const POLL_MS = 200;

interface Waiter {
  readonly end: bigint;
  readonly concernedIds: ReadonlySet<string>;
  readonly finish: () => void;
}

export function watchFeed(feed: Pick<Feed, 'readProgress'>): FeedChanges {
  const waiters = new Set<Waiter>();
  /** The last position that was polled, while there are waiters. */
  let polledEnd: bigint | undefined;

  async function poll(): Promise<void> {
    // Readers find out by themselves when the database is unavailable.
    const progress = await feed.readProgress(String(polledEnd)).catch(() => undefined);
    if (progress) {
      polledEnd = BigInt(progress.end);
      for (const waiter of [...waiters]) {
        if (waiter.end < polledEnd && progress.concernedIds.some((id) => waiter.concernedIds.has(id))) waiter.finish();
      }
    }
    if (waiters.size > 0) setTimeout(poll, POLL_MS);
    else polledEnd = undefined;
  }

  return {
    waitForEvents({ end, concernedIds }, waitMs, signal) {
      // Events that were polled before the reader waits for them would not be noticed.
      if (signal.aborted || (polledEnd !== undefined && polledEnd > BigInt(end))) return Promise.resolve();
      return new Promise((resolve) => {
        const waiter = { end: BigInt(end), concernedIds: new Set(concernedIds), finish };
        const timeout = setTimeout(finish, waitMs);
        function finish() {
          clearTimeout(timeout);
          signal.removeEventListener('abort', finish);
          waiters.delete(waiter);
          resolve();
        }
        signal.addEventListener('abort', finish);
        waiters.add(waiter);
        if (polledEnd !== undefined) return;
        polledEnd = waiter.end;
        setTimeout(poll, POLL_MS);
      });
    },
  };
}
