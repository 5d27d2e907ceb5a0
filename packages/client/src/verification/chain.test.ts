import { describe, expect, test } from 'vitest';
import { combineNodes } from './chain.js';
import type { ChainEvidence, SourceResult } from './evidence.js';

const absent = { kind: 'absent' } as const;
const down = { kind: 'failed', reason: 'no response' } as const;
const malformed = { kind: 'failed', reason: 'not JSON-RPC', isMalformed: true } as const;

function found(fields: Partial<ChainEvidence> = {}): SourceResult<ChainEvidence> {
  const entry = {
    source: 'curated',
    endpoints: [],
    manifestId: 'one',
    manifestHash: '0x1',
    registeredBy: '0x2',
  } as const;
  const registration = { transactionHash: '0x3', blockNumber: 7, blockHash: '0x4' };
  const location = { from: 'caller', isIndependent: true, chainId: 1, address: '0x5', addressFrom: 'caller' } as const;
  return {
    kind: 'found',
    value: { ...location, entry, registration, blockTime: 1, problems: [], notices: [], ...fields },
  };
}

function problemsOf(result: SourceResult<ChainEvidence>): string[] {
  return result.kind === 'found' ? result.value.problems.map(({ code }) => code) : [result.kind];
}

describe('several nodes', () => {
  test('that agree count as one source', () => {
    const withoutLogs = found({ registration: undefined, blockTime: undefined });
    expect(combineNodes([withoutLogs, found()])).toMatchObject({ value: { problems: [], blockTime: 1 } });
    expect(combineNodes([found(), found()])).toMatchObject({ kind: 'found', value: { problems: [], notices: [] } });
    expect(combineNodes([absent, absent])).toEqual(absent);
  });

  test.each([
    ['another chain', { chainId: 2 }],
    ['another block', { registration: { blockNumber: 7, blockHash: '0x9' } }],
    [
      'another manifest',
      { entry: { source: 'curated', endpoints: [], manifestId: 'two', manifestHash: '0x1' } as const },
    ],
  ])('contradict each other when one has %s', (_, fields) => {
    expect(problemsOf(combineNodes([found(), found(fields)]))).toEqual(['NODE_MISMATCH']);
  });

  test('contradict each other when one does not have an entry, unless it is recent', () => {
    expect(problemsOf(combineNodes([found(), absent]))).toEqual(['NODE_MISMATCH']);
    const recent = combineNodes([absent, found({ blockTime: Date.now() / 1000 })]);
    expect(recent).toMatchObject({ value: { problems: [], notices: [{ code: 'NODE_BEHIND' }] } });
  });

  test('tell which of them could not be read', () => {
    expect(combineNodes([down, found()])).toMatchObject({ value: { unusableNode: down.reason } });
    expect(combineNodes([found(), malformed])).toMatchObject({ value: { unusableNode: malformed.reason } });
    expect(combineNodes([down, absent])).toEqual(down);
    expect(combineNodes([found(), found()])).toMatchObject({ value: { unusableNode: undefined } });
  });
});
