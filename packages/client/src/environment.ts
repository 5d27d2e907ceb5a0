// What the SDK takes from the world: the network, time and chance. Tests bring their own.

export interface Surroundings {
  readonly fetch: typeof fetch;
  /** Milliseconds, of a clock that never goes back. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Rejects with the signal's reason when that comes first. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Does it then, unless what it answers with is called before. */
  readonly after: (ms: number, work: () => void) => () => void;
}

export const world: Surroundings = {
  fetch: (...request) => fetch(...request),
  now: () => performance.now(),
  random: Math.random,
  sleep,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
