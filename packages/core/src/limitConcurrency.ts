// Limits how many asynchronous tasks run at once and how many more may wait.

type ConcurrencyLimiter = <T>(work: () => Promise<T>) => Promise<T>;

/** First come, first served. `createQueueFullError` makes the error that is thrown when the queue is full. */
export function limitConcurrency(
  maxRunning: number,
  maxWaiting: number,
  createQueueFullError: () => Error,
): ConcurrencyLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < maxRunning) {
      running += 1;
    } else {
      if (waiting.length >= maxWaiting) throw createQueueFullError();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The slot passes directly to the next task, so that no newcomer can take it in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
