// What a run says where nobody watches, and what it comes to in the end.

import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '../context.js';
import { createReport, type Ending, type Report } from './report.js';
import type { Outcome } from './stats.js';

const mark = { id: 'c3b1f0a4-6f7e-4a53-9d0e-8b1f2c7d6a32', name: 'Photos' };
let written: { stdout: string; stderr: string };
let report: Report;

beforeEach(() => {
  vi.useFakeTimers();
  written = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const world = {
    stdin: Readable.from([]),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
  };
  const context = createContext(world, false, () => Promise.reject(new Error('not asked')));
  report = createReport(context, { dryRun: false, watch: false });
});
afterEach(() => {
  vi.useRealTimers();
});

it('without a terminal, a line now and then says how far it is', () => {
  report.begin();
  vi.advanceTimersByTime(29_000);
  expect(written.stderr).toBe('');
  report.tally.add({ path: 'a', outcome: 'registered' });
  vi.advanceTimersByTime(2_000);
  expect(written.stderr).toBe('1 file: 1 registered\n');
  report.tally.add({ path: 'b', outcome: 'yours' });
  vi.advanceTimersByTime(30_000);
  report.end();
  vi.advanceTimersByTime(300_000);
  expect(written.stderr).toBe('1 file: 1 registered\n2 files: 1 registered, 1 already yours\n');
});

describe('the exit code', () => {
  const stop = (exitCode: 1 | 3) => ({ code: 'CODE', message: 'Stopped.', exitCode });

  it.each<[string, number, Outcome[], Ending['stop']]>([
    ['all is registered', 0, ['registered', 'yours', 'skipped'], undefined],
    ['there was nothing', 0, [], undefined],
    ['something belongs to others', 1, ['registered', 'others'], undefined],
    ['something was refused', 1, ['refused'], undefined],
    ['something could not be done', 3, ['registered', 'failed'], undefined],
    ['something is refused for sure, and more could not be done', 1, ['failed', 'refused'], undefined],
    ['the run was refused', 1, ['registered', 'failed'], stop(1)],
    ['the run could not go on', 3, ['registered'], stop(3)],
  ])('when %s is %i', (_, code, outcomes, stopped) => {
    for (const outcome of outcomes) report.tally.add({ path: 'file', outcome });
    expect(report.conclude({ mark, stop: stopped, advice: undefined })).toBe(code);
  });
});

it('a name cannot write to the terminal by itself', () => {
  report.tally.add({ path: 'a\u001b[2J\nb', outcome: 'failed', reason: 'no such file' });
  report.conclude({ mark, stop: undefined, advice: undefined });
  expect(written.stdout).toBe('1 file: 1 failed\nfailed  a\\u001b[2J\\nb: no such file\n');
});
