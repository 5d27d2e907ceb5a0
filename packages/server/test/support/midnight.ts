// The count of a day begins anew at midnight UTC, also in the middle of a test.

import { setTimeout as delay } from 'node:timers/promises';

const DAY_MS = 24 * 60 * 60 * 1000;
/** For a test of such a count, on a busy machine. */
const NEEDED_MS = 40_000;

/** At once, unless the day is nearly over: then when the next one has begun. */
export async function untilDayIsLongEnough(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < NEEDED_MS) await delay(left);
}
