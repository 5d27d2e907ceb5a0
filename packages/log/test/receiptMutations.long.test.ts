// A receipt holds as it is, or not at all.

import { expect, it } from 'vitest';
import { verifyMutations } from './support/receiptMutations.js';

it('of 100,000 mutated receipts none is accepted', async () => {
  const { faults, formatErrors, proofErrors } = await verifyMutations(100_000);
  expect(faults).toEqual([]);
  // Both what is malformed and what is well-formed was tried.
  expect(formatErrors + proofErrors).toBe(100_000);
  expect(Math.min(formatErrors, proofErrors)).toBeGreaterThan(30_000);
});
