// Work in slices: between two of them the event loop serves others, and clients take turns.

import { describe, expect, it } from 'vitest';
import { mapInSlices, runSlice, waitToBegin } from './slices.js';

/** Counts the turns of the event loop until the work is finished. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isFinished = false;
  const count = () => {
    turns += 1;
    if (!isFinished) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isFinished = true;
  return turns;
}

describe('a long list', () => {
  const items = Array.from({ length: 100 }, (_, index) => index);

  it('is mapped in order, a few items between two turns of the event loop', async () => {
    const sizes: number[] = [];
    let size = 0;
    const observe = () => {
      if (size > 0) sizes.push(size);
      size = 0;
      if (sizes.reduce((sum, one) => sum + one, 0) < items.length) setImmediate(observe);
    };
    setImmediate(observe);
    const mapped = await mapInSlices('a', items, 10, (item) => {
      size += 1;
      return item * 2;
    });
    expect(mapped).toEqual(items.map((item) => item * 2));
    await expect.poll(() => sizes).toEqual(Array.from({ length: 10 }, () => 10));
  });

  it('that fails in the middle rejects, and the next one is mapped', async () => {
    const failing = mapInSlices('a', items, 10, (item) => {
      if (item === 55) throw new Error('the item is malformed');
      return item;
    });
    await expect(failing).rejects.toThrow('the item is malformed');
    expect(await mapInSlices('a', [1, 2], 1, String)).toEqual(['1', '2']);
  });
});

it('Long lists of many requests still leave a turn of the event loop to others after each slice', async () => {
  const lists = Array.from({ length: 32 }, (_, index) => mapInSlices(`client ${index}`, [1, 2, 3, 4], 1, String));
  // The first slice runs at once.
  expect(await countTurns(Promise.all(lists))).toBeGreaterThanOrEqual(32 * 4 - 1);
});

it('A slice of another client comes before the rest of a client with many', async () => {
  const done: string[] = [];
  const hog = Array.from({ length: 32 }, () => runSlice('hog', () => done.push('hog')));
  const other = runSlice('other', () => done.push('other'));
  await Promise.all([...hog, other]);
  expect(done.indexOf('other')).toBeLessThanOrEqual(2);
});

describe('requests of a client with many', () => {
  const beginMany = (begun: string[]) =>
    Array.from({ length: 96 }, () => waitToBegin('hog').then(() => begun.push('hog')));

  it('begin a few in a turn of the event loop', async () => {
    expect(await countTurns(Promise.all(beginMany([])))).toBeGreaterThanOrEqual(2);
  });

  it('leave the next turn to a request of another client, and to a slice', async () => {
    const begun: string[] = [];
    const hog = beginMany(begun);
    const other = waitToBegin('other').then(() => begun.push('other'));
    const slice = runSlice('third', () => begun.push('slice'));
    await Promise.all([...hog, other, slice]);
    expect(begun.indexOf('other')).toBeLessThanOrEqual(33);
    expect(begun.indexOf('slice')).toBeLessThanOrEqual(65);
  });

  it('wait for nothing after a thousand in a row, until another client comes', async () => {
    const beginAll = (count: number) => Promise.all(Array.from({ length: count }, () => waitToBegin('alone')));
    await beginAll(1_001);
    expect(await countTurns(beginAll(320))).toBe(0);
    await waitToBegin('other');
    expect(await countTurns(beginAll(320))).toBeGreaterThanOrEqual(320 / 32 - 1);
  });
});
