// The index against its definition, and its proofs against changes.

import { describe, expect, it } from 'vitest';
import { randomBytes, randomInt } from '../../../../test/support/random.js';
import { findAcceptedProofs, naiveProof, naiveSubtree } from '../../test/support/naiveIndex.js';
import { nodeHasher as hasher } from '../../test/support/vectors.js';
import { FingerprintIndex } from './fingerprintIndex.js';
import { findProvenLeaf, type IndexProof } from './indexProofs.js';

/** Few, so that the naive index is fast, and buckets have several records. */
const BITS = 7;
/** So near each other that they differ in their last bytes alone, too. */
const newFingerprint = () => {
  const bytes = randomBytes(32);
  return randomInt(4) === 0 ? Buffer.concat([Buffer.alloc(30, 0xa5), bytes.subarray(30)]) : bytes;
};
const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

/** Some hundred registrations, of which some fail and some are registered again. */
function fill(index: FingerprintIndex, count: number, check: (naive: Map<string, number>) => void = () => {}) {
  const naive = new Map<string, number>();
  for (let leaf = 0; leaf < count; leaf += 1) {
    const known = [...naive];
    const [hex, registered] = known[randomInt(known.length + 1)] ?? ['', 0];
    if (randomInt(4) === 0 && hex !== '') {
      index.remove(bytesOf(hex), registered);
      naive.delete(hex);
      if (randomInt(2) === 0) {
        index.insert(bytesOf(hex), leaf);
        naive.set(hex, leaf);
      }
    } else {
      const fingerprint = newFingerprint();
      index.insert(fingerprint, leaf);
      naive.set(fingerprint.toString('hex'), leaf);
    }
    if (leaf % 40 === 0) check(naive);
  }
  check(naive);
  return naive;
}

const toHex = ({ records, siblings }: IndexProof) =>
  [records, ...siblings].map((bytes) => Buffer.from(bytes).toString('hex'));
const rootOf = (index: FingerprintIndex) => Buffer.from(index.readRoot()).toString('hex');
const headOf = (index: FingerprintIndex) => ({ size: 2 ** 40, root: index.readRoot(), bits: index.bits });

describe('the index', () => {
  it('has the root and the proofs of its definition while it grows, and after it was trimmed', () => {
    const index = new FingerprintIndex(hasher, BITS);
    const check = (naive: Map<string, number>) => {
      expect(rootOf(index)).toBe(Buffer.from(naiveSubtree(naive, BITS).hash).toString('hex'));
      const known = [...naive.keys()][randomInt(naive.size)];
      for (const hex of [newFingerprint().toString('hex'), ...(known === undefined ? [] : [known])]) {
        expect(index.find(bytesOf(hex))).toBe(naive.get(hex));
        for (const [proof, prefixBits] of [
          [index.prove(bytesOf(hex)), BITS],
          [index.provePrefix(bytesOf(hex)), BITS - 4],
        ] as const) {
          expect(toHex(proof)).toEqual(toHex(naiveProof(naive, BITS, hex, prefixBits)));
          expect(findProvenLeaf(bytesOf(hex), proof, headOf(index))).toBe(naive.get(hex));
        }
      }
    };
    const naive = fill(index, 400, check);
    index.trim();
    check(naive);
    index.insert(Buffer.alloc(32, 7), 400);
    check(naive.set('07'.repeat(32), 400));
  });

  it('has twenty bits, and an empty root that anyone can compute', () => {
    const index = new FingerprintIndex(hasher);
    const naive = new Map<string, number>();
    expect(rootOf(index)).toBe('10d6c4230824825e7296a4297b43de9bb3df9f42b4b9cd650a39b44fabb22afb');
    for (let leaf = 0; leaf < 3; leaf += 1) {
      const fingerprint = newFingerprint();
      index.insert(fingerprint, leaf);
      naive.set(fingerprint.toString('hex'), leaf);
      const proof = index.prove(fingerprint);
      expect([proof.siblings.length, index.provePrefix(fingerprint).siblings.length]).toEqual([20, 16]);
      expect(toHex(proof)).toEqual(toHex(naiveProof(naive, 20, fingerprint.toString('hex'))));
      expect(findProvenLeaf(fingerprint, proof, headOf(index))).toBe(leaf);
    }
  });

  it('is the same whether many fingerprints come at once, or are read in between', () => {
    const [atOnce, oneByOne] = [new FingerprintIndex(hasher), new FingerprintIndex(hasher)];
    // All of one part, which takes 8,192 at a time.
    const known = Array.from({ length: 10_000 }, () => randomBytes(32).fill(0x5a, 0, 1));
    for (const [leaf, fingerprint] of known.entries()) {
      atOnce.insert(fingerprint, leaf);
      oneByOne.insert(fingerprint, leaf);
      if (leaf % 1_000 === 0) oneByOne.readRoot();
    }
    atOnce.trim();
    expect(rootOf(atOnce)).toBe(rootOf(oneByOne));
    expect(known.every((fingerprint, leaf) => atOnce.find(fingerprint) === leaf)).toBe(true);
  });

  it('names the first valid leaf of a fingerprint, and the next one when that is taken back', () => {
    const index = new FingerprintIndex(hasher, BITS);
    const [one, other] = [newFingerprint(), randomBytes(32)];
    const empty = rootOf(index);
    index.insert(other, 1);
    const alone = rootOf(index);
    for (const leaf of [2, 5, 9]) index.insert(one, leaf);
    const seen = [index.find(one)];
    // Leaves that it does not have, and those of other fingerprints, change nothing.
    for (const [fingerprint, leaf] of [
      [one, 3],
      [other, 2],
      [newFingerprint(), 2],
      [one, 5],
      [one, 2],
      [one, 2],
      [one, 9],
      [one, 9],
    ] as const) {
      index.remove(fingerprint, leaf);
      seen.push(index.find(one));
    }
    expect(seen).toEqual([2, 2, 2, 2, 2, 9, 9, undefined, undefined]);
    expect(rootOf(index)).toBe(alone);
    index.insert(one, 11);
    index.insert(one, 12);
    index.remove(one, 11);
    expect(index.find(one)).toBe(12);
    index.remove(one, 12);
    index.remove(other, 1);
    expect(rootOf(index)).toBe(empty);
  });
});

describe('a proof', () => {
  const index = new FingerprintIndex(hasher, BITS);
  const naive = fill(index, 300);
  const head = headOf(index);
  const known = [...naive.keys()].map(bytesOf);

  it('is refused with any change', () => {
    const questions = [...known.slice(0, 40), ...Array.from({ length: 40 }, newFingerprint)].flatMap((fingerprint) =>
      [index.prove(fingerprint), index.provePrefix(fingerprint)].map((proof) => ({ fingerprint, proof })),
    );
    expect(findAcceptedProofs(questions, head, 3_000)).toEqual([]);
  });

  it('says nothing about fingerprints of other buckets, nor under another head', () => {
    const [fingerprint = newFingerprint()] = known;
    const proof = index.prove(fingerprint);
    const leaf = naive.get(fingerprint.toString('hex')) ?? 0;
    const elsewhere = Buffer.from(fingerprint);
    elsewhere.writeUInt8(elsewhere.readUInt8(0) ^ 0x80);
    const longer = Buffer.concat([fingerprint, Buffer.alloc(1)]);
    const open = (changes: Partial<typeof head> = {}, asked: Uint8Array = fingerprint) => {
      return findProvenLeaf(asked, proof, { ...head, ...changes });
    };
    expect(open()).toBe(leaf);
    expect(open({ size: leaf + 1 })).toBe(leaf);
    expect(() => open({ size: leaf })).toThrow('names a leaf that it does not cover');
    expect(() => open({}, elsewhere)).toThrow('The proof');
    expect(() => open({}, longer)).toThrow('does not have 32 bytes');
    expect(() => open({}, fingerprint.subarray(1))).toThrow('does not have 32 bytes');
    for (const bits of [BITS - 1, BITS + 1, BITS + 5, 0]) expect(() => open({ bits })).toThrow('The proof');
    for (const root of [hasher.emptyRoot, head.root.subarray(1), Buffer.concat([head.root, Buffer.alloc(1)])]) {
      expect(() => open({ root })).toThrow('does not lead to the root');
    }
  });

  it('is refused if the log signed the root of a bucket that could hide a record', () => {
    const near = [1, 2].map((last) => randomBytes(32).fill(0x33, 0, 31).fill(last, 31));
    const [one = known[0], other = known[0]] = near;
    if (!one || !other) throw new Error('there is no fingerprint');
    const { siblings } = index.prove(one);
    const record = (fingerprint: Uint8Array, leaf = '0000000000000005') => Buffer.concat([fingerprint, bytesOf(leaf)]);
    const rootAbove = (records: Uint8Array) =>
      siblings.reduce(
        (node, sibling, level) =>
          ((0x33 >>> (8 - BITS)) >>> level) % 2 === 1 ? hasher.hashNode(sibling, node) : hasher.hashNode(node, sibling),
        hasher.hashLeaf(records),
      );
    const open = (...parts: readonly Uint8Array[]) => {
      const records = Buffer.concat(parts);
      return findProvenLeaf(one, { records, siblings }, { ...head, root: rootAbove(records) });
    };
    expect(open(record(one), record(other))).toBe(5);
    expect(() => open(record(other), record(one))).toThrow('not in order');
    expect(() => open(record(one), record(one, '0000000000000006'))).toThrow('not in order');
    expect(() => open(record(one), record(Buffer.alloc(32, 0xee)))).toThrow('records of other buckets');
    expect(() => open(record(one).subarray(1))).toThrow('cut off');
    expect(() => open(record(one, 'ffffffffffffffff'))).toThrow('not below 2⁵³');
  });
});

it('An index is of 5 to 24 bits', () => {
  for (const bits of [4, 25, 7.5]) expect(() => new FingerprintIndex(hasher, bits)).toThrow('an index of');
});
