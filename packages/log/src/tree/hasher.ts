// The hashes of RFC 6962. SHA-256 is passed in, because the platforms have none in common that is synchronous and fast.

import { sha256 } from '@noble/hashes/sha2';
import { HASH_BYTES } from '../encoding.js';
import { LogFormatError } from '../errors.js';

export type Sha256 = (data: Uint8Array) => Uint8Array;

export interface TreeHasher {
  hashLeaf(entry: Uint8Array): Uint8Array;
  hashNode(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** The root of the tree without entries. */
  readonly emptyRoot: Uint8Array;
}

const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;

/**
 * Hashes by the given function, in Node best `(data) => hash('sha256', data, 'buffer')` of `node:crypto`.
 */
export function createTreeHasher(digest: Sha256): TreeHasher {
  // Filled again for each node: the function has read it when it returns.
  const node = new Uint8Array(1 + 2 * HASH_BYTES);
  node[0] = NODE_PREFIX;
  return {
    hashLeaf: (entry) => {
      const leaf = new Uint8Array(1 + entry.length);
      leaf[0] = LEAF_PREFIX;
      leaf.set(entry, 1);
      return digest(leaf);
    },
    hashNode: (left, right) => {
      if (left.length !== HASH_BYTES || right.length !== HASH_BYTES)
        throw new LogFormatError('A hash does not have 32 bytes.');
      node.set(left, 1);
      node.set(right, 1 + HASH_BYTES);
      return digest(node);
    },
    emptyRoot: digest(new Uint8Array()),
  };
}

/** For Node and browsers: fast enough for receipts, whose proof has a few dozen hashes. */
export const portableHasher: TreeHasher = createTreeHasher(sha256);

/** The root of the complete subtrees that a range of leaves consists of, the largest and leftmost first. */
export function joinSubtrees(hashes: readonly Uint8Array[], hasher: TreeHasher): Uint8Array {
  const root = hashes.reduceRight<Uint8Array | undefined>(
    (right, left) => (right === undefined ? left : hasher.hashNode(left, right)),
    undefined,
  );
  return root ?? hasher.emptyRoot;
}
