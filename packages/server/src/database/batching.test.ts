// What comes together is asked together, here lookups, and done together.

import type { Fingerprint } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { batchLoad, groupCommit } from './batching.js';

const fingerprintAt = (index: number): Fingerprint => `0x${index.toString(16).padStart(64, '0')}`;
const idOf = (fingerprint: Fingerprint) => `id of ${fingerprint}`;

/** A database that answers when it is told to. */
function slowArtifacts() {
  const questions: { asked: readonly Fingerprint[]; answer: () => void; fail: () => void }[] = [];
  let arrived = () => {};
  return {
    questions,
    /** Settles when so many questions have been asked. */
    async until(count: number) {
      while (questions.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
    findIds: (asked: readonly Fingerprint[]) =>
      new Promise<Map<Fingerprint, string>>((resolve, reject) => {
        const known = asked.filter((fingerprint) => fingerprint !== fingerprintAt(0));
        questions.push({
          asked,
          answer: () => resolve(new Map(known.map((fingerprint) => [fingerprint, idOf(fingerprint)]))),
          fail: () => reject(new Error('the database is away')),
        });
        arrived();
      }),
  };
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => fingerprintAt(from + index));

describe('lookups', () => {
  it('that come together share one round trip, and each gets its own answer', async () => {
    const artifacts = slowArtifacts();
    const lookUp = batchLoad(artifacts.findIds);
    const answers = Promise.all(range(0, 100).map(lookUp));
    await artifacts.until(1);
    artifacts.questions[0]?.answer();
    expect(await answers).toEqual([undefined, ...range(1, 99).map(idOf)]);
    expect(artifacts.questions.map(({ asked }) => asked.length)).toEqual([100]);
  });

  it('of one fingerprint ask for it once', async () => {
    const artifacts = slowArtifacts();
    const lookUp = batchLoad(artifacts.findIds);
    const answers = Promise.all(Array.from({ length: 50 }, () => lookUp(fingerprintAt(7))));
    await artifacts.until(1);
    artifacts.questions[0]?.answer();
    expect(new Set(await answers)).toEqual(new Set([idOf(fingerprintAt(7))]));
    expect(artifacts.questions.map(({ asked }) => asked)).toEqual([[fingerprintAt(7)]]);
  });

  it('that come while two questions are under way wait for one of them, and then go together', async () => {
    const artifacts = slowArtifacts();
    const lookUp = batchLoad(artifacts.findIds);
    const early = [lookUp(fingerprintAt(1))];
    await artifacts.until(1);
    early.push(lookUp(fingerprintAt(2)));
    await artifacts.until(2);
    const late = Promise.all(range(10, 30).map(lookUp));
    artifacts.questions[0]?.answer();
    await artifacts.until(3);
    artifacts.questions[2]?.answer();
    // The second question is still open: nobody waits for somebody else's.
    expect(await late).toEqual(range(10, 30).map(idOf));
    artifacts.questions[1]?.answer();
    expect(await Promise.all(early)).toEqual([idOf(fingerprintAt(1)), idOf(fingerprintAt(2))]);
    expect(artifacts.questions.map(({ asked }) => asked.length)).toEqual([1, 1, 30]);
  });

  it('are asked five hundred at a time', async () => {
    const artifacts = slowArtifacts();
    const lookUp = batchLoad(artifacts.findIds);
    const answers = Promise.all(range(1, 1_200).map(lookUp));
    for (let answered = 0; answered < 3; answered += 1) {
      await artifacts.until(answered + 1);
      artifacts.questions[answered]?.answer();
    }
    expect(await answers).toEqual(range(1, 1_200).map(idOf));
    expect(artifacts.questions.map(({ asked }) => asked.length)).toEqual([500, 500, 200]);
  });

  it('fail with the question that they were in, and the next ones do not', async () => {
    const artifacts = slowArtifacts();
    const lookUp = batchLoad(artifacts.findIds);
    const failing = Promise.allSettled(range(1, 3).map(lookUp));
    await artifacts.until(1);
    artifacts.questions[0]?.fail();
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const next = lookUp(fingerprintAt(1));
    await artifacts.until(2);
    artifacts.questions[1]?.answer();
    expect(await next).toBe(idOf(fingerprintAt(1)));
  });
});

describe('work of a group', () => {
  /** Work that ends when it is told to; says what was done together. */
  function slowWork() {
    const done: string[][] = [];
    const ends: ((failure?: Error) => void)[] = [];
    const join = groupCommit(
      (items: readonly string[]) =>
        new Promise<string[]>((resolve, reject) => {
          done.push([...items]);
          ends.push((failure) => (failure ? reject(failure) : resolve(items.map((item) => `${item} done`))));
        }),
    );
    return { done, join, end: (index: number, failure?: Error) => ends[index]?.(failure) };
  }
  const group = (count: number, join: ReturnType<typeof slowWork>['join'], name = 'ours') =>
    Array.from({ length: count }, () => join(name));
  const arriveAll = (companions: ReturnType<typeof group>, from = 0) =>
    companions.map((companion, index) => companion.arrive(`${from + index}`));

  it('begins at once for who is alone, and for half of those who are on their way', () => {
    const { done, join } = slowWork();
    join('alone').arrive('0');
    expect(done).toEqual([['0']]);
    const companions = group(6, join);
    arriveAll(companions.slice(0, 2));
    expect(done.length).toBe(1);
    arriveAll(companions.slice(2, 3), 2);
    expect(done[1]).toEqual(['0', '1', '2']);
  });

  it('does not wait long for those who stay away', async () => {
    const { done, join, end } = slowWork();
    const [first] = group(8, join);
    const result = first?.arrive('0');
    expect(done).toEqual([]);
    await expect.poll(() => done).toEqual([['0']]);
    end(0);
    expect(await result).toBe('0 done');
  });

  it('does not wait at all for those who have left', () => {
    const { done, join } = slowWork();
    const companions = group(3, join);
    arriveAll(companions.slice(0, 1));
    expect(done).toEqual([]);
    companions[1]?.leave();
    expect(done).toEqual([['0']]);
  });

  it('is done once at a time: who comes meanwhile comes next, with its own result', async () => {
    const { done, join, end } = slowWork();
    const companions = group(4, join);
    const early = arriveAll(companions.slice(0, 2));
    const late = arriveAll(companions.slice(2), 2);
    expect(done).toEqual([['0', '1']]);
    end(0);
    expect(await Promise.all(early)).toEqual(['0 done', '1 done']);
    await expect.poll(() => done.length).toBe(2);
    end(1);
    expect(await Promise.all(late)).toEqual(['2 done', '3 done']);
  });

  it('of one group does not wait for another', () => {
    const { done, join } = slowWork();
    join('theirs').arrive('0');
    join('ours').arrive('1');
    expect(done).toEqual([['0'], ['1']]);
  });

  it('fails for those who did it together, and for nobody else', async () => {
    const { done, join, end } = slowWork();
    const companions = group(3, join);
    const failing = Promise.allSettled(arriveAll(companions.slice(0, 2)));
    const next = companions[2]?.arrive('2');
    end(0, new Error('the database is away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect.poll(() => done.length).toBe(2);
    end(1);
    expect(await next).toBe('2 done');
  });
});
