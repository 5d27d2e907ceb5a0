// Budgets of expensive work.

import { describe, expect, it } from 'vitest';
import { FairLimit, type FairLimitOptions, type Requester } from './fairLimit.js';

const generous = {
  name: 'test',
  maxRunning: 1,
  maxRunningPerClient: 1,
  maxWaiting: 99,
  maxWaitingPerClient: 99,
  maxWaitingPerLane: 99,
};

function createSubject(options: Partial<FairLimitOptions> = {}) {
  const limit = new FairLimit({ ...generous, ...options });
  const started: string[] = [];
  const finishers: (() => void)[] = [];
  return {
    started,
    run: (name: string, requester: Requester) =>
      limit.run(requester, () => {
        started.push(name);
        return new Promise<string>((resolve) => finishers.push(() => resolve(name)));
      }),
    /** Finishes the work that has run for longest. */
    async finishOne() {
      finishers.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

describe('a fair limit', () => {
  it('gives free slots to clients in turn, however much one of them has waiting', async () => {
    const subject = createSubject();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void subject.run(name, { client: 'a' });
    void subject.run('b1', { client: 'b' });
    void subject.run('c1', { client: 'c' });
    for (let count = 0; count < 6; count += 1) await subject.finishOne();
    expect(subject.started.slice(0, 4).toSorted()).toEqual(['a1', 'a2', 'b1', 'c1']);
    expect(subject.started).toHaveLength(6);
  });

  it('gives the turns of a client to its lanes in turn', async () => {
    const subject = createSubject();
    for (const name of ['x1', 'x2', 'x3', 'x4']) void subject.run(name, { client: 'a', lane: 'x' });
    void subject.run('y1', { client: 'a', lane: 'y' });
    for (let count = 0; count < 2; count += 1) await subject.finishOne();
    expect(subject.started).toEqual(['x1', 'x2', 'y1']);
  });

  it('leaves slots to other clients', async () => {
    const subject = createSubject({ maxRunning: 3, maxRunningPerClient: 2 });
    for (const name of ['a1', 'a2', 'a3']) void subject.run(name, { client: 'a' });
    void subject.run('b1', { client: 'b' });
    expect(subject.started).toEqual(['a1', 'a2', 'b1']);
    await subject.finishOne();
    expect(subject.started).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it.each([
    ['in total', { maxWaiting: 1 }, { client: 'b' }],
    ['of one client', { maxWaitingPerClient: 1 }, { client: 'a', lane: 'y' }],
    ['of one lane', { maxWaitingPerLane: 1 }, { client: 'a', lane: 'x' }],
  ])('refuses work beyond the queue %s, and accepts it again when there is room', async (_name, options, requester) => {
    const subject = createSubject(options);
    void subject.run('1', { client: 'a', lane: 'x' });
    void subject.run('2', { client: 'a', lane: 'x' });
    await expect(subject.run('3', requester)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await subject.finishOne();
    const accepted = subject.run('4', requester);
    await subject.finishOne();
    await subject.finishOne();
    expect(await accepted).toBe('4');
  });

  it.each([
    ['a client', { maxWaiting: 3 }, { client: 'b' }],
    ['a lane', { maxWaitingPerClient: 3 }, { client: 'a', lane: 'y' }],
    ['a lane, when the whole queue is full,', { maxWaiting: 3 }, { client: 'a', lane: 'y' }],
  ])('makes room for %s with less waiting work than the others', async (_name, options, requester) => {
    const subject = createSubject(options);
    const hog = { client: 'a', lane: 'x' };
    void subject.run('1', hog);
    void subject.run('2', hog);
    void subject.run('3', hog);
    const last = subject.run('4', hog);
    const newcomer = subject.run('new', requester);
    await expect(last).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (let count = 0; count < 4; count += 1) await subject.finishOne();
    expect(await newcomer).toBe('new');
    expect(subject.started).toHaveLength(4);
  });

  it('never starts waiting work whose client has gone, and gives its turn to the next', async () => {
    const subject = createSubject({ maxWaiting: 2 });
    const gone = new AbortController();
    void subject.run('1', { client: 'a' });
    const leaving = subject.run('2', { client: 'b', signal: gone.signal });
    const staying = subject.run('3', { client: 'c', signal: new AbortController().signal });
    gone.abort();
    await expect(leaving).rejects.toThrow('aborted');
    await expect(subject.run('4', { client: 'b', signal: gone.signal })).rejects.toThrow('aborted');
    // The place in the queue is free again.
    const next = subject.run('5', { client: 'd' });
    for (let count = 0; count < 3; count += 1) await subject.finishOne();
    expect(await Promise.all([staying, next])).toEqual(['3', '5']);
    expect(subject.started).toEqual(['1', '3', '5']);
  });

  it('runs as much of a client together as its weights allow, and what weighs more alone', async () => {
    const subject = createSubject({ maxRunning: 20, maxRunningPerClient: 10 });
    for (const [name, weight] of Object.entries({ a6: 6, a4: 4, a99: 99, a5: 5, a3: 3 }))
      void subject.run(name, { client: 'a', weight });
    void subject.run('b10', { client: 'b', weight: 10 });
    expect(subject.started).toEqual(['a6', 'a4', 'b10']);
    for (let count = 0; count < 3; count += 1) await subject.finishOne();
    expect(subject.started.slice(3)).toEqual(['a99']);
    await subject.finishOne();
    expect(subject.started.slice(4)).toEqual(['a5', 'a3']);
  });

  it('lets a client have more that was alone a thousand times, until another one comes', async () => {
    const subject = createSubject({ maxRunningAlone: 3 });
    for (let times = 0; times < 1_000; times += 1) {
      void subject.run('before', { client: 'a' });
      await subject.finishOne();
    }
    subject.started.splice(0);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void subject.run(name, { client: 'a' });
    expect(subject.started).toEqual(['a1', 'a2', 'a3']);
    void subject.run('b1', { client: 'b' });
    for (let count = 0; count < 3; count += 1) await subject.finishOne();
    expect(subject.started).toHaveLength(4);
    await subject.finishOne();
    expect(subject.started.slice(3).toSorted()).toEqual(['a4', 'b1']);
    void subject.run('a5', { client: 'a' });
    void subject.run('a6', { client: 'a' });
    expect(subject.started).toHaveLength(5);
  });

  it('keeps lighter work of others from passing work that is too heavy for the moment', async () => {
    const subject = createSubject({ maxRunning: 4, maxRunningPerClient: 4 });
    void subject.run('a1', { client: 'a' });
    void subject.run('a2', { client: 'a' });
    void subject.run('b4', { client: 'b', weight: 4 });
    void subject.run('c1', { client: 'c' });
    await subject.finishOne();
    void subject.run('d1', { client: 'd' });
    expect(subject.started).toEqual(['a1', 'a2']);
    await subject.finishOne();
    expect(subject.started.slice(2)).toEqual(['b4']);
    await subject.finishOne();
    expect(subject.started.slice(3)).toEqual(['c1', 'd1']);
  });

  it('starts what fits once heavier work before it has left the queue', async () => {
    const subject = createSubject({ maxRunning: 10, maxRunningPerClient: 10 });
    const gone = new AbortController();
    void subject.run('6', { client: 'a', weight: 6 });
    const leaving = subject.run('8', { client: 'a', weight: 8, signal: gone.signal });
    void subject.run('4', { client: 'a', weight: 4 });
    expect(subject.started).toEqual(['6']);
    gone.abort();
    await expect(leaving).rejects.toThrow('aborted');
    expect(subject.started).toEqual(['6', '4']);
  });

  it('gives up work that has waited for too long, and its place in the queue', async () => {
    const subject = createSubject({ maxWaitMs: 1, maxWaiting: 1 });
    const running = subject.run('1', { client: 'a' });
    await expect(subject.run('2', { client: 'b' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(subject.run('3', { client: 'b' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await subject.finishOne();
    expect(await running).toBe('1');
    void subject.run('4', { client: 'b' });
    expect(subject.started).toEqual(['1', '4']);
  });

  it('gives the slot of failed work to the next', async () => {
    const limit = new FairLimit(generous);
    const failed = limit.run({ client: 'a' }, () => Promise.reject(new Error('broken')));
    const next = limit.run({ client: 'b' }, async () => 'next');
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });
});
