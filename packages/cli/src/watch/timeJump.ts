// Notices that the machine slept, or that its clock was set: timers and file system events may have been lost meanwhile.

export interface Clock {
  /** Milliseconds since 1970, as the machine's clock says. */
  readonly wallMs: () => number;
  /** Milliseconds that do not depend on the clock's settings. May stand still while the machine sleeps. */
  readonly monotonicMs: () => number;
}

const systemClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** More than a busy machine delays a timer, or a time server corrects a clock. */
const MAX_DRIFT_MS = 10_000;

/** The returned function tells whether time has jumped since its last call, which was due `intervalMs` ago. */
export function createTimeJumpDetector(intervalMs: number, clock: Clock = systemClock): () => boolean {
  let last = { wall: clock.wallMs(), monotonic: clock.monotonicMs() };
  return () => {
    const now = { wall: clock.wallMs(), monotonic: clock.monotonicMs() };
    const elapsed = { wall: now.wall - last.wall, monotonic: now.monotonic - last.monotonic };
    last = now;
    const isLate = elapsed.monotonic > intervalMs + MAX_DRIFT_MS;
    return isLate || Math.abs(elapsed.wall - elapsed.monotonic) > MAX_DRIFT_MS;
  };
}
