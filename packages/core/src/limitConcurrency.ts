// Work that takes turns: so much of it at once, so much more waiting, and the rest refused.

export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** In the order of their coming. `refuse` makes the error for whoever comes when the queue is full. */
export function limitConcurrency(atOnce: number, maxWaiting: number, refuse: () => Error): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) {
      running += 1;
    } else {
      if (waiting.length >= maxWaiting) throw refuse();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The place goes on to the next without being free in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
