// Verifies inclusion and consistency proofs, as RFC 9162 describes it (2.1.3.2, 2.1.4.2).

import { isSameBytes } from '../encoding.js';
import { portableHasher, type TreeHasher } from './hasher.js';

/** A tree of 2⁵³ leaves has no longer proof; C2SP allows 63. */
export const MAX_PROOF_HASHES = 63;

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export interface InclusionProof {
  readonly index: number;
  /** From the sibling of the leaf to the child of the root. */
  readonly hashes: readonly Uint8Array[];
}

/** Whether a leaf is at that index of a tree. */
export function isIncluded(
  leafHash: Uint8Array,
  { index, hashes }: InclusionProof,
  { size, root }: TreeHead,
  hasher: TreeHasher = portableHasher,
): boolean {
  if (!isPosition(index) || !isPosition(size) || index >= size || hashes.length > MAX_PROOF_HASHES) return false;
  const path = new Path(index, size - 1);
  let hash = leafHash;
  for (const sibling of hashes) {
    if (path.isAtRoot) return false;
    hash = path.isRightChild ? hasher.hashNode(sibling, hash) : hasher.hashNode(hash, sibling);
    path.climb();
  }
  return path.isAtRoot && isSameBytes(hash, root);
}

/** Whether a tree is the beginning of another one of the same or a larger size. */
export function isConsistent(
  old: TreeHead,
  next: TreeHead,
  hashes: readonly Uint8Array[],
  hasher: TreeHasher = portableHasher,
): boolean {
  if (!isPosition(old.size) || !isPosition(next.size) || old.size > next.size) return false;
  if (old.size === next.size) return hashes.length === 0 && isSameBytes(old.root, next.root);
  if (old.size === 0) return hashes.length === 0 && isSameBytes(old.root, hasher.emptyRoot);
  return hashes.length <= MAX_PROOF_HASHES && isExtended(old, next, hashes, hasher);
}

function isExtended(old: TreeHead, next: TreeHead, hashes: readonly Uint8Array[], hasher: TreeHasher): boolean {
  const path = new Path(old.size - 1, next.size - 1);
  path.skipRightChildren();
  // A smaller tree that is one complete subtree is itself the first part of the proof.
  const [first, ...rest] = path.index === 0 ? [old.root, ...hashes] : hashes;
  if (!first) return false;
  let [oldHash, hash] = [first, first];
  for (const part of rest) {
    if (path.isAtRoot) return false;
    if (path.isRightChild) {
      oldHash = hasher.hashNode(part, oldHash);
      hash = hasher.hashNode(part, hash);
    } else {
      hash = hasher.hashNode(hash, part);
    }
    path.climb();
  }
  return path.isAtRoot && isSameBytes(oldHash, old.root) && isSameBytes(hash, next.root);
}

function isPosition(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The way from a node to the root, beside that of the last node: levels at which the node has no sibling are passed over. */
class Path {
  constructor(
    /** Of the node among those of its level. */
    public index: number,
    /** Index of the last node of that level. */
    private last: number,
  ) {}

  get isAtRoot(): boolean {
    return this.last === 0;
  }

  /** The last node of a level without a sibling counts as one: its next sibling is on the left. */
  get isRightChild(): boolean {
    return this.index % 2 === 1 || this.index === this.last;
  }

  climb(): void {
    if (this.index === this.last) while (this.index % 2 === 0 && this.index > 0) this.halve();
    this.halve();
  }

  skipRightChildren(): void {
    while (this.index % 2 === 1) this.halve();
  }

  private halve(): void {
    this.index = Math.floor(this.index / 2);
    this.last = Math.floor(this.last / 2);
  }
}
