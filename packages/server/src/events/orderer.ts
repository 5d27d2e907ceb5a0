// Gives positions to events, in one process at a time.

import { setTimeout as delay } from 'node:timers/promises';
import type { EventOrder, Feed } from '../domain/ports/index.js';

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
  let isClosed = false;
  let isAwake = false;
  let interruptPause = (): void => {};

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      interruptPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  let failures = 0;
  /** How many got a position; undefined when the database is unavailable, which is logged once for each outage. */
  async function order(): Promise<number | undefined> {
    try {
      const count = await feed.order(BATCH_SIZE);
      if (failures > 0) log('info', {}, 'events are ordered again');
      failures = 0;
      return count;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (failures === 0) log('warn', { reason }, 'events cannot be ordered');
      failures += 1;
      return undefined;
    }
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      isAwake = false;
      if ((await order()) === BATCH_SIZE) continue;
      await delay(MIN_PAUSE_MS);
      if (isClosed || isAwake) continue;
      await pause(Math.min(POLL_MS * 2 ** failures, MAX_PAUSE_MS));
    }
  }

  const running = run();
  return {
    wake() {
      // Requests cannot know better than the loop whether the database is back.
      if (failures > 0) return;
      isAwake = true;
      interruptPause();
    },
    async close() {
      isClosed = true;
      interruptPause();
      await running;
    },
  };
}
