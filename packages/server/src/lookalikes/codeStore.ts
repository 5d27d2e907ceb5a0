// Codes of images in a WebAssembly memory, and the scan over them. A chunk holds 65,536 images, by their sequences, with an
// array for each kind of code. Chunks exist from the first code in them on.

import { type ImagePart, imageParts } from '@provenance-registry/core';
import { type ImageCodeChecksum, type ImageCodePage, type ImageHit, imageCodeKinds } from '../domain/ports/index.js';
import { HitList } from './hitList.js';
import {
  CODE_BYTES,
  CODES_PER_ROUND,
  instantiateScans,
  MEMORY_PAGE_BYTES,
  NOTE_BYTES,
  questionCounts,
} from './scanModule.js';

export const CHUNK_SLOTS = 65_536;
const KIND_BYTES = CHUNK_SLOTS * CODE_BYTES;
const CHUNK_BYTES = imageCodeKinds.length * KIND_BYTES;
/** Of all notes that a scan of one kind of a chunk can make. The chunks follow. */
const NOTES_BYTES = CHUNK_SLOTS * Math.max(...questionCounts) * NOTE_BYTES;
const D_HASH = imageCodeKinds.indexOf('dHash');

/** Codes as a memory holds them: the same bytes, read as a number. */
export interface EncodedQuestion {
  readonly pHash: bigint;
  readonly dHash: bigint | undefined;
}

/** A search as threads get it. */
export interface EncodedSearch {
  readonly questions: readonly EncodedQuestion[];
  readonly maxDistance: number;
  readonly maxHits: number;
  readonly after: { readonly distance: number; readonly sequence: number } | undefined;
}

interface Chunk {
  readonly number: number;
  readonly address: number;
  /** Slots from the start of which any was written. */
  usedSlots: number;
  /** By kind: whether there is any code. */
  readonly hasCodes: boolean[];
}

interface RunningSearch {
  readonly search: EncodedSearch;
  readonly hits: HitList;
  /** Of the current chunk, by slot: the best comparison, as one number. */
  readonly best: Map<number, number>;
}

interface AskedQuestion {
  readonly running: RunningSearch;
  readonly index: number;
  readonly pHash: bigint;
}

export class CodeStore {
  readonly #module = instantiateScans(NOTES_BYTES / MEMORY_PAGE_BYTES);
  readonly #chunks = new Map<number, Chunk>();
  /** Replaced when the memory grows. */
  #words = new Uint32Array(this.#module.memory.buffer);

  write({ sequences, codes }: ImageCodePage): void {
    for (let start = 0; start < sequences.length; ) {
      const end = findRunEnd(sequences, start);
      this.#writeRun(
        sequences[start] ?? 0,
        codes.map((bytes) => bytes.subarray(start * CODE_BYTES, end * CODE_BYTES)),
      );
      start = end;
    }
  }

  /** Codes of consecutive sequences in one chunk. */
  #writeRun(sequence: number, codes: readonly Uint8Array[]): void {
    const chunk = this.#openChunk(Math.floor(sequence / CHUNK_SLOTS));
    const slot = sequence % CHUNK_SLOTS;
    for (const [kind, bytes] of codes.entries()) {
      const address = chunk.address + kind * KIND_BYTES + slot * CODE_BYTES;
      new Uint8Array(this.#module.memory.buffer, address, bytes.length).set(bytes);
      chunk.hasCodes[kind] ||= bytes.some((byte) => byte !== 0);
      chunk.usedSlots = Math.max(chunk.usedSlots, slot + bytes.length / CODE_BYTES);
    }
  }

  /** Empties the slots of a chunk before this one, and writes a page. */
  replace(chunkNumber: number, stopSlot: number, page: ImageCodePage): void {
    const chunk = this.#openChunk(chunkNumber);
    for (const kind of imageCodeKinds.keys()) {
      new Uint8Array(this.#module.memory.buffer, chunk.address + kind * KIND_BYTES, stopSlot * CODE_BYTES).fill(0);
    }
    this.write(page);
  }

  /** Of the slots of a chunk before this one. */
  checksum(chunkNumber: number, stopSlot: number): ImageCodeChecksum {
    const chunk = this.#chunks.get(chunkNumber);
    const sums = imageCodeKinds.map(() => [0, 0] as [number, number]);
    let count = 0;
    for (let slot = 0; chunk && slot < stopSlot; slot += 1) {
      for (const [kind, sum] of sums.entries()) {
        const [first, second] = this.#wordsAt(chunk, kind, slot);
        sum[0] ^= first;
        sum[1] ^= second;
        if (kind === 0 && (first | second) !== 0) count += 1;
      }
    }
    return { count, codes: sums.map((sum) => Buffer.from(Uint32Array.from(sum).buffer).toString('hex')) };
  }

  /** For each search its first hits, in order. */
  scan(searches: readonly EncodedSearch[]): ImageHit[][] {
    const running = searches.map((search) => ({ search, hits: new HitList(search), best: new Map<number, number>() }));
    // In the order of sequences, so that a later hit is behind an earlier one of the same distance.
    const chunks = [...this.#chunks.values()].toSorted((a, b) => a.number - b.number);
    for (const chunk of chunks) this.#scanChunk(chunk, running);
    return running.map(({ hits }) => hits.finish());
  }

  #scanChunk(chunk: Chunk, searches: readonly RunningSearch[]): void {
    const questions = searches
      .filter(({ hits }) => hits.maxDistance >= 0)
      .flatMap((running) => running.search.questions.map(({ pHash }, index) => ({ running, index, pHash })));
    for (const kind of imageParts.keys()) {
      if (chunk.hasCodes[kind]) for (const group of splitIntoGroups(questions)) this.#compare(chunk, kind, group);
    }
    for (const running of searches) this.#takeHits(chunk, running);
  }

  #compare(chunk: Chunk, kind: number, group: readonly AskedQuestion[]): void {
    const scan = this.#module.scans.get(group.length);
    if (!scan) throw new Error('no scan for so many questions');
    const start = chunk.address + kind * KIND_BYTES;
    const slots = Math.ceil(chunk.usedSlots / CODES_PER_ROUND) * CODES_PER_ROUND;
    const max = Math.max(...group.map(({ running }) => running.hits.maxDistance));
    const end = scan(start, start + slots * CODE_BYTES, 0, max, ...group.map(({ pHash }) => pHash));
    for (let note = 0; note < end; note += NOTE_BYTES) {
      const slot = ((this.#words[note / 4] ?? 0) - start) / CODE_BYTES;
      const details = this.#words[note / 4 + 1] ?? 0;
      const distance = details >> 8;
      const question = group[details & 0xff];
      if (!question || distance > question.running.hits.maxDistance) continue;
      const { best } = question.running;
      const comparison = packComparison(distance, question.index, kind);
      if (comparison < (best.get(slot) ?? Number.POSITIVE_INFINITY)) best.set(slot, comparison);
    }
  }

  #takeHits(chunk: Chunk, { search, hits, best }: RunningSearch): void {
    for (const [slot, comparison] of best) {
      const { distance, question, part } = unpackComparison(comparison);
      const sequence = chunk.number * CHUNK_SLOTS + slot;
      hits.add({
        sequence,
        question,
        part,
        distance,
        dDistance: this.#dDistance(chunk, slot, search.questions[question]),
      });
    }
    best.clear();
    hits.trim();
  }

  #dDistance(chunk: Chunk, slot: number, question: EncodedQuestion | undefined): number | undefined {
    const [first, second] = this.#wordsAt(chunk, D_HASH, slot);
    if (question?.dHash === undefined || (first | second) === 0) return undefined;
    return (
      countBits(first ^ Number(BigInt.asUintN(32, question.dHash))) +
      countBits(second ^ Number(BigInt.asUintN(32, question.dHash >> 32n)))
    );
  }

  #openChunk(number: number): Chunk {
    const known = this.#chunks.get(number);
    if (known) return known;
    const address = this.#module.memory.buffer.byteLength;
    this.#module.memory.grow(CHUNK_BYTES / MEMORY_PAGE_BYTES);
    this.#words = new Uint32Array(this.#module.memory.buffer);
    const chunk = { number, address, usedSlots: 0, hasCodes: imageCodeKinds.map(() => false) };
    this.#chunks.set(number, chunk);
    return chunk;
  }

  #wordsAt(chunk: Chunk, kind: number, slot: number): readonly [number, number] {
    const word = (chunk.address + kind * KIND_BYTES + slot * CODE_BYTES) / 4;
    return [this.#words[word] ?? 0, this.#words[word + 1] ?? 0];
  }
}

/** Of consecutive sequences in one chunk. */
function findRunEnd(sequences: readonly number[], start: number): number {
  let end = start + 1;
  for (; end < sequences.length; end += 1) {
    const sequence = sequences[end] ?? 0;
    if (sequence !== (sequences[end - 1] ?? 0) + 1 || sequence % CHUNK_SLOTS === 0) break;
  }
  return end;
}

/** As few groups as there are functions for. */
function splitIntoGroups(questions: readonly AskedQuestion[]): AskedQuestion[][] {
  const groups: AskedQuestion[][] = [];
  for (let next = 0; next < questions.length; ) {
    const count = questionCounts.find((size) => size <= questions.length - next) ?? 1;
    groups.push(questions.slice(next, next + count));
    next += count;
  }
  return groups;
}

/** The smaller number is the better comparison. */
function packComparison(distance: number, question: number, kind: number): number {
  return (distance << 16) | (question << 8) | kind;
}

function unpackComparison(comparison: number): { distance: number; question: number; part: ImagePart } {
  const part = imageParts[comparison & 0xff] ?? 'whole';
  return { distance: comparison >> 16, question: (comparison >> 8) & 0xff, part };
}

/** The bytes of a code in memory, the first byte of the hash first, as a number. */
export function encodeCode(hash: string): bigint {
  return Buffer.from(hash.slice(2), 'hex').readBigInt64LE();
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
