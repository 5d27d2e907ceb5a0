// Processes the items of a stream in parallel and yields the results in the order of the items, each as soon as those
// before it are known.

/** Results that wait for an earlier item, for each item in progress: a slow one does not stop the others at once. */
const WAITING_PER_RUNNING = 8;

interface Slot<R> {
  result?: { readonly value: R };
}

/** Maps with at most `maxRunning` items in progress. Rejects when `map` does. */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T>,
  maxRunning: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const iterator = items[Symbol.asyncIterator]();
  /** Results in the order of the items. */
  const slots: Slot<R>[] = [];
  const running = new Set<Promise<void>>();
  let next: Promise<void> | undefined;
  let isExhausted = false;

  function start(item: T): void {
    const slot: Slot<R> = {};
    slots.push(slot);
    const work = map(item).then((value) => {
      slot.result = { value };
      running.delete(work);
    });
    // Awaited in a race, which may be over when another item fails first.
    work.catch(() => {});
    running.add(work);
  }

  async function takeNext(): Promise<void> {
    const { done, value } = await iterator.next();
    next = undefined;
    if (done) isExhausted = true;
    else start(value);
  }

  try {
    while (!isExhausted || slots.length > 0) {
      const hasRoom = running.size < maxRunning && slots.length < maxRunning * WAITING_PER_RUNNING;
      if (!isExhausted && hasRoom) next ??= takeNext();
      await Promise.race(next ? [next, ...running] : running);
      for (let first = slots[0]; first?.result; first = slots[0]) {
        slots.shift();
        yield first.result.value;
      }
    }
  } finally {
    next?.catch(() => {});
    // Not awaited: the stream may be waiting for input.
    void iterator.return?.()?.catch(() => {});
  }
}
