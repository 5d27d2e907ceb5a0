// What `npm test` makes of its options, of missing programs and of the reports of the test runner.

import { describe, expect, it } from 'vitest';
import { formatCosts } from '../scripts/testCosts.mjs';
import { parseOptions } from '../scripts/testOptions.mjs';
import { describeLeftOut, findTestsThatUse } from '../scripts/testPrograms.mjs';
import { formatSummary, hasFailed, listFailedFiles, summarize } from '../scripts/testResults.mjs';

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

  it.each([
    [2, false],
    [3, true],
  ])('of %i flaky files: the run has failed is %s', (count, expected) => {
    const names = Array.from({ length: count }, (_, index) => `${index}.test.ts`);
    const first = { testResults: names.map((name) => file(name, 'failed')) };
    const rerun = { testResults: names.map((name) => file(name, 'passed')) };
    expect(hasFailed(summarize(first, rerun, '/repository'))).toBe(expected);
  });
});

describe('the options', () => {
  it('are all optional, and the seed is always the same without one', () => {
    const { seed, ...options } = parseOptions([]);
    expect(options).toEqual({ isAll: false, isComplete: false, showsCosts: false, filters: [] });
    expect(parseOptions([]).seed).toBe(seed);
  });

  it('leave what they do not know to the test runner', () => {
    const args = ['--all', 'marks', '--cost', '--seed', '7', '--maxWorkers=1', '-t', 'a name'];
    expect(parseOptions(args)).toEqual({
      isAll: true,
      isComplete: false,
      showsCosts: true,
      seed: 7,
      filters: ['marks', '--maxWorkers=1', '-t', 'a name'],
    });
  });

  it.each(['x', '-1', '1.5', ''])('refuse the seed %j', (seed) => {
    expect(() => parseOptions([`--seed=${seed}`])).toThrow('--seed is not a whole number');
  });
});

describe('a program that is missing', () => {
  it('leaves out the test files that use it, also through a file that they import', () => {
    expect(findTestsThatUse('pdfsig')).toContain('packages/server/test/pdfCertificates/pdfCertificates.test.ts');
    const withBrowser = findTestsThatUse('/usr/bin/chromium-headless-shell');
    expect(withBrowser).toContain('packages/web/test/layout.test.ts');
    expect(withBrowser).not.toContain('packages/server/test/marks/marks.test.ts');
    // Another program, whose name begins in the same way.
    expect(findTestsThatUse('/usr/bin/chromium')).not.toContain('packages/web/test/layout.test.ts');
  });

  it('is named with the reason and the files', () => {
    const text = describeLeftOut({
      program: 'fpcalc',
      reason: 'apt-get needs root',
      files: ['a.test.ts', 'b.test.ts'],
    });
    expect(text).toBe('left out: 2 test files that need fpcalc (apt-get needs root): a.test.ts b.test.ts');
  });
});

it('the costs are the dearest files, the dearest first, and the whole run', () => {
  const costs = Array.from({ length: 25 }, (_, index) => ({
    file: `${index}.test.ts`,
    tests: 2,
    cpuMs: 1_000 * index,
    wallMs: 500 * index,
  }));
  const lines = formatCosts(costs, { cpuMs: 400_000, wallMs: 200_000 });
  expect(lines).toHaveLength(22);
  expect(lines[1]).toMatch(/^ +24\.0 +12\.0 +2 {2}24\.test\.ts$/);
  expect(lines.at(-1)).toMatch(/^ +400\.0 +200\.0 +50 {2}the whole run, 25 files$/);
});
