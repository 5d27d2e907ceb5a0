// A binary fuse filter over fingerprints: 9 bits for each tell "no" for certain, and otherwise "maybe". Positions and
// fingerprint bytes are those of the reference implementation (Lemire and Graf, xor_singleheader, binary_fuse8), so that
// libraries in other languages can use the same bytes. Hashes are kept in two halves of 32 bits: BigInt is far slower.

import { sha256 } from '@noble/hashes/sha2';

/** `PRBF`, version 1 and three zero bytes. */
const MAGIC = [0x50, 0x52, 0x42, 0x46, 1, 0, 0, 0] as const;
/** Magic, seed, segment length, segment count, number of keys. */
const HEADER_BYTES = 32;
/** Limit of the reference implementation: a longer segment no longer fits into the cache of a processor. */
const MAX_SEGMENT_LENGTH = 262_144;
/** A seed fails in a few of a hundred cases, each independently. */
const MAX_SEEDS = 100;
const TWO_32 = 2 ** 32;

/** Answers whether a fingerprint is in a set, with one false "maybe" in 256. */
export interface FingerprintFilter {
  /** How many fingerprints it was built from; those with the same first 8 bytes count once. */
  readonly count: number;
  /** False: certainly not in the set. True: maybe. */
  mayContain(fingerprint: Uint8Array): boolean;
}

/** The sizes of a filter, and what follows from them. */
interface Shape {
  readonly segmentLength: number;
  readonly segmentCount: number;
}

function shapeFor(count: number): Shape {
  if (count <= 1) return { segmentLength: 4, segmentCount: 1 };
  const logLength = Math.floor(Math.log(count) / Math.log(3.33) + 2.25);
  const segmentLength = Math.min(2 ** logLength, MAX_SEGMENT_LENGTH);
  const sizeFactor = Math.max(1.125, 0.875 + (0.25 * Math.log(1_000_000)) / Math.log(count));
  const segments = Math.ceil(Math.round(count * sizeFactor) / segmentLength);
  return { segmentLength, segmentCount: Math.max(1, segments - 2) };
}

const arrayLengthOf = ({ segmentLength, segmentCount }: Shape) => (segmentCount + 2) * segmentLength;

/** The high half of the product of two unsigned numbers of 32 bits. */
function multiplyHigh(one: number, other: number): number {
  const a = one >>> 16;
  const b = one & 0xffff;
  const c = other >>> 16;
  const d = other & 0xffff;
  const ad = a * d;
  const bc = b * c;
  const middle = ((b * d) >>> 16) + (ad & 0xffff) + (bc & 0xffff);
  return a * c + (ad >>> 16) + (bc >>> 16) + (middle >>> 16);
}

/** The hash of one key at a time and its three positions, as fields: objects for each would be slow. */
class KeyHash {
  high = 0;
  low = 0;
  first = 0;
  second = 0;
  third = 0;
  readonly #segmentLength: number;
  readonly #mask: number;
  readonly #range: number;

  constructor(
    shape: Shape,
    readonly seedHigh: number,
    readonly seedLow: number,
  ) {
    this.#segmentLength = shape.segmentLength;
    this.#mask = shape.segmentLength - 1;
    this.#range = shape.segmentCount * shape.segmentLength;
  }

  /** MurmurHash3's finalizer of key + seed. */
  setKey(keyHigh: number, keyLow: number): void {
    const sum = keyLow + this.seedLow;
    let low = sum >>> 0;
    let high = (keyHigh + this.seedHigh + (sum >= TWO_32 ? 1 : 0)) >>> 0;
    low = (low ^ (high >>> 1)) >>> 0;
    high = (multiplyHigh(low, 0xed558ccd) + Math.imul(high, 0xed558ccd) + Math.imul(low, 0xff51afd7)) >>> 0;
    low = Math.imul(low, 0xed558ccd) >>> 0;
    low = (low ^ (high >>> 1)) >>> 0;
    high = (multiplyHigh(low, 0x1a85ec53) + Math.imul(high, 0x1a85ec53) + Math.imul(low, 0xc4ceb9fe)) >>> 0;
    low = Math.imul(low, 0x1a85ec53) >>> 0;
    low = (low ^ (high >>> 1)) >>> 0;
    this.setHash(high, low);
  }

  setHash(high: number, low: number): void {
    this.high = high;
    this.low = low;
    const carry = (Math.imul(high, this.#range) >>> 0) + multiplyHigh(low, this.#range) >= TWO_32 ? 1 : 0;
    this.first = multiplyHigh(high, this.#range) + carry;
    this.second = (this.first + this.#segmentLength) ^ (((low >>> 18) | (high << 14)) & this.#mask);
    this.third = (this.first + 2 * this.#segmentLength) ^ (low & this.#mask);
  }

  get byte(): number {
    return (this.high ^ this.low) & 0xff;
  }

  /** The positions in a circle: 0, 1, 2, 0, 1. */
  position(index: number): number {
    const turn = index % 3;
    return turn === 0 ? this.first : turn === 1 ? this.second : this.third;
  }
}

/**
 * The keys of a filter: the first 8 bytes of each fingerprint. Anyone can choose fingerprints, so equal keys are expected;
 * they have the same answer.
 */
export class FilterKeys {
  /** High and low half of each key. */
  #words = new Uint32Array(2 * 1024);
  #count = 0;

  /** Adds keys in ascending order. Throws otherwise. */
  add(bytes: Uint8Array, offset = 0): void {
    const high = readKeyWord(bytes, offset);
    const low = readKeyWord(bytes, offset + 4);
    const at = 2 * this.#count;
    const lastHigh = this.#words[at - 2] ?? 0;
    const lastLow = this.#words[at - 1] ?? 0;
    if (at > 0 && high === lastHigh && low === lastLow) return;
    if (high < lastHigh || (high === lastHigh && low < lastLow)) throw new RangeError('keys are not in order');
    if (at === this.#words.length) {
      const grown = new Uint32Array(2 * at);
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words[at] = high;
    this.#words[at + 1] = low;
    this.#count += 1;
  }

  /** High and low half of each key, ascending and without duplicates. */
  get words(): Uint32Array<ArrayBuffer> {
    return this.#words.subarray(0, 2 * this.#count);
  }
}

function readKeyWord(bytes: Uint8Array, offset: number): number {
  const high = ((bytes[offset] ?? 0) << 8) | (bytes[offset + 1] ?? 0);
  return ((high << 16) | ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0)) >>> 0;
}

/**
 * Builds and serializes a filter; the same keys always give the same bytes. Needs about 27 bytes of memory for each key,
 * and some seconds for ten million. `words` are those of `FilterKeys`.
 */
export function buildFilter(words: Uint32Array): Uint8Array<ArrayBuffer> {
  const count = words.length / 2;
  const shape = shapeFor(count);
  const bytes = new Uint8Array(HEADER_BYTES + arrayLengthOf(shape));
  const table = bytes.subarray(HEADER_BYTES);
  // Users choose fingerprints: with a seed that they know beforehand, some could be chosen so that no filter exists.
  const secret = sha256(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  for (let attempt = 0; attempt < MAX_SEEDS; attempt += 1) {
    const seed = sha256(Uint8Array.of(...secret, attempt));
    const hash = new KeyHash(shape, readKeyWord(seed, 0), readKeyWord(seed, 4));
    if (!fillTable(table, words, hash)) continue;
    bytes.set(MAGIC);
    const header = new DataView(bytes.buffer);
    header.setUint32(8, hash.seedLow, true);
    header.setUint32(12, hash.seedHigh, true);
    header.setUint32(16, shape.segmentLength, true);
    header.setUint32(20, shape.segmentCount, true);
    header.setUint32(24, count, true);
    return bytes;
  }
  throw new Error('no filter exists for these keys');
}

/**
 * Fills the table if the keys can be peeled off one by one with this seed, or else returns false. A key that is alone at one
 * of its positions is peeled: its byte there is set last, when those at its other positions are known.
 */
function fillTable(table: Uint8Array, words: Uint32Array, hash: KeyHash): boolean {
  const positions = new Positions(table.length, hash);
  for (let index = 0; index < words.length; index += 2) {
    hash.setKey(words[index] ?? 0, words[index + 1] ?? 0);
    if (!positions.addKey()) return false;
  }
  const peeled = peelKeys(positions, words.length / 2);
  if (!peeled) return false;
  for (let index = peeled.length - 1; index >= 0; index -= 1) {
    const at = peeled[index] ?? 0;
    const which = positions.readOnlyKey(at);
    table[at] = hash.byte ^ (table[hash.position(which + 1)] ?? 0) ^ (table[hash.position(which + 2)] ?? 0);
  }
  return true;
}

/** Where each key was alone, in the order in which they were peeled; undefined if some never are. */
function peelKeys(positions: Positions, count: number): Uint32Array | undefined {
  /** Positions with one key; below `waiting`, those to look at. */
  const alone = new Uint32Array(positions.length);
  let waiting = positions.listSingle(alone);
  const peeled = new Uint32Array(count);
  let peeledCount = 0;
  while (waiting > 0) {
    waiting -= 1;
    const at = alone[waiting] ?? 0;
    if (!positions.hasOneKey(at)) continue;
    peeled[peeledCount++] = at;
    const which = positions.readOnlyKey(at);
    for (const other of [(which + 1) % 3, (which + 2) % 3]) {
      if (positions.removeKey(other)) alone[waiting++] = positions.hash.position(other);
    }
  }
  return peeledCount === count ? peeled : undefined;
}

/** The keys at each position of the table. */
class Positions {
  /** The number of keys (times 4), and the xor of which of their three positions it is. */
  readonly #uses: Uint8Array;
  /** The xor of their hashes: high and low half. */
  readonly #hashes: Uint32Array;

  constructor(
    readonly length: number,
    readonly hash: KeyHash,
  ) {
    this.#uses = new Uint8Array(length);
    this.#hashes = new Uint32Array(2 * length);
  }

  /** The key in `hash`. False if there are 64 keys at one position, where three are usual. */
  addKey(): boolean {
    for (let which = 0; which < 3; which += 1) {
      const at = this.hash.position(which);
      const use = ((this.#uses[at] ?? 0) + 4) ^ which;
      if (use > 0xff) return false;
      this.#change(at, use);
    }
    return true;
  }

  /** The key in `hash`, at one of its positions. True if one key is left there. */
  removeKey(which: number): boolean {
    const at = this.hash.position(which);
    const use = ((this.#uses[at] ?? 0) - 4) ^ which;
    this.#change(at, use);
    return use >> 2 === 1;
  }

  #change(at: number, use: number): void {
    this.#uses[at] = use;
    this.#hashes[2 * at] = (this.#hashes[2 * at] ?? 0) ^ this.hash.high;
    this.#hashes[2 * at + 1] = (this.#hashes[2 * at + 1] ?? 0) ^ this.hash.low;
  }

  hasOneKey(at: number): boolean {
    return (this.#uses[at] ?? 0) >> 2 === 1;
  }

  /** Puts the only key of a position into `hash`. Which of its three positions that is. */
  readOnlyKey(at: number): number {
    this.hash.setHash(this.#hashes[2 * at] ?? 0, this.#hashes[2 * at + 1] ?? 0);
    return (this.#uses[at] ?? 0) & 3;
  }

  /** Writes the positions with one key into `list`; returns their number. */
  listSingle(list: Uint32Array): number {
    let count = 0;
    for (let at = 0; at < this.length; at += 1) {
      if (this.hasOneKey(at)) list[count++] = at;
    }
    return count;
  }
}

/** Throws unless the bytes are exactly one filter. Keeps them. */
export function parseFilter(bytes: Uint8Array): FingerprintFilter {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || MAGIC.some((byte, index) => bytes[index] !== byte)) {
    throw new RangeError('not a filter of a known version');
  }
  const segmentLength = header.getUint32(16, true);
  const segmentCount = header.getUint32(20, true);
  const isPowerOfTwo = segmentLength > 0 && (segmentLength & (segmentLength - 1)) === 0;
  if (!isPowerOfTwo || segmentLength > MAX_SEGMENT_LENGTH || segmentCount === 0) {
    throw new RangeError('the filter has impossible sizes');
  }
  const shape = { segmentLength, segmentCount };
  const table = bytes.subarray(HEADER_BYTES);
  const count = header.getUint32(24, true);
  // Each byte holds less than one key; numbers of keys from 2^32 on do not exist yet.
  if (arrayLengthOf(shape) !== table.length || count > table.length || header.getUint32(28, true) !== 0) {
    throw new RangeError('the filter does not have the size that its header states');
  }
  const hash = new KeyHash(shape, header.getUint32(12, true), header.getUint32(8, true));
  return {
    count,
    mayContain(fingerprint) {
      if (count === 0) return false;
      hash.setKey(readKeyWord(fingerprint, 0), readKeyWord(fingerprint, 4));
      const byte = (table[hash.first] ?? 0) ^ (table[hash.second] ?? 0) ^ (table[hash.third] ?? 0);
      return byte === hash.byte;
    },
  };
}
