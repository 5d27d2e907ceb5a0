// Hashes of images in a WebAssembly memory, and the scan over them. A chunk holds 65,536 images, by their sequences, with an
// array for each kind of hash. Chunks exist from the first hash in them on.

import { type ImagePart, imageParts, isLookalike, largestPDistance } from '@provenance-registry/core';
import { type ImageHashChecksum, type ImageHashPage, type ImageHit, imageHashKinds } from '../domain/ports/index.js';
import {
  HASH_BYTES,
  HASHES_PER_ROUND,
  instantiateScans,
  MEMORY_PAGE_BYTES,
  NOTE_BYTES,
  queryCounts,
} from './hammingScan.js';
import { HitList } from './hitList.js';

export const CHUNK_SLOTS = 65_536;
const KIND_BYTES = CHUNK_SLOTS * HASH_BYTES;
const CHUNK_BYTES = imageHashKinds.length * KIND_BYTES;
/** Size of all notes that a scan of one kind of a chunk can make. The chunks follow. */
const NOTES_BYTES = CHUNK_SLOTS * Math.max(...queryCounts) * NOTE_BYTES;
const D_HASH = imageHashKinds.indexOf('dHash');

/** Hashes as a memory holds them: the same bytes, read as a number. */
export interface EncodedQuery {
  readonly pHash: bigint;
  readonly dHash: bigint | undefined;
}

/** A search as threads get it. */
export interface EncodedSearch {
  readonly queries: readonly EncodedQuery[];
  readonly maxDistance: number;
  readonly maxHits: number;
  readonly after: { readonly distance: number; readonly sequence: number } | undefined;
}

interface Chunk {
  readonly number: number;
  readonly address: number;
  /** Slots from the start of which any was written. */
  usedSlots: number;
  /** Whether there is any hash, by kind. */
  readonly hasHashes: boolean[];
}

interface RunningSearch {
  readonly search: EncodedSearch;
  readonly hits: HitList;
  /** Best comparison by slot of the current chunk. */
  readonly best: Map<number, Omit<ImageHit, 'sequence'>>;
}

interface RunningQuery {
  readonly running: RunningSearch;
  readonly index: number;
  readonly pHash: bigint;
  readonly dHash: HashWords | undefined;
}

/** The two halves of a hash, as the memory has them. */
type HashWords = readonly [number, number];

export class HashStore {
  readonly #module = instantiateScans(NOTES_BYTES / MEMORY_PAGE_BYTES);
  readonly #chunks = new Map<number, Chunk>();
  /** Replaced when the memory grows. */
  #words = new Uint32Array(this.#module.memory.buffer);

  write({ sequences, hashes }: ImageHashPage): void {
    for (let start = 0; start < sequences.length; ) {
      const end = findRunEnd(sequences, start);
      this.#writeRun(
        sequences[start] ?? 0,
        hashes.map((bytes) => bytes.subarray(start * HASH_BYTES, end * HASH_BYTES)),
      );
      start = end;
    }
  }

  /** Hashes of consecutive sequences in one chunk. */
  #writeRun(sequence: number, hashes: readonly Uint8Array[]): void {
    const chunk = this.#openChunk(Math.floor(sequence / CHUNK_SLOTS));
    const slot = sequence % CHUNK_SLOTS;
    for (const [kind, bytes] of hashes.entries()) {
      const address = chunk.address + kind * KIND_BYTES + slot * HASH_BYTES;
      new Uint8Array(this.#module.memory.buffer, address, bytes.length).set(bytes);
      chunk.hasHashes[kind] ||= bytes.some((byte) => byte !== 0);
      chunk.usedSlots = Math.max(chunk.usedSlots, slot + bytes.length / HASH_BYTES);
    }
  }

  /** Empties the slots of a chunk before this one, and writes a page. */
  replace(chunkNumber: number, stopSlot: number, page: ImageHashPage): void {
    const chunk = this.#openChunk(chunkNumber);
    for (const kind of imageHashKinds.keys()) {
      new Uint8Array(this.#module.memory.buffer, chunk.address + kind * KIND_BYTES, stopSlot * HASH_BYTES).fill(0);
    }
    this.write(page);
  }

  /** Computes the checksum of the slots of a chunk before this one. */
  checksum(chunkNumber: number, stopSlot: number): ImageHashChecksum {
    const chunk = this.#chunks.get(chunkNumber);
    const sums = imageHashKinds.map(() => [0, 0] as [number, number]);
    let count = 0;
    for (let slot = 0; chunk && slot < stopSlot; slot += 1) {
      for (const [kind, sum] of sums.entries()) {
        const [first, second] = this.#wordsAt(chunk, kind, slot);
        sum[0] ^= first;
        sum[1] ^= second;
        if (kind === 0 && (first | second) !== 0) count += 1;
      }
    }
    return { count, hashes: sums.map((sum) => Buffer.from(Uint32Array.from(sum).buffer).toString('hex')) };
  }

  /** Finds the first hits of each search, in order. */
  scan(searches: readonly EncodedSearch[]): ImageHit[][] {
    const running = searches.map((search): RunningSearch => ({ search, hits: new HitList(search), best: new Map() }));
    // In the order of sequences, so that a later hit is behind an earlier one of the same distance.
    const chunks = [...this.#chunks.values()].toSorted((a, b) => a.number - b.number);
    for (const chunk of chunks) this.#scanChunk(chunk, running);
    return running.map(({ hits }) => hits.finish());
  }

  #scanChunk(chunk: Chunk, searches: readonly RunningSearch[]): void {
    const queries = searches.flatMap((running) =>
      running.search.queries.map((query, index) => toRunningQuery(running, query, index)),
    );
    for (const [kind, part] of imageParts.entries()) {
      if (!chunk.hasHashes[kind]) continue;
      const due = queries.filter(({ running }) => scanDistance(running, part) >= 0);
      for (const group of splitIntoGroups(due)) this.#compare(chunk, kind, part, group);
    }
    for (const running of searches) takeHits(chunk.number * CHUNK_SLOTS, running);
  }

  #compare(chunk: Chunk, kind: number, part: ImagePart, group: readonly RunningQuery[]): void {
    const scan = this.#module.scans.get(group.length);
    if (!scan) throw new Error('no scan for so many queries');
    const start = chunk.address + kind * KIND_BYTES;
    const slots = Math.ceil(chunk.usedSlots / HASHES_PER_ROUND) * HASHES_PER_ROUND;
    const max = Math.max(...group.map(({ running }) => scanDistance(running, part)));
    const end = scan(start, start + slots * HASH_BYTES, 0, max, ...group.map(({ pHash }) => pHash));
    for (let note = 0; note < end; note += NOTE_BYTES) {
      const slot = ((this.#words[note / 4] ?? 0) - start) / HASH_BYTES;
      const details = this.#words[note / 4 + 1] ?? 0;
      const query = group[details & 0xff];
      if (query) this.#takeComparison(chunk, slot, part, { query, distance: details >> 8 });
    }
  }

  /** Keeps the best for each image. */
  #takeComparison(
    chunk: Chunk,
    slot: number,
    part: ImagePart,
    { query, distance }: { readonly query: RunningQuery; readonly distance: number },
  ): void {
    const { running, index, dHash } = query;
    const { best, search } = running;
    const known = best.get(slot);
    // Of equal ones the first query counts, and of its parts the first.
    const isBetter = !known || distance < known.distance || (distance === known.distance && index < known.query);
    if (!isBetter || distance > scanDistance(running, part)) return;
    const dDistance = dHash && this.#dDistance(chunk, slot, dHash);
    if (isLookalike(part, distance, dDistance, search.maxDistance)) {
      best.set(slot, { query: index, part, distance, dDistance });
    }
  }

  #dDistance(chunk: Chunk, slot: number, dHash: HashWords): number | undefined {
    const [first, second] = this.#wordsAt(chunk, D_HASH, slot);
    return (first | second) === 0 ? undefined : countBits(first ^ dHash[0]) + countBits(second ^ dHash[1]);
  }

  #openChunk(number: number): Chunk {
    const known = this.#chunks.get(number);
    if (known) return known;
    const address = this.#module.memory.buffer.byteLength;
    this.#module.memory.grow(CHUNK_BYTES / MEMORY_PAGE_BYTES);
    this.#words = new Uint32Array(this.#module.memory.buffer);
    const chunk = { number, address, usedSlots: 0, hasHashes: imageHashKinds.map(() => false) };
    this.#chunks.set(number, chunk);
    return chunk;
  }

  #wordsAt(chunk: Chunk, kind: number, slot: number): readonly [number, number] {
    const word = (chunk.address + kind * KIND_BYTES + slot * HASH_BYTES) / 4;
    return [this.#words[word] ?? 0, this.#words[word + 1] ?? 0];
  }
}

/** Finds the end of consecutive sequences in one chunk. */
function findRunEnd(sequences: readonly number[], start: number): number {
  let end = start + 1;
  for (; end < sequences.length; end += 1) {
    const sequence = sequences[end] ?? 0;
    if (sequence !== (sequences[end - 1] ?? 0) + 1 || sequence % CHUNK_SLOTS === 0) break;
  }
  return end;
}

/** Splits them into as few groups as there are functions for. */
function splitIntoGroups(queries: readonly RunningQuery[]): RunningQuery[][] {
  const groups: RunningQuery[][] = [];
  for (let next = 0; next < queries.length; ) {
    const count = queryCounts.find((size) => size <= queries.length - next) ?? 1;
    groups.push(queries.slice(next, next + count));
    next += count;
  }
  return groups;
}

function toRunningQuery(running: RunningSearch, { pHash, dHash }: EncodedQuery, index: number): RunningQuery {
  const words = (hash: bigint): HashWords => [
    Number(BigInt.asUintN(32, hash)),
    Number(BigInt.asUintN(32, hash >> 32n)),
  ];
  return { running, index, pHash, dHash: dHash === undefined ? undefined : words(dHash) };
}

/** How far a scan has to look. Negative: not at all. */
function scanDistance({ search, hits }: RunningSearch, part: ImagePart): number {
  return Math.min(hits.maxDistance, largestPDistance(part, search.maxDistance));
}

/** Moves the hits of one chunk, which is scanned, to the list: all further hits have larger sequences. */
function takeHits(firstSequence: number, { hits, best }: RunningSearch): void {
  for (const [slot, comparison] of best) hits.add({ sequence: firstSequence + slot, ...comparison });
  best.clear();
  hits.trim();
}

/** The bytes of a hash in memory, the first byte of the hash first, as a number. */
export function encodeHash(hash: string): bigint {
  return Buffer.from(hash.slice(2), 'hex').readBigInt64LE();
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
