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
  let [running, isTaking, isExhausted] = [0, false, false];
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};

  // Callbacks instead of a race of promises, which takes longer than hashing a small file.
  function fail(error: unknown): void {
    failure ??= { error };
    wake();
  }

  function start(item: T): void {
    const slot: Slot<R> = {};
    slots.push(slot);
    running += 1;
    map(item).then((value) => {
      slot.result = { value };
      running -= 1;
      wake();
    }, fail);
  }

  function takeNext(): void {
    isTaking = true;
    iterator.next().then(({ done, value }) => {
      isTaking = false;
      if (done) isExhausted = true;
      else start(value);
      wake();
    }, fail);
  }

  try {
    while (!isExhausted || slots.length > 0) {
      if (failure) throw failure.error;
      const hasRoom = running < maxRunning && slots.length < maxRunning * WAITING_PER_RUNNING;
      if (!isExhausted && !isTaking && hasRoom) takeNext();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (let first = slots[0]; first?.result; first = slots[0]) {
        slots.shift();
        yield first.result.value;
      }
    }
  } finally {
    // Not awaited: the stream may be waiting for input.
    void iterator.return?.()?.catch(() => {});
  }
}
