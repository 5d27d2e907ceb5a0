// Against the definitions of RFC 6962, written here as they stand there, for all small trees.

import { describe, expect, it } from 'vitest';
import { nodeHasher as hasher } from '../../test/support/vectors.js';
import { isConsistent, isIncluded } from './proofs.js';
import { proveConsistency, proveInclusion, readRoot } from './tiledTree.js';
import { HashTile } from './tiles.js';

/** Beyond a complete tree of four levels. */
const MAX_SIZE = 20;
const leaves = Array.from({ length: MAX_SIZE }, (_, index) => hasher.hashLeaf(Uint8Array.of(index)));
const other = hasher.hashLeaf(Uint8Array.of(255));

/** The largest power of two smaller than the count. */
const split = (count: number) => 2 ** Math.ceil(Math.log2(count) - 1);

function treeHash(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes;
  if (!first) return hasher.emptyRoot;
  if (hashes.length === 1) return first;
  const middle = split(hashes.length);
  return hasher.hashNode(treeHash(hashes.slice(0, middle)), treeHash(hashes.slice(middle)));
}

function path(index: number, hashes: readonly Uint8Array[]): Uint8Array[] {
  if (hashes.length === 1) return [];
  const middle = split(hashes.length);
  const [left, right] = [hashes.slice(0, middle), hashes.slice(middle)];
  return index < middle ? [...path(index, left), treeHash(right)] : [...path(index - middle, right), treeHash(left)];
}

function subproof(oldSize: number, hashes: readonly Uint8Array[], isWhole: boolean): Uint8Array[] {
  if (oldSize === hashes.length) return isWhole ? [] : [treeHash(hashes)];
  const middle = split(hashes.length);
  const [left, right] = [hashes.slice(0, middle), hashes.slice(middle)];
  return oldSize <= middle
    ? [...subproof(oldSize, left, isWhole), treeHash(right)]
    : [...subproof(oldSize - middle, right, false), treeHash(left)];
}

const treeOf = (size: number) => ({
  size,
  hasher,
  readTile: async () => new HashTile(leaves.slice(0, size), hasher),
});
const headOf = (size: number) => ({ size, root: treeHash(leaves.slice(0, size)) });
const sizes = Array.from({ length: MAX_SIZE }, (_, index) => index + 1);

/** Every leaf of every tree, or every two trees. */
const pairs = sizes.flatMap((size) => sizes.slice(0, size).map((count) => ({ size, count })));

describe('inclusion proofs', () => {
  it.each(sizes)('of a tree of %i are those of RFC 6962', async (size) => {
    for (const index of leaves.slice(0, size).keys()) {
      expect(toHex(await proveInclusion(treeOf(size), index))).toBe(toHex(path(index, leaves.slice(0, size))));
    }
  });

  it('hold for their leaf, place and tree alone', () => {
    const accepted = pairs.map(({ size, count }) => {
      const index = count - 1;
      const hashes = path(index, leaves.slice(0, size));
      const isProven = (change: { leaf?: Uint8Array; index?: number; hashes?: Uint8Array[]; root?: Uint8Array }) =>
        isIncluded(change.leaf ?? other, { index, hashes, ...change }, { ...headOf(size), ...change }, hasher);
      const leaf = leaves[index] ?? other;
      const others = [
        {},
        { leaf, root: other },
        { leaf, hashes: [...hashes, other] },
        { leaf, hashes: [other, ...hashes] },
        ...hashes.map((_, place) => ({ leaf, hashes: hashes.toSpliced(place, 1) })),
        ...sizes.filter((place) => place !== count).map((place) => ({ leaf, index: place - 1 })),
      ];
      return [isProven({ leaf }), ...others.filter(isProven)];
    });
    expect(accepted).toEqual(pairs.map(() => [true]));
  });

  it('do not hold for a place outside of the tree', () => {
    const [leaf = other] = leaves;
    for (const index of [-1, 1, 0.5, Number.NaN, 2 ** 53]) {
      expect(isIncluded(leaf, { index, hashes: [] }, headOf(1))).toBe(false);
    }
    expect(isIncluded(leaf, { index: 0, hashes: [] }, { size: 0, root: leaf })).toBe(false);
  });

  it('are not made for a leaf that the tree does not have', async () => {
    await expect(proveInclusion(treeOf(3), 3)).rejects.toThrow(RangeError);
    await expect(proveInclusion(treeOf(3), -1)).rejects.toThrow(RangeError);
  });
});

describe('consistency proofs', () => {
  it.each(sizes)('of a tree of %i are those of RFC 6962', async (size) => {
    for (const oldSize of sizes.slice(0, size)) {
      const expected = subproof(oldSize, leaves.slice(0, size), true);
      expect(toHex(await proveConsistency(treeOf(size), oldSize))).toBe(toHex(expected));
    }
  });

  it('hold for their two trees alone', () => {
    const accepted = pairs.map(({ size, count }) => {
      const [old, head, hashes] = [headOf(count), headOf(size), subproof(count, leaves.slice(0, size), true)];
      const others: Parameters<typeof isConsistent>[] = [
        [{ ...old, root: other }, head, hashes],
        [old, { ...head, root: other }, hashes],
        [{ ...old, size: count - 1 }, head, hashes],
        [{ ...old, size: count + 1 }, head, hashes],
        [old, head, [...hashes, other]],
        [old, head, [other, ...hashes]],
        ...hashes.map((_, place): Parameters<typeof isConsistent> => [old, head, hashes.toSpliced(place, 1)]),
      ];
      const isProven = ([from, to, proof]: Parameters<typeof isConsistent>) => isConsistent(from, to, proof, hasher);
      return [isProven([old, head, hashes]), ...others.filter(isProven)];
    });
    expect(accepted).toEqual(pairs.map(() => [true]));
  });

  it('are refused in the other direction', () => {
    expect(isConsistent(headOf(5), headOf(3), subproof(3, leaves.slice(0, 5), true))).toBe(false);
  });

  it('of the empty tree have no hashes', async () => {
    expect(await proveConsistency(treeOf(5), 0)).toEqual([]);
    expect(isConsistent(headOf(0), headOf(5), [])).toBe(true);
    expect(isConsistent(headOf(0), headOf(5), [other])).toBe(false);
    expect(isConsistent({ size: 0, root: other }, headOf(5), [])).toBe(false);
    expect(isConsistent(headOf(0), headOf(0), [])).toBe(true);
  });

  it('are not made for a tree that is larger', async () => {
    await expect(proveConsistency(treeOf(3), 4)).rejects.toThrow(RangeError);
  });
});

describe('a tree of 2⁵² leaves', () => {
  // The last leaf alone, beside complete subtrees: the path has a sibling at every level.
  const siblings = Array.from({ length: 52 }, (_, level) => hasher.hashLeaf(Uint8Array.of(200, level)));
  const root = siblings.reduce((hash, sibling) => hasher.hashNode(sibling, hash), other);

  it('has proofs of its last leaf', () => {
    const proof = { index: 2 ** 52 - 1, hashes: siblings };
    expect(isIncluded(other, proof, { size: 2 ** 52, root })).toBe(true);
    expect(isIncluded(other, { ...proof, index: 2 ** 52 - 2 }, { size: 2 ** 52, root })).toBe(false);
    expect(isIncluded(other, { ...proof, index: 2 ** 52 - 1 - 2 ** 32 }, { size: 2 ** 52, root })).toBe(false);
  });
});

describe('roots', () => {
  it('are those of RFC 6962, the empty one included', async () => {
    for (const size of [0, ...sizes]) expect(await readRoot(treeOf(size))).toEqual(headOf(size).root);
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(Buffer.from(await readRoot(treeOf(0))).toString('hex')).toBe(empty);
  });
});

function toHex(hashes: readonly Uint8Array[]): string {
  return Buffer.concat(hashes).toString('hex');
}
