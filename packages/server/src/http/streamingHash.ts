// SHA-256 of an upload, in constant memory. Reading a large file from a connection takes about as long as hashing it, so
// everything beyond the first block is hashed by a worker thread while this thread reads.

import { createHash } from 'node:crypto';
import { createWorkerPool, workerFile } from '../workers/pool.js';
import type { HashJobs } from './hashWorker.js';

/** Smaller files are hashed in this thread. */
const BLOCK_BYTES = 512 * 1024;
/** Of one upload, in the worker: one is being hashed, one is next, one is being handed over. */
const MAX_PENDING_BLOCKS = 3;

/** One worker for all uploads: it hashes faster than this thread can read, and it holds the state of each stream. */
const pool = createWorkerPool<HashJobs>({
  file: workerFile('hashWorker'),
  maxWorkers: 1,
  jobsPerWorker: 16,
  // A block takes about a millisecond.
  jobTimeoutMs: 60_000,
  // Each upload has few pending blocks, and connections are limited.
  maxQueuedJobs: Number.POSITIVE_INFINITY,
  resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
});

let lastStreamId = 0;

export class StreamingHash {
  readonly #stream: number;
  #block = new ArrayBuffer(BLOCK_BYTES);
  #filledBytes = 0;
  #hasSentBlocks = false;
  /** Blocks in the worker, oldest first. Each comes back to be filled again. */
  readonly #pendingBlocks: Promise<ArrayBuffer>[] = [];

  constructor() {
    lastStreamId += 1;
    this.#stream = lastStreamId;
  }

  /** Copies the chunk. Returns a promise only when the caller must wait before the next chunk. */
  update(chunk: Uint8Array): Promise<void> | undefined {
    const part = chunk.subarray(0, BLOCK_BYTES - this.#filledBytes);
    new Uint8Array(this.#block).set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    const rest = chunk.subarray(part.length);
    return rest.length === 0 ? undefined : this.#replaceBlock().then(() => this.update(rest));
  }

  async digest(): Promise<Uint8Array> {
    if (!this.#hasSentBlocks) {
      return createHash('sha256')
        .update(new Uint8Array(this.#block, 0, this.#filledBytes))
        .digest();
    }
    this.#sendBlock();
    return await pool.run('digest', this.#stream);
  }

  /** Frees the worker's state of an upload that failed. */
  abandon(): void {
    if (this.#hasSentBlocks) pool.run('abandon', this.#stream).catch(() => undefined);
  }

  async #replaceBlock(): Promise<void> {
    this.#pendingBlocks.push(this.#sendBlock());
    const oldest = this.#pendingBlocks.length < MAX_PENDING_BLOCKS ? undefined : this.#pendingBlocks.shift();
    this.#block = oldest ? await oldest : new ArrayBuffer(BLOCK_BYTES);
    this.#filledBytes = 0;
  }

  #sendBlock(): Promise<ArrayBuffer> {
    const isFirst = !this.#hasSentBlocks;
    this.#hasSentBlocks = true;
    const [block, length] = [this.#block, this.#filledBytes];
    const sent = pool.run('update', { stream: this.#stream, isFirst, block, length }, { transferList: [block] });
    // A failure surfaces where the block is needed again, or in `digest`.
    sent.catch(() => undefined);
    return sent;
  }
}
