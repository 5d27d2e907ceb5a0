import { describe, expect, it } from 'vitest';
import { amount, duration, progressLine, rateMeter, showProgress } from './progress.js';

describe('the line of progress', () => {
  const half = { done: 1_500_000_000, total: 3_000_000_000, detail: 'film.mov' };

  it('says how far it is, how fast, and how long it will take', () => {
    expect(progressLine('Hashing', 'bytes', half, 250_000_000, 120)).toBe(
      'Hashing  [############------------]   50%  1.5 GB of 3.0 GB  250 MB/s  0:06 left  film.mov',
    );
    expect(progressLine('Registering', 'files', { done: 7, total: 9 }, 2.5, 120)).toBe(
      'Registering  [###################-----]   77%  7 of 9  2.5/s  0:01 left',
    );
  });

  it('says less when less is known', () => {
    expect(progressLine('Hashing', 'bytes', { done: 12 }, undefined, 80)).toBe('Hashing  12 B');
    expect(progressLine('Hashing', 'bytes', { done: 0, total: 0 }, undefined, 80)).toContain('100%');
  });

  it('is never wider than the terminal: the bar goes first', () => {
    expect(progressLine('Hashing', 'bytes', half, 250_000_000, 60)).toBe(
      'Hashing   50%  1.5 GB of 3.0 GB  250 MB/s  0:06 left  film.m',
    );
    expect(progressLine('Hashing', 'bytes', half, 250_000_000, 10)).toBe('Hashing   ');
  });

  it('cannot be broken by the name of a file', () => {
    expect(progressLine('Hashing', 'bytes', { done: 1, detail: 'a\n\u001b[2J' }, undefined, 80)).toBe(
      'Hashing  1 B  a\\n\\u001b[2J',
    );
  });
});

describe('the rate', () => {
  it('is that of the last ten seconds, and unknown at first', () => {
    const rate = rateMeter();
    expect(rate(0, 0)).toBeUndefined();
    expect(rate(100, 50)).toBeUndefined();
    expect(rate(1000, 1000)).toBe(1000);
    for (let second = 2; second <= 30; second += 1) rate(second * 1000, 1000);
    expect(rate(31_000, 1000)).toBe(0);
  });

  it('does not count what was done before it began', () => {
    const rate = rateMeter();
    rate(0, 5000);
    expect(rate(1000, 5100)).toBe(100);
  });
});

describe('drawing', () => {
  function screenAt(isTTY: boolean) {
    const written: string[] = [];
    return { written, isTTY, columns: 80, write: (text: string) => written.push(text) };
  }

  it('happens ten times a second at most, and never when nobody sees it', () => {
    let time = 0;
    const screen = screenAt(true);
    const progress = showProgress(screen, { label: 'Hashing', unit: 'bytes', total: 1000 }, {}, () => time);
    for (let done = 0; done < 1000; done += 1) {
      time = done;
      progress.update({ done });
    }
    progress.end();
    expect(screen.written.length).toBeGreaterThan(5);
    expect(screen.written.length).toBeLessThanOrEqual(11);
    expect(screen.written.at(-1)).toBe('\r\u001b[K');

    const pipe = screenAt(false);
    showProgress(pipe, { label: 'Hashing', unit: 'bytes' }, {}, () => 1e6).update({ done: 1 });
    expect(pipe.written).toEqual([]);
  });

  it('leaves no trace of what was over at once', () => {
    const screen = screenAt(true);
    const progress = showProgress(screen, { label: 'Hashing', unit: 'bytes' }, {}, () => 0);
    progress.update({ done: 1 });
    progress.end();
    expect(screen.written).toEqual([]);
  });
});

it('amounts and times are short', () => {
  expect([0, 999, 1000, 999_499, 999_500, 1.26e9, 5e15].map((bytes) => amount(bytes, 'bytes'))).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '999 kB',
    '1.0 MB',
    '1.3 GB',
    '5.0 PB',
  ]);
  expect([0, 7.2, 65, 3600, 36_061].map(duration)).toEqual(['0:00', '0:08', '1:05', '1:00:00', '10:01:01']);
});
