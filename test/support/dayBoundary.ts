// Daily quotas reset at midnight UTC, also in the middle of a test.

import { setTimeout as delay } from 'node:timers/promises';

const DAY_MS = 24 * 60 * 60 * 1000;
/** What a test of a daily quota takes on a busy machine. */
const NEEDED_MS = 40_000;

/** Waits for the next day if the current one is nearly over. */
export async function waitForDayBoundary(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < NEEDED_MS) await delay(left);
}
