// Where the hashes are: the first chunk in this thread, all others in worker threads, which start with the second chunk.
// Chunks are dealt to the threads in turn, so that all have the same work.

import { availableParallelism } from 'node:os';
import type { ImageHashChecksum, ImageHashPage, ImageHit } from '../domain/ports/index.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
import { HASH_BYTES } from './hammingScan.js';
import { CHUNK_SLOTS, type EncodedSearch, HashStore } from './hashStore.js';
import { compareHits } from './hitList.js';
import type { ImageHashJobs } from './imageHashWorker.js';

/** More would take cores from requests, and memory is read at about this rate. */
const MAX_THREADS = 8;
/** A scan of a hundred million images for a full pass of queries takes some seconds on one busy core. */
const JOB_TIMEOUT_MS = 60_000;

interface Thread {
  readonly pool: WorkerPool<ImageHashJobs>;
  writes: number;
}

/** A thread failed, and with it a part of the hashes. */
export class LostHashesError extends Error {}

export class HashShards {
  readonly #file: URL;
  readonly #first = new HashStore();
  readonly #threads: Thread[] = [];

  constructor(file = workerFile('imageHashWorker')) {
    this.#file = file;
  }

  async write(page: ImageHashPage): Promise<void> {
    for (const { chunk, part } of splitByChunk(page)) {
      const thread = this.#findThread(chunk);
      if (thread) await runJob(thread.pool.run('write', { page: part, writes: thread.writes++ }));
      else this.#first.write(part);
    }
  }

  /** Empties the slots of a chunk before this one, and writes a page. */
  async replace(chunk: number, stopSlot: number, page: ImageHashPage): Promise<void> {
    const thread = this.#findThread(chunk);
    if (thread) await runJob(thread.pool.run('replace', { chunk, stopSlot, page, writes: thread.writes++ }));
    else this.#first.replace(chunk, stopSlot, page);
  }

  /** Computes the checksum of the slots of a chunk before this one. */
  async checksum(chunk: number, stopSlot: number): Promise<ImageHashChecksum> {
    const thread = this.#findThread(chunk);
    if (!thread) return this.#first.checksum(chunk, stopSlot);
    return runJob(thread.pool.run('checksum', { chunk, stopSlot, writes: thread.writes }));
  }

  async scan(searches: readonly EncodedSearch[]): Promise<ImageHit[][]> {
    const inThreads = this.#threads.map(({ pool, writes }) => runJob(pool.run('scan', { searches, writes })));
    const inPlace = this.#first.scan(searches);
    const results = [inPlace, ...(await Promise.all(inThreads))];
    return searches.map(({ maxHits }, index) =>
      results
        .flatMap((result) => result[index] ?? [])
        .toSorted(compareHits)
        .slice(0, maxHits),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ pool }) => pool.close()));
  }

  #findThread(chunk: number): Thread | undefined {
    if (chunk === 0) return undefined;
    if (this.#threads.length === 0) {
      const count = Math.min(availableParallelism(), MAX_THREADS);
      const threads = Array.from({ length: count }, () => ({ pool: createThread(this.#file), writes: 0 }));
      this.#threads.push(...threads);
    }
    return this.#threads[(chunk - 1) % this.#threads.length];
  }
}

function runJob<T>(job: Promise<T>): Promise<T> {
  return job.catch((error: unknown) => {
    throw new LostHashesError('a thread with hashes of images failed', { cause: error });
  });
}

function createThread(file: URL): WorkerPool<ImageHashJobs> {
  return new WorkerPool<ImageHashJobs>({
    file,
    maxWorkers: 1,
    jobsPerWorker: 16,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    maxQueuedJobs: Number.POSITIVE_INFINITY,
    // The hashes are not in the heap.
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 },
  });
}

function splitByChunk({ sequences, hashes }: ImageHashPage): { chunk: number; part: ImageHashPage }[] {
  const parts: { chunk: number; part: ImageHashPage }[] = [];
  for (let start = 0; start < sequences.length; ) {
    const chunk = Math.floor((sequences[start] ?? 0) / CHUNK_SLOTS);
    const next = sequences.findIndex(
      (sequence, index) => index > start && Math.floor(sequence / CHUNK_SLOTS) !== chunk,
    );
    const end = next < 0 ? sequences.length : next;
    // Copies: a message would carry the whole page with each part of it.
    const ofPart = hashes.map((bytes) => bytes.slice(start * HASH_BYTES, end * HASH_BYTES));
    parts.push({ chunk, part: { sequences: sequences.slice(start, end), hashes: ofPart } });
    start = end;
  }
  return parts;
}
