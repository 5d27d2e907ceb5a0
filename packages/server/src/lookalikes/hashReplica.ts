// A replica of the table of hashes: reads it in pages, follows it by sequence, and compares itself with it.

import type { ImageHashChecksum, ImageHashPage, ImageHashSource, ImageHit } from '../domain/ports/index.js';
import { HashShards } from './hashShards.js';
import { CHUNK_SLOTS, type EncodedSearch } from './hashStore.js';
import { SequenceGaps } from './sequenceGaps.js';

/** Read in about 20 ms, and decoded in 5, during which requests wait. */
const PAGE_SIZE = 16_384;

export class HashReplica {
  readonly #source: ImageHashSource;
  readonly #shards: HashShards;
  readonly #gaps = new SequenceGaps();
  readonly #chunks = new Set<number>();
  #lastSequence = 0;
  #count = 0;
  #checkedChunks = 0;

  constructor(source: ImageHashSource, threadFile: URL | undefined) {
    this.#source = source;
    this.#shards = new HashShards(threadFile);
  }

  /** Number of images. */
  get count(): number {
    return this.#count;
  }

  /** Reads the next hashes; returns whether there may be more. */
  async readNext(): Promise<boolean> {
    const page = await this.#source.readAfter(this.#lastSequence, PAGE_SIZE);
    await this.#write(page);
    this.#gaps.follow(this.#lastSequence, page.sequences);
    this.#lastSequence = page.sequences.at(-1) ?? this.#lastSequence;
    return page.sequences.length === PAGE_SIZE;
  }

  /** Reads hashes that were committed after later ones. */
  async readGaps(): Promise<void> {
    const ranges = this.#gaps.list();
    if (ranges.length === 0) return;
    const page = await this.#source.readRanges(ranges);
    await this.#write(page);
    this.#gaps.fill(page.sequences);
    this.#gaps.removeOld(ranges);
  }

  /** Compares one chunk with the table, the next at each call; returns false if it differed and was read again. */
  async checkNextChunk(): Promise<boolean> {
    const chunk = [...this.#chunks][this.#checkedChunks % this.#chunks.size];
    if (chunk === undefined) return true;
    this.#checkedChunks += 1;
    const from = chunk * CHUNK_SLOTS;
    const range = { from, to: Math.min(from + CHUNK_SLOTS, this.#lastSequence + 1) };
    // There, a difference is to be expected.
    if (this.#gaps.overlaps(range)) return true;
    const stopSlot = range.to - from;
    const copied = await this.#shards.checksum(chunk, stopSlot);
    const stored = await this.#source.readChecksum(range);
    if (isEqual(copied, stored)) return true;
    const page = await this.#source.readRanges([range]);
    await this.#shards.replace(chunk, stopSlot, page);
    this.#count += page.sequences.length - copied.count;
    return false;
  }

  scan(searches: readonly EncodedSearch[]): Promise<ImageHit[][]> {
    return this.#shards.scan(searches);
  }

  close(): Promise<void> {
    return this.#shards.close();
  }

  async #write(page: ImageHashPage): Promise<void> {
    await this.#shards.write(page);
    for (const sequence of page.sequences) this.#chunks.add(Math.floor(sequence / CHUNK_SLOTS));
    this.#count += page.sequences.length;
  }
}

function isEqual(a: ImageHashChecksum, b: ImageHashChecksum): boolean {
  return a.count === b.count && a.hashes.every((hash, kind) => hash === b.hashes[kind]);
}
