import { expect, it } from 'vitest';
import { createTimeJumpDetector } from './timeJump.js';

/** The clocks after each tick, and whether time has jumped before it. */
it.each([
  ['an ordinary tick', { wall: 1000, monotonic: 1000 }, false],
  ['a tick on a busy machine', { wall: 6000, monotonic: 6000 }, false],
  ['a correction by a time server', { wall: 1500, monotonic: 1000 }, false],
  ['an hour of sleep that the monotonic clock does not count', { wall: 3_601_000, monotonic: 1000 }, true],
  ['an hour of sleep that it counts', { wall: 3_601_000, monotonic: 3_601_000 }, true],
  ['a clock that was set back', { wall: -3_599_000, monotonic: 1000 }, true],
])('%s', (_, elapsed, expected) => {
  const now = { wall: 1_790_000_000_000, monotonic: 5000 };
  const hasJumped = createTimeJumpDetector(1000, { wallMs: () => now.wall, monotonicMs: () => now.monotonic });
  now.wall += elapsed.wall;
  now.monotonic += elapsed.monotonic;
  expect(hasJumped()).toBe(expected);
  now.wall += 1000;
  now.monotonic += 1000;
  expect(hasJumped()).toBe(false);
});
