// A barrier opens when all of its members wait or have left, or after a while.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Barrier } from './barrier.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function startBarrier() {
  const barrier = new Barrier();
  const passed: string[] = [];
  for (let members = 0; members < 3; members += 1) barrier.join();
  return { barrier, passed, wait: (name: string) => void barrier.wait().then(() => passed.push(name)) };
}

it('keeps members until the last of them waits or has left, again and again', async () => {
  const { barrier, passed, wait } = startBarrier();
  wait('first');
  wait('second');
  await vi.advanceTimersByTimeAsync(1);
  expect(passed).toEqual([]);
  wait('third');
  await vi.advanceTimersByTimeAsync(1);
  expect(passed).toEqual(['first', 'second', 'third']);
  wait('first');
  barrier.leave();
  await vi.advanceTimersByTimeAsync(1);
  expect(passed).toHaveLength(3);
  barrier.leave();
  await vi.advanceTimersByTimeAsync(1);
  expect(passed).toHaveLength(4);
});

it('opens for those that wait when one does not come for five seconds', async () => {
  const { passed, wait } = startBarrier();
  wait('first');
  wait('second');
  await vi.advanceTimersByTimeAsync(4_999);
  expect(passed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(passed).toEqual(['first', 'second']);
});
