// Where the codes are: the first chunk in this thread, all others in worker threads, which start with the second chunk.
// Chunks are dealt to the threads in turn, so that all have the same work.

import { availableParallelism } from 'node:os';
import type { ImageCodeChecksum, ImageCodePage, ImageHit } from '../domain/ports/index.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
import { CHUNK_SLOTS, CodeStore, type EncodedSearch } from './codeStore.js';
import { compareHits } from './hitList.js';
import type { ImageCodeJobs } from './imageCodeWorker.js';

/** More would take cores from requests, and memory is read at about this rate. */
const MAX_THREADS = 8;
/** A scan of a hundred million images for a full pass of questions takes some seconds on one busy core. */
const JOB_TIMEOUT_MS = 60_000;

interface Thread {
  readonly pool: WorkerPool<ImageCodeJobs>;
  writes: number;
}

/** A thread failed, and with it a part of the codes. */
export class LostCodesError extends Error {}

export interface CodeThreads {
  write(page: ImageCodePage): Promise<void>;
  /** Empties the slots of a chunk before this one, and writes a page. */
  replace(chunk: number, stopSlot: number, page: ImageCodePage): Promise<void>;
  /** Of the slots of a chunk before this one. */
  checksum(chunk: number, stopSlot: number): Promise<ImageCodeChecksum>;
  scan(searches: readonly EncodedSearch[]): Promise<ImageHit[][]>;
  close(): Promise<void>;
}

export function createCodeThreads(file = workerFile('imageCodeWorker')): CodeThreads {
  const first = new CodeStore();
  const threads: Thread[] = [];

  function findThread(chunk: number): Thread | undefined {
    if (chunk === 0) return undefined;
    if (threads.length === 0) {
      const count = Math.min(availableParallelism(), MAX_THREADS);
      threads.push(...Array.from({ length: count }, () => ({ pool: createThread(file), writes: 0 })));
    }
    return threads[(chunk - 1) % threads.length];
  }

  return {
    async write(page) {
      for (const { chunk, part } of splitByChunk(page)) {
        const thread = findThread(chunk);
        if (thread) await runJob(thread.pool.run('write', { page: part, writes: thread.writes++ }));
        else first.write(part);
      }
    },
    async replace(chunk, stopSlot, page) {
      const thread = findThread(chunk);
      if (thread) await runJob(thread.pool.run('replace', { chunk, stopSlot, page, writes: thread.writes++ }));
      else first.replace(chunk, stopSlot, page);
    },
    async checksum(chunk, stopSlot) {
      const thread = findThread(chunk);
      return thread
        ? runJob(thread.pool.run('checksum', { chunk, stopSlot, writes: thread.writes }))
        : first.checksum(chunk, stopSlot);
    },
    async scan(searches) {
      const inThreads = threads.map(({ pool, writes }) => runJob(pool.run('scan', { searches, writes })));
      const inPlace = first.scan(searches);
      const results = [inPlace, ...(await Promise.all(inThreads))];
      return searches.map(({ maxHits }, index) =>
        results
          .flatMap((result) => result[index] ?? [])
          .toSorted(compareHits)
          .slice(0, maxHits),
      );
    },
    async close() {
      await Promise.all(threads.map(({ pool }) => pool.close()));
    },
  };
}

function runJob<T>(job: Promise<T>): Promise<T> {
  return job.catch((error: unknown) => {
    throw new LostCodesError('a thread with codes of images failed', { cause: error });
  });
}

function createThread(file: URL): WorkerPool<ImageCodeJobs> {
  return new WorkerPool<ImageCodeJobs>({
    file,
    maxWorkers: 1,
    jobsPerWorker: 16,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    maxQueuedJobs: Number.POSITIVE_INFINITY,
    // The codes are not in the heap.
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 },
  });
}

function splitByChunk({ sequences, codes }: ImageCodePage): { chunk: number; part: ImageCodePage }[] {
  const parts: { chunk: number; part: ImageCodePage }[] = [];
  for (let start = 0; start < sequences.length; ) {
    const chunk = Math.floor((sequences[start] ?? 0) / CHUNK_SLOTS);
    const next = sequences.findIndex(
      (sequence, index) => index > start && Math.floor(sequence / CHUNK_SLOTS) !== chunk,
    );
    const end = next < 0 ? sequences.length : next;
    // Copies: a message would carry the whole page with each part of it.
    const ofPart = codes.map((bytes) => bytes.slice(start * 8, end * 8));
    parts.push({ chunk, part: { sequences: sequences.slice(start, end), codes: ofPart } });
    start = end;
  }
  return parts;
}
