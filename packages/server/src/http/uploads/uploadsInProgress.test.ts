import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultLimits } from '../budgets/limits.js';
import { MemoryBudget } from '../budgets/memoryBudget.js';
import { trackUploads } from './uploadsInProgress.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins an upload and lists the reasons for which it was ended. */
function createSubject(limits = {}) {
  const begin = trackUploads({ ...defaultLimits, ...limits }, new MemoryBudget(0));
  return (client = 'a') => {
    const progress = { bytesRead: 500 };
    const upload = begin(client, progress);
    const ended: string[] = [];
    upload.onEnd(({ code }) => ended.push(code));
    return { ...upload, progress, ended };
  };
}

/** Sends the bytes of every second. */
function send(progress: { bytesRead: number }, bytesPerSecond: number, seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    progress.bytesRead += bytesPerSecond;
    vi.advanceTimersByTime(1_000);
  }
}

describe('an upload of 1 MB', () => {
  it('at 8 KB per second arrives', () => {
    const upload = createSubject()();
    send(upload.progress, 8_000, 125);
    upload.finish();
    vi.advanceTimersByTime(60_000);
    expect(upload.ended).toEqual([]);
  });

  it('may pause for 20 seconds', () => {
    const upload = createSubject()();
    for (let time = 0; time < 4; time += 1) {
      send(upload.progress, 0, 20);
      send(upload.progress, 25_000, 10);
    }
    expect(upload.ended).toEqual([]);
  });

  it.each([
    ['at 3 KB per second', 3_000],
    ['that never starts', 0],
  ])('%s is ended, once', (_, bytesPerSecond) => {
    const upload = createSubject()();
    send(upload.progress, bytesPerSecond, 29);
    expect(upload.ended).toEqual([]);
    send(upload.progress, bytesPerSecond, 90);
    expect(upload.ended).toEqual(['REQUEST_TIMEOUT']);
  });

  it('that stalls after a fast start is ended', () => {
    const upload = createSubject()();
    send(upload.progress, 900_000, 1);
    send(upload.progress, 0, 60);
    expect(upload.ended).toEqual(['REQUEST_TIMEOUT']);
  });
});

describe('the number of uploads', () => {
  it('is limited for a client and counts again what was finished, once', () => {
    const begin = createSubject({ uploadsPerClient: 2 });
    const first = begin();
    begin();
    expect(() => begin()).toThrow('Too many uploads');
    first.finish();
    first.finish();
    begin();
    expect(() => begin()).toThrow('Too many uploads');
  });

  it('is limited in total: the client with the most loses its slowest', () => {
    const begin = createSubject({ uploads: 3 });
    const [fast, slow] = [begin(), begin()];
    fast.progress.bytesRead += 1_000;
    slow.progress.bytesRead += 10;
    const other = begin('b');
    begin('c');
    expect([fast.ended, slow.ended, other.ended]).toEqual([[], ['UNAVAILABLE'], []]);
    // Now each has one: none of them has to make room.
    expect(() => begin('d')).toThrow('Too many uploads');
  });
});

it('files of clients without credentials take at most their part of the memory', () => {
  const begin = trackUploads({ ...defaultLimits, publicMemoryBytes: 50 }, new MemoryBudget(100));
  const givenUp: string[] = [];
  const hold = (client: string, isPublic: boolean) => {
    const holding = begin(client, { bytesRead: 0 }, { isPublic }).hold(() => {
      givenUp.push(client);
      holding.release();
    });
    return holding;
  };
  const large = hold('large', true);
  expect([large.add(50), large.add(1)]).toEqual([true, false]);
  // Users have the rest, and clients without credentials share theirs.
  const user = hold('user', false);
  expect(user.add(50)).toBe(true);
  const small = hold('small', true);
  expect([small.add(20), givenUp]).toEqual([true, ['large']]);
  small.keep();
  expect([hold('late', true).add(40), user.add(20)]).toEqual([false, true]);
  small.release();
  expect(hold('late', true).add(20)).toBe(true);
});
