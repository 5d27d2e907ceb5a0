// The SDK's access to the network, time and randomness. Tests replace it.

export interface Environment {
  readonly fetch: typeof fetch;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Returns a random number from 0 to below 1. */
  readonly random: () => number;
  /** Rejects with the signal's reason when it aborts first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Runs `work` after a delay; the returned function cancels it. */
  readonly schedule: (ms: number, work: () => void) => () => void;
}

export const defaultEnvironment: Environment = {
  fetch: (...request) => fetch(...request),
  now: () => performance.now(),
  random: Math.random,
  sleep,
  schedule: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const finish = () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    };
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
