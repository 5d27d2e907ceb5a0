// The index of a log: which leaf is the first valid one of each fingerprint, in a tree whose root an `index` leaf states. Made from
// the leaves alone and in their order, so that everybody who reads the log gets the same root.

import { bytesToHex } from '@noble/hashes/utils';
import { concatBytes, HASH_BYTES } from '../encoding.js';
import type { TreeHasher } from '../tree/hasher.js';
import { BucketRecords } from './bucketRecords.js';
import { type IndexProof, PREFIX_HEIGHT } from './indexProofs.js';
import {
  bucketOf,
  findPlace,
  INDEX_BITS,
  MAX_INDEX_BITS,
  MIN_INDEX_BITS,
  RECORD_BYTES,
  readLeafIndex,
  requireFingerprint,
  writeRecord,
} from './records.js';

/** Of the parts of the tree that are hashed in one step: at most 8,000 hashes. */
const STEP_HEIGHT = 12;
/** Records of a part: a hundred megabytes in all, until they are given back. */
const MAX_WAITING = 8_192;

/** Records that are still to be inserted. */
interface WaitingPart {
  records?: Uint8Array;
  count: number;
}

export class FingerprintIndex {
  readonly #buckets: BucketRecords;
  /** By the first byte of the fingerprint. Inserted together: those of one part are near each other in memory. */
  readonly #waiting: readonly WaitingPart[] = Array.from({ length: 256 }, () => ({ count: 0 }));
  /** The hashes of the tree: the root at 1, the children of node n at 2n and 2n + 1, the buckets last. */
  readonly #tree: Uint8Array;
  readonly #emptyNodes: readonly Uint8Array[];
  /** Buckets whose hashes are not those of their records. */
  readonly #changed = new Set<number>();
  /** Valid leaves after the first one of the same fingerprint, by hexadecimal digits. An honest log has none. */
  readonly #later = new Map<string, number[]>();

  constructor(
    private readonly hasher: TreeHasher,
    readonly bits = INDEX_BITS,
  ) {
    if (!Number.isInteger(bits) || bits < MIN_INDEX_BITS || bits > MAX_INDEX_BITS)
      throw new RangeError(`an index of ${bits} bits`);
    this.#buckets = new BucketRecords(bits);
    this.#tree = new Uint8Array(2 ** (bits + 1) * HASH_BYTES);
    this.#emptyNodes = hashEmptyNodes(bits, hasher);
  }

  /** Adds a leaf of a fingerprint. Leaves come in the order of the log. */
  insert(fingerprint: Uint8Array, leafIndex: number): void {
    requireFingerprint(fingerprint);
    const part = this.#partOf(fingerprint);
    part.records ??= new Uint8Array(MAX_WAITING * RECORD_BYTES);
    writeRecord(part.records, part.count, fingerprint, leafIndex);
    part.count += 1;
    if (part.count === MAX_WAITING) this.#insertPart(part);
  }

  /** Takes back a leaf of a fingerprint, which no longer counts. The next one of the same fingerprint is then its first. */
  remove(fingerprint: Uint8Array, leafIndex: number): void {
    requireFingerprint(fingerprint);
    this.#insertPart(this.#partOf(fingerprint));
    const bucket = bucketOf(fingerprint, this.bits);
    const records = this.#buckets.read(bucket);
    const { place, isThere } = findPlace(records, fingerprint);
    if (!isThere) return;
    const key = bytesToHex(fingerprint);
    const later = this.#later.get(key) ?? [];
    if (readLeafIndex(records, place) !== leafIndex) {
      this.#keepLater(
        key,
        later.filter((other) => other !== leafIndex),
      );
      return;
    }
    const [next, ...rest] = later;
    if (next === undefined) this.#buckets.removeAt(bucket, place);
    else writeRecord(records, place, fingerprint, next);
    this.#keepLater(key, rest);
    this.#changed.add(bucket);
  }

  find(fingerprint: Uint8Array): number | undefined {
    requireFingerprint(fingerprint);
    this.#insertPart(this.#partOf(fingerprint));
    const records = this.#buckets.read(bucketOf(fingerprint, this.bits));
    const { place, isThere } = findPlace(records, fingerprint);
    return isThere ? readLeafIndex(records, place) : undefined;
  }

  readRoot(): Uint8Array {
    for (const _ of this.hashInSteps());
    return this.#readNode(1).slice();
  }

  /** Hashes what has changed, as reading the root does, in steps of some ten milliseconds. Nothing may change between them. */
  *hashInSteps(): Generator<void> {
    this.#insertWaiting();
    const changed = Uint32Array.from(this.#changed).sort();
    const level = Math.max(0, this.bits - STEP_HEIGHT);
    const tops: number[] = [];
    for (let start = 0; start < changed.length; ) {
      const top = (changed[start] ?? 0) >>> (this.bits - level);
      let end = start;
      while (end < changed.length && (changed[end] ?? 0) >>> (this.bits - level) === top) end += 1;
      const nodes = changed.subarray(start, end).map((bucket) => 2 ** this.bits + bucket);
      for (const node of nodes) {
        this.#tree.set(this.hasher.hashLeaf(this.#buckets.read(node - 2 ** this.bits)), node * HASH_BYTES);
      }
      tops.push(...this.#hashUpTo(level, nodes));
      start = end;
      yield;
    }
    this.#hashUpTo(0, Uint32Array.from(tops));
    this.#changed.clear();
  }

  /** For this fingerprint, and all others of its bucket. */
  prove(fingerprint: Uint8Array): IndexProof {
    return this.#prove(fingerprint, 0);
  }

  /** For all fingerprints that have four bits fewer in common with this one. */
  provePrefix(fingerprint: Uint8Array): IndexProof {
    return this.#prove(fingerprint, PREFIX_HEIGHT);
  }

  /** Gives back memory that was only good for building. */
  trim(): void {
    this.#insertWaiting();
    for (const part of this.#waiting) delete part.records;
    this.#buckets.trim();
  }

  #insertPart(part: WaitingPart): void {
    const { records = new Uint8Array(), count } = part;
    part.count = 0;
    for (let place = 0; place < count; place += 1) {
      const fingerprint = records.subarray(place * RECORD_BYTES, place * RECORD_BYTES + HASH_BYTES);
      this.#insert(fingerprint, readLeafIndex(records, place));
    }
  }

  #insertWaiting(): void {
    for (const part of this.#waiting) this.#insertPart(part);
  }

  #partOf(fingerprint: Uint8Array): WaitingPart {
    const part = this.#waiting[fingerprint[0] ?? 0];
    if (!part) throw new RangeError('there is no such part');
    return part;
  }

  #insert(fingerprint: Uint8Array, leafIndex: number): void {
    const bucket = bucketOf(fingerprint, this.bits);
    const { place, isThere } = findPlace(this.#buckets.read(bucket), fingerprint);
    if (isThere) {
      const key = bytesToHex(fingerprint);
      this.#later.set(key, [...(this.#later.get(key) ?? []), leafIndex]);
      return;
    }
    writeRecord(this.#buckets.insertAt(bucket, place), place, fingerprint, leafIndex);
    this.#changed.add(bucket);
  }

  #prove(fingerprint: Uint8Array, height: number): IndexProof {
    requireFingerprint(fingerprint);
    for (const _ of this.hashInSteps());
    const prefixBits = this.bits - height;
    const prefix = bucketOf(fingerprint, prefixBits);
    const parts = Array.from({ length: 2 ** height }, (_, place) => this.#buckets.read(prefix * 2 ** height + place));
    const siblings: Uint8Array[] = [];
    for (let node = 2 ** prefixBits + prefix; node > 1; node = Math.floor(node / 2)) {
      siblings.push(this.#readNode(node % 2 === 0 ? node + 1 : node - 1).slice());
    }
    return { records: concatBytes(parts), siblings };
  }

  #keepLater(key: string, leaves: readonly number[]): void {
    if (leaves.length === 0) this.#later.delete(key);
    else this.#later.set(key, [...leaves]);
  }

  /** Nodes that were never written are those of an empty tree, so that a small index needs little memory. */
  #readNode(node: number): Uint8Array {
    const hash = this.#tree.subarray(node * HASH_BYTES, (node + 1) * HASH_BYTES);
    if (hash[0] !== 0 || hash.some((byte) => byte !== 0)) return hash;
    return this.#emptyNodes[Math.floor(Math.log2(node))] ?? this.hasher.emptyRoot;
  }

  /** Hashes the nodes at these places of the tree and those above them up to a level, each once. Returns those of that level. */
  #hashUpTo(level: number, changed: Uint32Array): Uint32Array {
    let nodes = changed;
    while ((nodes[0] ?? 0) >= 2 ** (level + 1)) {
      nodes = nodes.map((node) => node >>> 1).filter((node, place, all) => node !== all[place - 1]);
      for (const node of nodes) {
        const hash = this.hasher.hashNode(this.#readNode(2 * node), this.#readNode(2 * node + 1));
        this.#tree.set(hash, node * HASH_BYTES);
      }
    }
    return nodes;
  }
}

/** The hashes of subtrees without records, by level: the root first. */
function hashEmptyNodes(bits: number, hasher: TreeHasher): Uint8Array[] {
  const nodes = [hasher.hashLeaf(new Uint8Array())];
  for (let [last] = nodes; last && nodes.length <= bits; ) {
    last = hasher.hashNode(last, last);
    nodes.unshift(last);
  }
  return nodes;
}
