// Limits how many asynchronous tasks run at once and how many more may wait.

type ConcurrencyLimiter = <T>(work: () => Promise<T>) => Promise<T>;

/** First come, first served. If the maximum is a function, it counts at the start and at the end of each task. `createQueueFullError` makes the error that is thrown when the queue is full. */
export function limitConcurrency(
  maxRunning: number | (() => number),
  maxWaiting: number,
  createQueueFullError: () => Error,
): ConcurrencyLimiter {
  const readMax = typeof maxRunning === 'function' ? maxRunning : () => maxRunning;
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < readMax()) {
      running += 1;
    } else {
      if (waiting.length >= maxWaiting) throw createQueueFullError();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      running -= 1;
      // The slot passes directly to the next task, so that no newcomer can take it in between.
      while (running < readMax() && waiting.length > 0) {
        running += 1;
        waiting.shift()?.();
      }
    }
  };
}
