// The summary that .ci/run prints, from reports of the test runner.

import { describe, expect, it } from 'vitest';
import { formatSummary, listFailedFiles, summarize } from '../scripts/testResults.mjs';

const file = (name: string, ...statuses: string[]) => ({
  name: `/repository/${name}`,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});
const notLoaded = (name: string) => ({ ...file(name), status: 'failed' });

const summaryLines = (first: ReturnType<typeof file>[], rerun?: ReturnType<typeof file>[]) =>
  formatSummary(summarize({ testResults: first }, rerun && { testResults: rerun }, '/repository'));

describe('files that failed', () => {
  it('are those with a failed test and those that could not be loaded', () => {
    const testResults = [file('a.test.ts', 'passed'), file('b.test.ts', 'passed', 'failed'), notLoaded('c.test.ts')];
    expect(listFailedFiles({ testResults }, '/repository')).toEqual(['b.test.ts', 'c.test.ts']);
  });
});

describe('the summary', () => {
  it('is the count alone when everything passes; skipped tests do not count', () => {
    expect(summaryLines([file('a.test.ts', 'passed', 'passed'), file('b.test.ts', 'passed', 'skipped')])).toEqual([
      'tests: 3 passed, 0 failed',
    ]);
  });

  it('names a file that passes the second time as flaky, and counts its second run', () => {
    const first = [file('a.test.ts', 'passed'), file('test/b.test.ts', 'passed', 'failed'), notLoaded('c.test.ts')];
    const rerun = [file('test/b.test.ts', 'passed', 'passed'), file('c.test.ts', 'passed')];
    expect(summaryLines(first, rerun)).toEqual([
      'flaky: test/b.test.ts',
      'flaky: c.test.ts',
      'tests: 4 passed, 0 failed',
    ]);
  });

  it('names a file that fails twice as failed', () => {
    const first = [file('a.test.ts', 'failed', 'failed'), file('b.test.ts', 'failed')];
    const rerun = [file('a.test.ts', 'passed', 'failed'), file('b.test.ts', 'passed')];
    expect(summaryLines(first, rerun)).toEqual(['failed: a.test.ts', 'flaky: b.test.ts', 'tests: 2 passed, 1 failed']);
  });

  it('counts a file as failed when the second run did not happen or does not have it', () => {
    const first = [file('a.test.ts', 'passed', 'failed')];
    const lines = ['failed: a.test.ts', 'tests: 1 passed, 1 failed'];
    expect(summaryLines(first)).toEqual(lines);
    expect(summaryLines(first, [file('b.test.ts', 'passed')])).toEqual(lines);
  });
});
