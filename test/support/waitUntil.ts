// Waits for a condition that other processes or background work bring about.

import { setTimeout as delay } from 'node:timers/promises';

/** Far above what any scenario takes on a slow machine. */
const TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 10;

export async function waitUntil(check: () => boolean | Promise<boolean>, condition: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${condition}`);
    await delay(POLL_INTERVAL_MS);
  }
}
