import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JobLoop } from './jobLoop.js';
import { LeasedRows, type LeasedRowsOptions } from './leasedRows.js';
import { noNotices } from './workNotices.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets everything run that waits for no timer. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('a loop', () => {
  it('pauses between steps, and new work ends the pause', async () => {
    const step = vi.fn(async () => 1_000);
    const loop = new JobLoop({ step, onFailure: () => 0 });
    await settle();
    expect(step).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(step).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(step).toHaveBeenCalledTimes(2);
    loop.wake();
    await settle();
    expect(step).toHaveBeenCalledTimes(3);
    await loop.stop();
  });

  it('leaves out the pause after a step during which work arrived, but not the shortest one', async () => {
    let end = () => {};
    const step = vi.fn(
      () =>
        new Promise<number>((resolve) => {
          end = () => resolve(1_000);
        }),
    );
    const loop = new JobLoop({ step, onFailure: () => 0, minPauseMs: 25 });
    loop.wake();
    end();
    await vi.advanceTimersByTimeAsync(24);
    expect(step).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(step).toHaveBeenCalledTimes(2);
    const stopped = loop.stop();
    end();
    await stopped;
  });

  it('takes a step at each notice of work, except while steps fail', async () => {
    let announce = () => {};
    let isSubscribed = true;
    const notices = {
      ...noNotices,
      subscribe(wake: () => void) {
        announce = wake;
        return () => {
          isSubscribed = false;
        };
      },
    };
    const step = vi.fn(async () => 60_000);
    const loop = new JobLoop({ step, onFailure: () => 60_000, notices });
    await settle();
    announce();
    await settle();
    expect(step).toHaveBeenCalledTimes(2);
    step.mockRejectedValueOnce(new Error('down'));
    announce();
    await settle();
    announce();
    await settle();
    expect(step).toHaveBeenCalledTimes(3);
    await loop.stop();
    expect(isSubscribed).toBe(false);
  });

  it('reports each reason once, and the recovery', async () => {
    const outcomes = ['down', 'down', 'refused', '', 'down'];
    const seen: unknown[] = [];
    const loop = new JobLoop({
      async step() {
        const message = outcomes.shift();
        if (message) throw new Error(message);
        return 1;
      },
      onFailure(_, failure) {
        seen.push(failure);
        return 1;
      },
      onRecovery: () => seen.push('recovered'),
    });
    await vi.advanceTimersByTimeAsync(4);
    expect(seen).toEqual([
      { reason: 'down', count: 1, isNew: true },
      { reason: 'down', count: 2, isNew: false },
      { reason: 'refused', count: 3, isNew: true },
      'recovered',
      { reason: 'down', count: 1, isNew: true },
    ]);
    expect(loop.failures).toBe(1);
    await loop.stop();
  });

  it('stops after the current step, and during a pause at once', async () => {
    let end = () => {};
    const signals: AbortSignal[] = [];
    const loop = new JobLoop({
      step: (signal) => {
        signals.push(signal);
        return new Promise((resolve) => {
          end = () => resolve(60_000);
        });
      },
      onFailure: () => 0,
    });
    let isStopped = false;
    const stopping = loop.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect([isStopped, signals.map(({ aborted }) => aborted)]).toEqual([false, [true]]);
    end();
    await stopping;
    const pausing = new JobLoop({ step: async () => 60_000, onFailure: () => 0 });
    await settle();
    await pausing.stop();
  });
});

describe('leased rows', () => {
  const start = (options: Partial<LeasedRowsOptions<string>>) =>
    new LeasedRows<string>({
      name: 'test',
      leaseDue: async () => [],
      work: async () => {},
      onUnrecorded: () => {},
      log: () => {},
      times: { pollMs: 100, stopMs: 1_000 },
      maxActive: 2,
      ...options,
    });

  it('are worked on at once up to the limit, and asked for again when one is done', async () => {
    const ends = new Map<string, () => void>();
    const asked: [number, readonly string[]][] = [];
    const due = ['a', 'b', 'c'];
    const rows = start({
      async leaseDue(freeSlots, active) {
        asked.push([freeSlots, active]);
        return due.splice(0, freeSlots);
      },
      work: (row) => new Promise((resolve) => ends.set(row, resolve)),
    });
    await vi.advanceTimersByTimeAsync(300);
    expect([asked, [...ends.keys()]]).toEqual([[[2, []]], ['a', 'b']]);
    ends.get('a')?.();
    await vi.advanceTimersByTimeAsync(100);
    expect([asked.slice(1), [...ends.keys()]]).toEqual([[[1, ['b']]], ['a', 'b', 'c']]);
    for (const end of ends.values()) end();
    await rows.close();
  });

  it('whose result could not be recorded are reported, and so is a queue that cannot be read, once', async () => {
    const unrecorded: unknown[] = [];
    const logged: unknown[] = [];
    let calls = 0;
    const rows = start({
      async leaseDue() {
        calls += 1;
        if (calls > 1) throw new Error('down');
        return ['a'];
      },
      work: async () => {
        throw new Error('lost');
      },
      onUnrecorded: (row, error) => unrecorded.push([row, String(error)]),
      log: (...line) => logged.push(line),
    });
    await vi.advanceTimersByTimeAsync(250);
    expect(calls).toBe(4);
    expect(unrecorded).toEqual([['a', 'Error: lost']]);
    expect(logged).toEqual([['warn', { reason: 'down' }, 'test: the queue cannot be read']]);
    await rows.close();
  });

  it('are waited for at a stop, then cut off', async () => {
    let isCutOff = false;
    let due = ['a'];
    const rows = start({
      leaseDue: async () => due.splice(0),
      work: (_, { cutOff }) =>
        new Promise((resolve) => {
          cutOff.addEventListener('abort', () => {
            isCutOff = true;
            resolve();
          });
        }),
      times: { pollMs: 100, stopMs: 1_000, cutOffMs: 1_000 },
    });
    await settle();
    due = ['b'];
    let isClosed = false;
    const closing = rows.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect([isCutOff, isClosed]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect([isCutOff, due]).toEqual([true, ['b']]);
  });
});
