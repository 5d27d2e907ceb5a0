// SHA-256 of an upload, in constant memory. Reading a large file from a connection takes about as long as hashing it, so a
// few large files at a time are hashed by a worker thread while this thread reads. All others are hashed as they arrive.

import { createHash, type Hash } from 'node:crypto';
import { LostJobError, WorkerPool, workerFile } from '../../workers/pool.js';
import type { HashJobs } from './hashWorker.js';

const BLOCK_BYTES = 512 * 1024;
/** Blocks of one upload: one is being hashed, one is next, one is being filled. */
const MAX_BLOCKS = 3;
/** These use 12 MB with all their blocks. This thread cannot read more of them at full speed anyway. */
const MAX_IN_WORKER = 8;

/** One worker for all uploads: it hashes faster than this thread can read, and it holds the state of each stream. */
const pool = new WorkerPool<HashJobs>({
  file: workerFile('hashWorker'),
  maxWorkers: 1,
  jobsPerWorker: 16,
  // A block takes about a millisecond.
  jobTimeoutMs: 60_000,
  // Few uploads have few pending blocks each.
  maxQueuedJobs: Number.POSITIVE_INFINITY,
  resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
});

let lastStreamId = 0;
let inWorker = 0;

export class StreamingHash {
  readonly #hash: Hash | WorkerHash;

  /** Files that are known to be small stay in this thread. */
  constructor(expectedBytes = Number.POSITIVE_INFINITY) {
    const isLarge = expectedBytes > BLOCK_BYTES && inWorker < MAX_IN_WORKER;
    this.#hash = isLarge ? new WorkerHash() : createHash('sha256');
  }

  /** Returns a promise only when the caller must wait before the next chunk. */
  update(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#hash instanceof WorkerHash) return this.#hash.update(chunk);
    this.#hash.update(chunk);
    return undefined;
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  /** Frees what an upload that failed holds. */
  abandon(): void {
    if (this.#hash instanceof WorkerHash) this.#hash.abandon();
  }
}

class WorkerHash {
  readonly #stream: number;
  #block: ArrayBuffer | undefined;
  #filledBytes = 0;
  #hasSentBlocks = false;
  #isOver = false;
  /** Blocks in the worker, oldest first. Each comes back to be filled again. */
  readonly #pendingBlocks: Promise<ArrayBuffer>[] = [];

  constructor() {
    lastStreamId += 1;
    this.#stream = lastStreamId;
    inWorker += 1;
  }

  /** Copies the chunk. */
  update(chunk: Uint8Array): Promise<void> | undefined {
    this.#block ??= new ArrayBuffer(BLOCK_BYTES);
    const part = chunk.subarray(0, BLOCK_BYTES - this.#filledBytes);
    new Uint8Array(this.#block).set(part, this.#filledBytes);
    this.#filledBytes += part.length;
    const rest = chunk.subarray(part.length);
    return rest.length === 0 ? undefined : this.#replaceBlock().then(() => this.update(rest));
  }

  async digest(): Promise<Uint8Array> {
    try {
      if (!this.#hasSentBlocks) {
        const bytes = new Uint8Array(this.#block ?? new ArrayBuffer(0), 0, this.#filledBytes);
        return createHash('sha256').update(bytes).digest();
      }
      this.#sendBlock();
      return await pool.run('digest', this.#stream).catch(throwLost);
    } finally {
      this.#leave();
    }
  }

  abandon(): void {
    if (this.#hasSentBlocks) pool.run('abandon', this.#stream).catch(() => undefined);
    this.#leave();
  }

  #leave(): void {
    if (!this.#isOver) inWorker -= 1;
    this.#isOver = true;
    this.#block = undefined;
  }

  async #replaceBlock(): Promise<void> {
    this.#pendingBlocks.push(this.#sendBlock());
    const oldest = this.#pendingBlocks.length < MAX_BLOCKS ? undefined : this.#pendingBlocks.shift();
    this.#block = await oldest;
    this.#filledBytes = 0;
  }

  #sendBlock(): Promise<ArrayBuffer> {
    const isFirst = !this.#hasSentBlocks;
    this.#hasSentBlocks = true;
    const block = this.#block ?? new ArrayBuffer(0);
    this.#block = undefined;
    const input = { stream: this.#stream, isFirst, block, length: this.#filledBytes };
    const sent = pool.run('update', input, { transferList: [block] }).catch(throwLost);
    // A failure surfaces where the block is needed again, or in `digest`.
    sent.catch(() => undefined);
    return sent;
  }
}

/** The worker ended, or the one that replaced it lacks the first blocks: the upload may be sent again. */
function throwLost(cause: unknown): never {
  throw new LostJobError('the hash of this upload was lost', { cause });
}
