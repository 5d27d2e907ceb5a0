// The record of the service against the hash on chain.

import { exampleArtifact, manifestHashOf } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { type Evidence, isRecordOnChain } from './contradictions.js';

const { id, metadata } = exampleArtifact;
const hash: string = manifestHashOf(metadata);

function isOnChain(manifestHash: string): boolean {
  const registry: Evidence['registry'] = { kind: 'found', value: { service: 'a', manifestId: id, metadata } };
  const chain: Evidence['chain'] = {
    kind: 'found',
    value: {
      from: 'caller',
      isIndependent: true,
      chainId: 1,
      address: '0x',
      addressFrom: 'caller',
      entry: { source: 'curated', endpoints: [], manifestId: id, manifestHash },
      problems: [],
      notices: [],
    },
  };
  return isRecordOnChain({ registry, chain });
}

test('a record is on chain if every digit of its hash is, and no other', () => {
  expect(isOnChain(hash)).toBe(true);
  for (let index = 2; index < hash.length; index += 1) {
    const otherDigit = hash[index] === '0' ? '1' : '0';
    const changed = hash.slice(0, index) + otherDigit + hash.slice(index + 1);
    expect([index, isOnChain(changed)]).toEqual([index, false]);
  }
  expect([isOnChain(hash.slice(0, -1)), isOnChain(`${hash}0`), isOnChain('')]).toEqual([false, false, false]);
});
