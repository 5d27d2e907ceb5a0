import { describe, expect, it } from 'vitest';
import { createRateMeter, formatAmount, formatDuration, formatProgress, startProgress } from './progress.js';

describe('the progress line', () => {
  const half = { done: 1_500_000_000, total: 3_000_000_000, detail: 'film.mov' };

  it('shows the share done, the rate and the time left', () => {
    expect(formatProgress('Hashing', 'bytes', half, 250_000_000, 120)).toBe(
      'Hashing  [############------------]   50%  1.5 GB of 3.0 GB  250 MB/s  0:06 left  film.mov',
    );
    expect(formatProgress('Registering', 'files', { done: 7, total: 9 }, 2.5, 120)).toBe(
      'Registering  [###################-----]   77%  7 of 9  2.5/s  0:01 left',
    );
  });

  it('leaves out what is unknown', () => {
    expect(formatProgress('Hashing', 'bytes', { done: 12 }, undefined, 80)).toBe('Hashing  12 B');
    expect(formatProgress('Hashing', 'bytes', { done: 0, total: 0 }, undefined, 80)).toContain('100%');
  });

  it('is never wider than the terminal and drops the bar first', () => {
    expect(formatProgress('Hashing', 'bytes', half, 250_000_000, 60)).toBe(
      'Hashing   50%  1.5 GB of 3.0 GB  250 MB/s  0:06 left  film.m',
    );
    expect(formatProgress('Hashing', 'bytes', half, 250_000_000, 10)).toBe('Hashing   ');
  });

  it('escapes control characters in file names', () => {
    expect(formatProgress('Hashing', 'bytes', { done: 1, detail: 'a\n\u001b[2J' }, undefined, 80)).toBe(
      'Hashing  1 B  a\\n\\u001b[2J',
    );
  });
});

describe('the rate', () => {
  it('covers the last ten seconds and is unknown at first', () => {
    const measureRate = createRateMeter();
    expect(measureRate(0, 0)).toBeUndefined();
    expect(measureRate(100, 50)).toBeUndefined();
    expect(measureRate(1000, 1000)).toBe(1000);
    for (let second = 2; second <= 30; second += 1) measureRate(second * 1000, 1000);
    expect(measureRate(31_000, 1000)).toBe(0);
  });

  it('does not count work done before the first reading', () => {
    const measureRate = createRateMeter();
    measureRate(0, 5000);
    expect(measureRate(1000, 5100)).toBe(100);
  });
});

describe('drawing', () => {
  function createScreen(isTTY: boolean) {
    const written: string[] = [];
    return { written, isTTY, columns: 80, write: (text: string) => written.push(text) };
  }

  it('happens at most ten times a second, and only on a terminal', () => {
    let time = 0;
    const screen = createScreen(true);
    const progress = startProgress(screen, { label: 'Hashing', unit: 'bytes', total: 1000 }, {}, () => time);
    for (let done = 0; done < 1000; done += 1) {
      time = done;
      progress.update({ done });
    }
    progress.end();
    expect(screen.written.length).toBeGreaterThan(5);
    expect(screen.written.length).toBeLessThanOrEqual(11);
    expect(screen.written.at(-1)).toBe('\r\u001b[K');

    const pipe = createScreen(false);
    startProgress(pipe, { label: 'Hashing', unit: 'bytes' }, {}, () => 1e6).update({ done: 1 });
    expect(pipe.written).toEqual([]);
  });

  it('shows nothing for work that ends at once', () => {
    const screen = createScreen(true);
    const progress = startProgress(screen, { label: 'Hashing', unit: 'bytes' }, {}, () => 0);
    progress.update({ done: 1 });
    progress.end();
    expect(screen.written).toEqual([]);
  });
});

it('amounts and durations are short', () => {
  expect([0, 999, 1000, 999_499, 999_500, 1.26e9, 5e15].map((bytes) => formatAmount(bytes, 'bytes'))).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '999 kB',
    '1.0 MB',
    '1.3 GB',
    '5.0 PB',
  ]);
  expect([0, 7.2, 65, 3600, 36_061].map(formatDuration)).toEqual(['0:00', '0:08', '1:05', '1:00:00', '10:01:01']);
});
