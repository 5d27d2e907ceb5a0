import { describe, expect, test } from 'vitest';
import { collectTimes, compareTimes, sinceFact } from './times.js';
import type { TimeEvidence } from './types.js';

const NOON = Date.parse('2026-11-16T12:00:00Z');

function time(source: TimeEvidence['source'], minutes: number, isIndependent = false): TimeEvidence {
  return { source, at: new Date(NOON + minutes * 60_000).toISOString(), isIndependent };
}

describe('since when', () => {
  test.each<[string, TimeEvidence[], unknown[]]>([
    ['is the earliest independent time', [time('timestamp', 0, true), time('block', 1, true)], [0, 'manifest']],
    ['is an independent time before an earlier one', [time('timestamp', 0), time('block', 9, true)], [9, 'chain']],
    ['of sources that nobody named is the word of the service', [time('block', 1)], [1, 'service']],
    ['is that of a block before an earlier word', [time('service', -9), time('block', 1)], [1, 'service']],
    ['is the word of the service when nothing else has a time', [time('service', 0)], [0, 'service']],
  ])('%s', (_, times, [minutes, evidence]) => {
    const [since] = sinceFact(times);
    expect(since).toEqual({ name: 'since', value: time('block', Number(minutes)).at, evidence: [evidence] });
  });

  test('is told by the time-stamp when the block is of the same second', () => {
    const chain = { blockTime: NOON / 1000, isIndependent: false, entry: { source: 'curated' } } as const;
    const manifest = { timestamp: { at: new Date(NOON).toISOString(), isIndependent: false } };
    const times = collectTimes({ record: undefined, chain, manifest, log: undefined });
    expect(times.map(({ source }) => source)).toEqual(['timestamp', 'block']);
  });

  test('is not known without any time', () => {
    expect(sinceFact([])).toEqual([]);
  });
});

test.each<[minutes: number, sources: string[]]>([
  [4, []],
  [6, ['chain']],
])('an entry %s minutes before the certificate of the signer began', (minutes, sources) => {
  const { problems } = compareTimes([time('block', 0)], new Date(NOON + minutes * 60_000));
  expect(problems.map(({ source }) => source)).toEqual(sources);
});

test.each<[string, TimeEvidence[], string[]]>([
  ['within the tolerance agree', [time('service', -4), time('timestamp', 0), time('block', -4)], []],
  ['of an entry before its time-stamp are a contradiction', [time('timestamp', 0), time('block', -6)], ['chain']],
  [
    'of the service before the time-stamp are a contradiction',
    [time('service', -6), time('timestamp', 0)],
    ['registry'],
  ],
  ['of the service after the time-stamp are a contradiction', [time('service', 6), time('timestamp', 0)], ['registry']],
  ['of the service after the block are a contradiction', [time('service', 6), time('block', 0)], ['registry']],
  ['of an entry that waited for the chain are told', [time('service', 0), time('block', 61)], ['TIMES_DIFFER']],
  ['of an entry that waited for less are not', [time('timestamp', 0), time('block', 59)], []],
])('times %s', (_, times, expected) => {
  const { problems, notices } = compareTimes(times);
  expect([...problems.map(({ source }) => source), ...notices.map(({ code }) => code)]).toEqual(expected);
});
