// Receipts and proofs of the index hold as they are, or not at all.

import { expect, it } from 'vitest';
import { randomBytes } from '../../../test/support/random.js';
import { FingerprintIndex } from '../src/index.js';
import { findAcceptedProofs } from './support/naiveIndex.js';
import { verifyMutations } from './support/receiptMutations.js';
import { nodeHasher } from './support/vectors.js';

it('of 100,000 mutated receipts none is accepted', async () => {
  const { faults, formatErrors, proofErrors } = await verifyMutations(100_000);
  expect(faults).toEqual([]);
  // Both what is malformed and what is well-formed was tried.
  expect(formatErrors + proofErrors).toBe(100_000);
  expect(Math.min(formatErrors, proofErrors)).toBeGreaterThan(30_000);
});

it('of 100,000 mutated proofs of an index none is accepted', () => {
  const index = new FingerprintIndex(nodeHasher, 12);
  for (let leaf = 0; leaf < 30_000; leaf += 1) index.insert(randomBytes(32), leaf);
  const questions = Array.from({ length: 200 }, () => randomBytes(32)).flatMap((fingerprint) =>
    [index.prove(fingerprint), index.provePrefix(fingerprint)].map((proof) => ({ fingerprint, proof })),
  );
  const head = { size: 30_000, root: index.readRoot(), bits: index.bits };
  expect(findAcceptedProofs(questions, head, 100_000)).toEqual([]);
});
