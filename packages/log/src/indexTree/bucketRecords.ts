// The records of all buckets, in memory. A change writes the bucket anew behind the others of its shard; when a shard is full, it
// is copied without what is no longer used. So a change costs the same however many records there are.

import { RECORD_BYTES } from './records.js';

/** Of one shard: with 20 bits there are 256 shards, and copying one with ten million records takes less than a millisecond. */
const BUCKET_BITS = 12;
/** Records are copied as numbers of 32 bits: faster than calls for a few hundred bytes. */
const RECORD_WORDS = RECORD_BYTES / 4;
/** Free room of a shard that was copied: much while the index is built, so that it is copied rarely, and little afterwards. */
const whileBuilt = { share: 1 / 2, min: 2_048 };
const afterwards = { share: 1 / 32, min: 64 };

interface Shard {
  words: Uint32Array<ArrayBuffer>;
  /** Records behind which there is room. */
  used: number;
  /** By bucket: the place of its first record, and how many it has. */
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
}

export class BucketRecords {
  readonly #shards: readonly Shard[];
  readonly #bucketsPerShard: number;
  #room = whileBuilt;

  constructor(bits: number) {
    this.#bucketsPerShard = 2 ** Math.min(bits, BUCKET_BITS);
    this.#shards = Array.from({ length: 2 ** bits / this.#bucketsPerShard }, () => ({
      words: new Uint32Array(),
      used: 0,
      starts: new Uint32Array(this.#bucketsPerShard),
      counts: new Uint32Array(this.#bucketsPerShard),
    }));
  }

  /** The records of a bucket, until the next change. */
  read(bucket: number): Uint8Array {
    const shard = this.#shardOf(bucket);
    const place = bucket % this.#bucketsPerShard;
    return readBytes(shard, shard.starts[place] ?? 0, shard.counts[place] ?? 0);
  }

  /** Makes room for one more record at that place of a bucket. Returns the records of the bucket, to be written into. */
  insertAt(bucket: number, record: number): Uint8Array {
    const shard = this.#shardOf(bucket);
    const place = bucket % this.#bucketsPerShard;
    const count = shard.counts[place] ?? 0;
    if ((shard.used + count + 1) * RECORD_WORDS > shard.words.length) this.#copy(shard, count + 1);
    const [start, end] = [shard.starts[place] ?? 0, shard.used];
    copyRecords(shard.words, start, shard.words, end, record);
    copyRecords(shard.words, start + record, shard.words, end + record + 1, count - record);
    shard.starts[place] = end;
    shard.counts[place] = count + 1;
    shard.used = end + count + 1;
    return readBytes(shard, end, count + 1);
  }

  removeAt(bucket: number, record: number): void {
    const shard = this.#shardOf(bucket);
    const place = bucket % this.#bucketsPerShard;
    const [start, count] = [(shard.starts[place] ?? 0) + record, (shard.counts[place] ?? 0) - 1];
    copyRecords(shard.words, start + 1, shard.words, start, count - record);
    shard.counts[place] = count;
  }

  /** Gives back room that was only good for building. */
  trim(): void {
    this.#room = afterwards;
    for (const shard of this.#shards) this.#copy(shard, 0);
  }

  #shardOf(bucket: number): Shard {
    const shard = this.#shards[Math.floor(bucket / this.#bucketsPerShard)];
    if (!shard) throw new RangeError(`there is no bucket ${bucket}`);
    return shard;
  }

  #copy(shard: Shard, needed: number): void {
    const { words, starts, counts } = shard;
    let live = 0;
    for (const count of counts) live += count;
    const room = needed + Math.max(this.#room.min, Math.ceil(live * this.#room.share));
    const copy = new Uint32Array((live + room) * RECORD_WORDS);
    let used = 0;
    for (let place = 0; place < counts.length; place += 1) {
      const count = counts[place] ?? 0;
      copyRecords(words, starts[place] ?? 0, copy, used, count);
      starts[place] = used;
      used += count;
    }
    shard.words = copy;
    shard.used = used;
  }
}

function readBytes({ words }: Shard, start: number, count: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(words.buffer, start * RECORD_BYTES, count * RECORD_BYTES);
}

/** From the front: records may move to the front of where they are, not behind it. */
function copyRecords(from: Uint32Array, start: number, to: Uint32Array, target: number, count: number): void {
  const [offset, targetOffset] = [start * RECORD_WORDS, target * RECORD_WORDS];
  for (let word = 0; word < count * RECORD_WORDS; word += 1) to[targetOffset + word] = from[offset + word] ?? 0;
}
