// Proofs of the index of a log: which leaf a fingerprint has, or that it has none. A proof has all records of the fingerprint's
// bucket, or of sixteen buckets, so that a client that asks for a prefix does not tell its file.

import { HASH_BYTES } from '../encoding.js';
import { LogFormatError, LogProofError } from '../errors.js';
import { portableHasher, type TreeHasher } from '../tree/hasher.js';
import {
  bucketOf,
  compareFingerprints,
  findPlace,
  RECORD_BYTES,
  readLeafIndex,
  requireFingerprint,
} from './records.js';

/** What an `index` leaf says, with the root as bytes. */
export interface IndexHead {
  /** The leaves of the log that the index covers: those before this one. */
  readonly size: number;
  readonly root: Uint8Array;
  /** Of a fingerprint: the number of its bucket. */
  readonly bits: number;
}

export interface IndexProof {
  /** Of all buckets that the proof is about, in order of their fingerprints. */
  readonly records: Uint8Array;
  /** From the sibling of the bucket, or of the sixteen, to the child of the root: one for each bit that all of them share. */
  readonly siblings: readonly Uint8Array[];
}

/** Sixteen buckets: those of four hexadecimal digits in an index of 20 bits. */
export const PREFIX_HEIGHT = 4;

/**
 * The leaf of a fingerprint by the index with that head; undefined if the fingerprint is proven to have none.
 * @throws LogFormatError, or LogProofError if the proof is not one of that index, or says nothing about the fingerprint
 */
export function findProvenLeaf(
  fingerprint: Uint8Array,
  { records, siblings }: IndexProof,
  { size, root, bits }: IndexHead,
  hasher: TreeHasher = portableHasher,
): number | undefined {
  requireFingerprint(fingerprint);
  const height = bits - siblings.length;
  if (height !== 0 && height !== PREFIX_HEIGHT) {
    throw new LogFormatError('The proof has another number of hashes than its index.');
  }
  requireOrder(records);
  const prefix = bucketOf(fingerprint, siblings.length);
  let node = hashBuckets(records, prefix * 2 ** height, { height, bits }, hasher);
  for (const [level, sibling] of siblings.entries()) {
    node = (prefix >>> level) % 2 === 1 ? hasher.hashNode(sibling, node) : hasher.hashNode(node, sibling);
  }
  if (compareFingerprints(node, 0, root) !== 0 || root.length !== HASH_BYTES) {
    throw new LogProofError('The proof does not lead to the root of the index.');
  }
  const { place, isThere } = findPlace(records, fingerprint);
  if (!isThere) return undefined;
  const leafIndex = readLeafIndex(records, place);
  if (leafIndex >= size) throw new LogProofError('The index names a leaf that it does not cover.');
  return leafIndex;
}

function requireOrder(records: Uint8Array): void {
  if (records.length % RECORD_BYTES !== 0) throw new LogFormatError('A record of the index is cut off.');
  for (let offset = RECORD_BYTES; offset < records.length; offset += RECORD_BYTES) {
    if (compareFingerprints(records, offset - RECORD_BYTES, records, offset) >= 0) {
      throw new LogFormatError('The records of the index are not in order.');
    }
  }
}

/** The root of 2^`height` buckets, the first of which has the number `first`. */
function hashBuckets(
  records: Uint8Array,
  first: number,
  { height, bits }: { readonly height: number; readonly bits: number },
  hasher: TreeHasher,
): Uint8Array {
  let offset = 0;
  let nodes = Array.from({ length: 2 ** height }, (_, place) => {
    const start = offset;
    while (offset < records.length && bucketOf(records.subarray(offset), bits) === first + place)
      offset += RECORD_BYTES;
    return hasher.hashLeaf(records.subarray(start, offset));
  });
  if (offset < records.length) throw new LogProofError('The proof has records of other buckets.');
  while (nodes.length > 1) nodes = hashPairs(nodes, hasher);
  const [root = hasher.emptyRoot] = nodes;
  return root;
}

function hashPairs(nodes: readonly Uint8Array[], hasher: TreeHasher): Uint8Array[] {
  return nodes.flatMap((left, place) => {
    const right = nodes[place + 1];
    return place % 2 === 0 && right ? [hasher.hashNode(left, right)] : [];
  });
}
