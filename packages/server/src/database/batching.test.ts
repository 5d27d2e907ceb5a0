// Batched loads share a round trip; commits of a group go together.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fingerprint } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { batchLoad, groupCommit } from './batching.js';

const fingerprintAt = (index: number): Fingerprint => `0x${index.toString(16).padStart(64, '0')}`;
const idOf = (fingerprint: Fingerprint) => `id of ${fingerprint}`;

/** A database whose queries end when the test says so. */
function slowArtifacts() {
  const queries: { keys: readonly Fingerprint[]; finish: () => void; fail: () => void }[] = [];
  let onQuery = () => {};
  return {
    queries,
    /** Resolves when so many queries have started. */
    async untilQueries(count: number) {
      while (queries.length < count) {
        await new Promise<void>((resolve) => {
          onQuery = resolve;
        });
      }
    },
    findIds: (keys: readonly Fingerprint[]) =>
      new Promise<Map<Fingerprint, string>>((resolve, reject) => {
        const known = keys.filter((fingerprint) => fingerprint !== fingerprintAt(0));
        queries.push({
          keys,
          finish: () => resolve(new Map(known.map((fingerprint) => [fingerprint, idOf(fingerprint)]))),
          fail: () => reject(new Error('the database is unavailable')),
        });
        onQuery();
      }),
  };
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => fingerprintAt(from + index));

describe('batched loads', () => {
  it('that start together share one round trip, and each gets its own value', async () => {
    const artifacts = slowArtifacts();
    const load = batchLoad(artifacts.findIds);
    const values = Promise.all(range(0, 100).map(load));
    await artifacts.untilQueries(1);
    artifacts.queries[0]?.finish();
    expect(await values).toEqual([undefined, ...range(1, 99).map(idOf)]);
    expect(artifacts.queries.map(({ keys }) => keys.length)).toEqual([100]);
  });

  it('of one key query it once', async () => {
    const artifacts = slowArtifacts();
    const load = batchLoad(artifacts.findIds);
    const values = Promise.all(Array.from({ length: 50 }, () => load(fingerprintAt(7))));
    await artifacts.untilQueries(1);
    artifacts.queries[0]?.finish();
    expect(new Set(await values)).toEqual(new Set([idOf(fingerprintAt(7))]));
    expect(artifacts.queries.map(({ keys }) => keys)).toEqual([[fingerprintAt(7)]]);
  });

  it('that start during two queries wait for one of them, and then go together', async () => {
    const artifacts = slowArtifacts();
    const load = batchLoad(artifacts.findIds);
    const early = [load(fingerprintAt(1))];
    await artifacts.untilQueries(1);
    early.push(load(fingerprintAt(2)));
    await artifacts.untilQueries(2);
    const late = Promise.all(range(10, 30).map(load));
    artifacts.queries[0]?.finish();
    await artifacts.untilQueries(3);
    artifacts.queries[2]?.finish();
    // The second query is still open: only its own callers wait for it.
    expect(await late).toEqual(range(10, 30).map(idOf));
    artifacts.queries[1]?.finish();
    expect(await Promise.all(early)).toEqual([idOf(fingerprintAt(1)), idOf(fingerprintAt(2))]);
    expect(artifacts.queries.map(({ keys }) => keys.length)).toEqual([1, 1, 30]);
  });

  it('go five hundred at a time', async () => {
    const artifacts = slowArtifacts();
    const load = batchLoad(artifacts.findIds);
    const values = Promise.all(range(1, 1_200).map(load));
    for (let finished = 0; finished < 3; finished += 1) {
      await artifacts.untilQueries(finished + 1);
      artifacts.queries[finished]?.finish();
    }
    expect(await values).toEqual(range(1, 1_200).map(idOf));
    expect(artifacts.queries.map(({ keys }) => keys.length)).toEqual([500, 500, 200]);
  });

  it('fail with the query that they were in, and the next ones do not', async () => {
    const artifacts = slowArtifacts();
    const load = batchLoad(artifacts.findIds);
    const failing = Promise.allSettled(range(1, 3).map(load));
    await artifacts.untilQueries(1);
    artifacts.queries[0]?.fail();
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const next = load(fingerprintAt(1));
    await artifacts.untilQueries(2);
    artifacts.queries[1]?.finish();
    expect(await next).toBe(idOf(fingerprintAt(1)));
  });
});

describe('commits of a group', () => {
  /** Commits that end when the test says so. */
  function slowCommits() {
    const batches: string[][] = [];
    const ends: ((failure?: Error) => void)[] = [];
    const openSlot = groupCommit(
      (items: readonly string[]) =>
        new Promise<PromiseSettledResult<string>[]>((resolve, reject) => {
          batches.push([...items]);
          const results = items.map((item) => ({ status: 'fulfilled' as const, value: `${item} done` }));
          ends.push((failure) => (failure ? reject(failure) : resolve(results)));
        }),
    );
    return { batches, openSlot, end: (index: number, failure?: Error) => ends[index]?.(failure) };
  }
  const openSlots = (count: number, openSlot: ReturnType<typeof slowCommits>['openSlot']) =>
    Array.from({ length: count }, () => openSlot('ours'));
  const submitAll = (slots: ReturnType<typeof openSlots>, from = 0) =>
    slots.map((slot, index) => slot.submit(`${from + index}`));

  it('start in the next turn for a single slot, and for half of the open slots', async () => {
    const { batches, openSlot } = slowCommits();
    openSlot('alone').submit('0');
    await nextTurn();
    expect(batches).toEqual([['0']]);
    const slots = openSlots(6, openSlot);
    submitAll(slots.slice(0, 2));
    await nextTurn();
    expect(batches.length).toBe(1);
    submitAll(slots.slice(2, 3), 2);
    await nextTurn();
    expect(batches[1]).toEqual(['0', '1', '2']);
  });

  it('have everything that was submitted in the same turn', async () => {
    const { batches, openSlot } = slowCommits();
    submitAll(openSlots(5, openSlot));
    await nextTurn();
    expect(batches).toEqual([['0', '1', '2', '3', '4']]);
  });

  it('wait while each turn brings more', async () => {
    const { batches, openSlot } = slowCommits();
    const slots = openSlots(10, openSlot);
    for (const [from, to] of [
      [0, 6],
      [6, 7],
      [7, 9],
    ]) {
      submitAll(slots.slice(from, to), from);
      await nextTurn();
      expect(batches).toEqual([]);
    }
    await nextTurn();
    expect(batches).toEqual([['0', '1', '2', '3', '4', '5', '6', '7', '8']]);
  });

  it('do not wait long for slots that do not submit', async () => {
    const { batches, openSlot, end } = slowCommits();
    const [first] = openSlots(8, openSlot);
    const result = first?.submit('0');
    expect(batches).toEqual([]);
    await expect.poll(() => batches).toEqual([['0']]);
    end(0);
    expect(await result).toBe('0 done');
  });

  it('do not wait at all for released slots', async () => {
    const { batches, openSlot } = slowCommits();
    const slots = openSlots(3, openSlot);
    submitAll(slots.slice(0, 1));
    expect(batches).toEqual([]);
    slots[1]?.release();
    await nextTurn();
    expect(batches).toEqual([['0']]);
  });

  it('count a slot that is released twice once', async () => {
    const { batches, openSlot } = slowCommits();
    const slots = openSlots(5, openSlot);
    submitAll(slots.slice(0, 1));
    slots[1]?.release();
    slots[1]?.release();
    slots[1]?.release();
    await nextTurn();
    expect(batches).toEqual([]);
  });

  it('run one at a time: what is submitted meanwhile is in the next, with its own result', async () => {
    const { batches, openSlot, end } = slowCommits();
    const slots = openSlots(4, openSlot);
    const early = submitAll(slots.slice(0, 2));
    await nextTurn();
    const late = submitAll(slots.slice(2), 2);
    expect(batches).toEqual([['0', '1']]);
    end(0);
    expect(await Promise.all(early)).toEqual(['0 done', '1 done']);
    await expect.poll(() => batches.length).toBe(2);
    end(1);
    expect(await Promise.all(late)).toEqual(['2 done', '3 done']);
  });

  it('do not wait for another group', async () => {
    const { batches, openSlot } = slowCommits();
    openSlot('theirs').submit('0');
    openSlot('ours').submit('1');
    await nextTurn();
    expect(batches).toEqual([['0'], ['1']]);
  });

  it('fail for the items in them, and for no others', async () => {
    const { batches, openSlot, end } = slowCommits();
    const slots = openSlots(3, openSlot);
    const failing = Promise.allSettled(submitAll(slots.slice(0, 2)));
    await nextTurn();
    const next = slots[2]?.submit('2');
    end(0, new Error('the database is unavailable'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect.poll(() => batches.length).toBe(2);
    end(1);
    expect(await next).toBe('2 done');
  });

  it('reject the items for which the batch returns no result, or a failure', async () => {
    const openSlot = groupCommit(async (_items: readonly string[]) => [
      { status: 'fulfilled' as const, value: 'done' },
      { status: 'rejected' as const, reason: new Error('refused') },
    ]);
    const slots = Array.from({ length: 6 }, () => openSlot('ours'));
    const results = await Promise.allSettled(slots.slice(0, 3).map((slot, index) => slot.submit(`${index}`)));
    expect(results).toEqual([
      { status: 'fulfilled', value: 'done' },
      { status: 'rejected', reason: new Error('refused') },
      { status: 'rejected', reason: new Error('the batch returned no result for this item') },
    ]);
  });
});
