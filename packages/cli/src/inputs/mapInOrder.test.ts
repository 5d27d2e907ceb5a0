import { expect, it } from 'vitest';
import { createDeferred } from '../../test/support/deferred.js';
import { mapInOrder } from './mapInOrder.js';

async function* count(end: number, onTaken: (item: number) => void = () => {}) {
  for (let item = 0; item < end; item += 1) {
    onTaken(item);
    yield item;
  }
}

it('yields in the order of the items, whatever finishes first', async () => {
  const first = createDeferred<void>();
  const results: number[] = [];
  const work = mapInOrder(count(4), 2, async (item) => {
    if (item === 0) await first.promise;
    if (item === 3) first.resolve();
    return item * 10;
  });
  for await (const result of work) results.push(result);
  expect(results).toEqual([0, 10, 20, 30]);
});

it('yields a result while the next item is still awaited', async () => {
  async function* stalled() {
    yield 'first';
    await new Promise(() => {});
  }
  const work = mapInOrder(stalled(), 4, async (item) => {
    await new Promise(setImmediate);
    return item;
  });
  expect((await work.next()).value).toBe('first');
});

it('has a limit of items in progress, and of results that wait', async () => {
  let [running, mostRunning, taken] = [0, 0, 0];
  const first = createDeferred<void>();
  const stopped = createDeferred<void>();
  const work = mapInOrder(
    count(1_000, () => {
      taken += 1;
    }),
    3,
    async (item) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await (item === 0 ? first.promise : new Promise(setImmediate));
      // The last item that is taken while the first one blocks.
      if (item === 23) stopped.resolve();
      running -= 1;
      return item;
    },
  );
  const next = work.next();
  await stopped.promise;
  await new Promise(setImmediate);
  expect([taken, mostRunning]).toEqual([24, 3]);
  first.resolve();
  expect((await next).value).toBe(0);
  let last: number | undefined;
  for await (const item of work) last = item;
  expect([last, taken, mostRunning]).toEqual([999, 1_000, 3]);
});

it('rejects when an item does, and ends the source', async () => {
  let isEnded = false;
  async function* source() {
    try {
      yield* count(100);
    } finally {
      isEnded = true;
    }
  }
  const work = mapInOrder(source(), 2, (item) =>
    item === 5 ? Promise.reject(new Error('no')) : Promise.resolve(item),
  );
  await expect(async () => {
    for await (const _ of work);
  }).rejects.toThrow('no');
  expect(isEnded).toBe(true);
});
