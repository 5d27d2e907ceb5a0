// The output of a run without a terminal, and its exit code.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestContext } from '../../test/support/context.js';
import type { FileOutcome } from './fileOutcomes.js';
import { createRunReport, type RunEnd, type RunReport } from './report.js';

const mark = { id: 'c3b1f0a4-6f7e-4a53-9d0e-8b1f2c7d6a32', name: 'Photos' };
let output: { stdout: string; stderr: string };
let report: RunReport;

beforeEach(() => {
  vi.useFakeTimers();
  output = { stdout: '', stderr: '' };
  const onOutput = (name: 'stdout' | 'stderr', text: string) => {
    output[name] += text;
  };
  const context = createTestContext({ onOutput }, () => Promise.reject(new Error('unexpected call')));
  report = createRunReport(context, { dryRun: false, watch: false });
});
afterEach(() => {
  vi.useRealTimers();
});

it('without a terminal, the counts are printed from time to time', () => {
  report.startProgress();
  vi.advanceTimersByTime(29_000);
  expect(output.stderr).toBe('');
  report.stats.addResult({ path: 'a', outcome: 'registered' });
  vi.advanceTimersByTime(2_000);
  expect(output.stderr).toBe('1 file: 1 registered\n');
  report.stats.addResult({ path: 'b', outcome: 'yours' });
  vi.advanceTimersByTime(30_000);
  report.stopProgress();
  vi.advanceTimersByTime(300_000);
  expect(output.stderr).toBe('1 file: 1 registered\n2 files: 1 registered, 1 already registered\n');
});

describe('the exit code', () => {
  const stopReason = (exitCode: 1 | 3) => ({ code: 'CODE', message: 'Stopped.', exitCode });

  it.each<[string, number, FileOutcome[], RunEnd['stopReason']]>([
    ['all files are registered', 0, ['registered', 'yours', 'skipped'], undefined],
    ['there are no files', 0, [], undefined],
    ['a file belongs to another user', 1, ['registered', 'others'], undefined],
    ['a file was refused', 1, ['refused'], undefined],
    ['a file failed', 3, ['registered', 'failed'], undefined],
    ['one file failed and another was refused', 1, ['failed', 'refused'], undefined],
    ['the run was stopped by a refusal', 1, ['registered', 'failed'], stopReason(1)],
    ['the run was stopped by a failure', 3, ['registered'], stopReason(3)],
  ])('when %s is %i', (_, code, outcomes, reason) => {
    for (const outcome of outcomes) report.stats.addResult({ path: 'file', outcome });
    expect(
      report.printSummary({ mark, authorshipStated: false, log: null, stopReason: reason, advice: undefined }),
    ).toBe(code);
  });
});

it('control characters in a file name are escaped', () => {
  report.stats.addResult({ path: 'a\u001b[2J\nb', outcome: 'failed', reason: 'no such file' });
  report.printSummary({ mark, authorshipStated: false, log: null, stopReason: undefined, advice: undefined });
  expect(output.stdout).toBe('1 file: 1 failed\nfailed  a\\u001b[2J\\nb: no such file\n');
});
