// Waiting for status changes, with a clock that the test moves.

import type { ArtifactStatus } from '@provenance-registry/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchStatuses } from './statusChanges.js';

const POLL_MS = 250;

let statuses: Map<string, ArtifactStatus>;
let queries: string[][];
let isUnavailable: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  statuses = new Map();
  queries = [];
  isUnavailable = false;
});
afterEach(() => vi.useRealTimers());

function watch() {
  const changes = watchStatuses({
    async findStatuses(ids) {
      queries.push([...ids]);
      if (isUnavailable) throw new Error('the database is unavailable');
      return new Map([...statuses].filter(([id]) => ids.includes(id)));
    },
  });
  /** Starts to wait for a change from `pending`; the result says whether it has ended. */
  return (id: string, waitMs: number) => {
    if (!statuses.has(id)) statuses.set(id, 'pending');
    let hasEnded = false;
    void changes.waitForChange(id, 'pending', waitMs).then(() => {
      hasEnded = true;
    });
    return () => hasEnded;
  };
}

it('ends after the given time, not before', async () => {
  const hasEnded = watch()('a', 2_000);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(hasEnded()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(hasEnded()).toBe(true);
});

it('ends at the next look after the change, and only for what has changed', async () => {
  const wait = watch();
  const [hasEnded, hasOtherEnded] = [wait('a', 50_000), wait('b', 50_000)];
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(hasEnded()).toBe(false);
  statuses.set('a', 'submitting');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect([hasEnded(), hasOtherEnded()]).toEqual([true, false]);
});

it('takes one query for all who wait, and none when all have ended', async () => {
  const wait = watch();
  const waiting = Array.from({ length: 200 }, (_, index) => wait(['a', 'b', 'c'][index % 3] ?? '', 50_000));
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(queries).toEqual([['a', 'b', 'c']]);
  for (const id of ['a', 'b', 'c']) statuses.set(id, 'submitted');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(waiting.every((hasEnded) => hasEnded())).toBe(true);
  await vi.advanceTimersByTimeAsync(10 * POLL_MS);
  expect(queries).toHaveLength(2);
});

it('goes on while the database is unavailable, and starts again after a pause', async () => {
  const wait = watch();
  isUnavailable = true;
  const hasEnded = wait('a', 50_000);
  await vi.advanceTimersByTimeAsync(3 * POLL_MS);
  expect([queries.length, hasEnded()]).toEqual([3, false]);
  isUnavailable = false;
  statuses.set('a', 'failed');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(hasEnded()).toBe(true);
  await vi.advanceTimersByTimeAsync(10 * POLL_MS);
  const hasSecondEnded = wait('b', 50_000);
  statuses.set('b', 'submitted');
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(hasSecondEnded()).toBe(true);
});
