// Records of the index of a log: a fingerprint, and the leaf that it has. A bucket has the records of the fingerprints that
// begin with the same bits, in their order; its hash is that of a leaf with their bytes.

import { HASH_BYTES } from '../encoding.js';
import { LogFormatError } from '../errors.js';

const LEAF_INDEX_BYTES = 8;
/** A fingerprint, and the index of its first valid leaf as a big-endian number. */
export const RECORD_BYTES = HASH_BYTES + LEAF_INDEX_BYTES;
/** A million buckets: ten records each at ten million, and a tree of 67 MB. */
export const INDEX_BITS = 20;
/** A prefix of four bits fewer has at least one. */
export const MIN_INDEX_BITS = 5;
/** A tree of a gigabyte. */
export const MAX_INDEX_BITS = 24;
/** Bits that a bit operation can take from the front of a fingerprint. */
const WORD_BITS = 32;

/** The number of the bucket: the first bits of the fingerprint. */
export function bucketOf(fingerprint: Uint8Array, bits: number): number {
  let word = 0;
  for (let byte = 0; byte < WORD_BITS / 8; byte += 1) word = word * 256 + (fingerprint[byte] ?? 0);
  return Math.floor(word / 2 ** (WORD_BITS - bits));
}

export function writeRecord(records: Uint8Array, place: number, fingerprint: Uint8Array, leafIndex: number): void {
  const offset = place * RECORD_BYTES;
  records.set(fingerprint, offset);
  let left = leafIndex;
  for (let byte = offset + RECORD_BYTES - 1; byte >= offset + HASH_BYTES; byte -= 1) {
    records[byte] = left % 256;
    left = Math.floor(left / 256);
  }
}

/** @throws LogFormatError for an index that no log has */
export function readLeafIndex(records: Uint8Array, place: number): number {
  const view = new DataView(records.buffer, records.byteOffset + place * RECORD_BYTES, RECORD_BYTES);
  const leafIndex = Number(view.getBigUint64(HASH_BYTES));
  if (!Number.isSafeInteger(leafIndex)) throw new LogFormatError('The index of a leaf is not below 2⁵³.');
  return leafIndex;
}

/** Like the function for sorting: compares the fingerprint of a record with that of another one, or with a fingerprint alone. */
export function compareFingerprints(records: Uint8Array, offset: number, others: Uint8Array, otherOffset = 0): number {
  for (let byte = 0; byte < HASH_BYTES; byte += 1) {
    const difference = (records[offset + byte] ?? 0) - (others[otherOffset + byte] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The place of a fingerprint between records in order: that of its own record, or of the one before which it belongs. */
export function findPlace(records: Uint8Array, fingerprint: Uint8Array): { place: number; isThere: boolean } {
  let [low, high] = [0, records.length / RECORD_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareFingerprints(records, middle * RECORD_BYTES, fingerprint);
    if (order === 0) return { place: middle, isThere: true };
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return { place: low, isThere: false };
}

export function requireFingerprint(fingerprint: Uint8Array): void {
  if (fingerprint.length !== HASH_BYTES) throw new LogFormatError('A fingerprint does not have 32 bytes.');
}
