import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkerPool, type Threads } from '../../dist/workers/pool.js';

type ObedientThread = {
  echo(text: string): string;
  fail(reason: string): never;
  spin(nothing?: undefined): never;
  leave(nothing?: undefined): never;
  lowerThreadPriority(nothing?: undefined): void;
  priority(nothing?: undefined): number;
};

let threads: Threads<ObedientThread>;

function start(atMost: number, limits: Partial<Parameters<typeof createWorkerPool>[0]> = {}) {
  const file = new URL('../support/obedientWorker.mjs', import.meta.url);
  threads = createWorkerPool<ObedientThread>({
    file,
    atMost,
    jobMs: 30_000,
    maxWaiting: 1000,
    idleMs: 30_000,
    ...limits,
  });
  return threads;
}

afterEach(() => threads.close());

describe('threads', () => {
  it('do the jobs in the order of their coming, however many others come meanwhile', async () => {
    start(1);
    const done: string[] = [];
    const jobs = Array.from({ length: 20 }, async (_, number) => {
      done.push(await threads.run('echo', `first ${number}`));
      done.push(await threads.run('echo', `second ${number}`));
    });
    await Promise.all(jobs);
    const inOrder = (which: string) => Array.from({ length: 20 }, (_, number) => `${which} ${number}`);
    expect(done).toEqual([...inOrder('first'), ...inOrder('second')]);
  });

  it('tell why a job failed, and go on', async () => {
    start(1);
    await expect(threads.run('fail', 'no such colour')).rejects.toThrow('no such colour');
    expect(await threads.run('echo', 'still here')).toBe('still here');
  });

  it('that give way are less urgent than the thread that started them, which stays as it is', async () => {
    start(1);
    const usual = getPriority();
    expect(await threads.run('priority', undefined)).toBe(usual);
    await threads.run('lowerThreadPriority', undefined);
    expect(await threads.run('priority', undefined)).toBeGreaterThan(usual);
    expect(getPriority()).toBe(usual);
  });

  it('put a new thread in the place of one that spins or ends, for the job that waited behind it', async () => {
    start(1, { jobMs: 500, firstJobMs: 30_000 });
    await threads.run('echo', 'warm');
    for (const fault of ['spin', 'leave'] as const) {
      const faulty = threads.run(fault, undefined);
      const behind = threads.run('echo', fault);
      await expect(faulty).rejects.toThrow();
      expect(await behind).toBe(fault);
    }
  });

  it('have a time of its own for the first job, and the usual one for the next', async () => {
    // No thread starts within a millisecond.
    start(1, { jobMs: 1, firstJobMs: 30_000 });
    expect(await threads.run('echo', 'first')).toBe('first');
    await expect(threads.run('spin', undefined)).rejects.toThrow('the job took too long');
    expect(await threads.run('echo', 'first of the next')).toBe('first of the next');
  });

  it('refuse a job when too many are waiting', async () => {
    start(1, { maxWaiting: 1 });
    const taken = [threads.run('echo', 'one'), threads.run('echo', 'two')];
    await expect(threads.run('echo', 'three')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await Promise.all(taken)).toEqual(['one', 'two']);
  });

  it('end when they had nothing to do, and start again for the next job', async () => {
    start(2, { idleMs: 1 });
    for (let turn = 0; turn < 5; turn++) expect(await threads.run('echo', `${turn}`)).toBe(`${turn}`);
  });

  it('give every job under way its end when they are closed', async () => {
    start(1);
    const jobs = [threads.run('spin', undefined), threads.run('echo', 'never')];
    const ends = Promise.allSettled(jobs);
    await threads.close();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(threads.run('echo', 'later')).rejects.toThrow('the threads are closed');
  });
});
