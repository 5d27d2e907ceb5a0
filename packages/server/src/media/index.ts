// What the bytes are, for the rules: their kind at once, their hashes from a few worker pool, or a program for what
// those cannot read. It never throws.

import { limitConcurrency } from '@provenance-registry/core';
import type { Media } from '../domain/ports/index.js';
import { createWorkerPool, type WorkerPool, workerFile } from '../workers/pool.js';
import { createFpcalc } from './fpcalc.js';
import { type Kind, kindOfBytes, kindOfMediaType } from './kind.js';
import type { Hashes, MediaJobs } from './mediaWorker.js';

/** What the decoders in the pool can read; of everything else no copy is made. */
const decoded: ReadonlySet<string | undefined> = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/avif',
  'image/svg+xml',
  'audio/wav',
  'audio/mpeg',
  'audio/flac',
  'audio/ogg',
]);

/** A second thread halves the wait behind a slow file; each may hold a few hundred megabytes while it works. */
const MAX_WORKERS = 2;
/** Two minutes of audio take some three seconds on a slow machine; ten times that is a file that is up to something. */
const JOB_TIMEOUT_MS = 30_000;
/** More would be minutes behind: those files go without a hash, and their callers do not wait for one. */
const MAX_QUEUED_FILES = 64;
/** The copy for the thread doubles a file's memory; nothing that is read well is larger than this. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Threads that have nothing to do are ended: the decoders' memory goes back to the machine. */
const IDLE_TIMEOUT_MS = 60_000;
/** For the script's own objects; samples and pixels are outside of it, and have limits where they are made. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

export interface MediaOptions {
  readonly jobTimeoutMs?: number;
  /** The file that the pool run; a test puts one here that misbehaves. */
  readonly worker?: URL;
  /** The program, by its name or path; a test puts one here that misbehaves, or is absent. */
  readonly fpcalc?: string;
}

export function createMedia({
  jobTimeoutMs = JOB_TIMEOUT_MS,
  worker = workerFile('mediaWorker'),
  fpcalc = 'fpcalc',
}: MediaOptions = {}): Media & { close(): Promise<void> } {
  // They wait here, not for the pool: a file is copied for its thread when its turn comes.
  const turns = limitConcurrency(MAX_WORKERS, MAX_QUEUED_FILES, () => new Error('too many files are waiting'));
  const listener = createFpcalc(fpcalc, jobTimeoutMs);
  let pool: Promise<WorkerPool<MediaJobs>> | undefined;
  let closed = false;

  async function hash(bytes: Uint8Array, { kind }: Kind): Promise<Hashes> {
    if (closed) return {};
    pool ??= startHashing(worker, jobTimeoutMs);
    const started = await pool;
    // Handing over the caller's own memory would take it away from the caller.
    const copy = new Uint8Array(bytes);
    return await started.run('hash', { bytes: copy, kind }, [copy.buffer]);
  }

  async function listen(bytes: Uint8Array, demuxer: string): Promise<Hashes> {
    if (closed) return {};
    return { chromaprint: await listener.fingerprint(bytes, demuxer) };
  }

  function workFor(bytes: Uint8Array, seen: Kind): (() => Promise<Hashes>) | undefined {
    if (bytes.byteLength > MAX_BYTES) return undefined;
    if (decoded.has(seen.mediaType)) return () => hash(bytes, seen);
    const demuxer = listener.demuxerFor(seen.mediaType);
    return demuxer === undefined ? undefined : () => listen(bytes, demuxer);
  }

  return {
    async inspect(bytes, mediaType, isWhole = true) {
      const seen = await kindOfBytes(bytes);
      if (!seen) return kindOfMediaType(mediaType);
      if (!isWhole) return seen;
      const work = workFor(bytes, seen);
      if (!work) return seen;
      // Broken file, trap, time-out, end of a thread: it has no hash, and the next file has a new thread.
      const hashes = await turns(work).catch(() => ({}));
      return { ...seen, ...hashes };
    },
    async close() {
      closed = true;
      listener.close();
      await (await pool?.catch(() => undefined))?.close();
    },
  };
}

async function startHashing(file: URL, jobTimeoutMs: number): Promise<WorkerPool<MediaJobs>> {
  // Loaded here first: on Linux its native part must outlive every thread that uses it.
  await import('sharp');
  return createWorkerPool<MediaJobs>({
    file,
    maxWorkers: MAX_WORKERS,
    jobTimeoutMs,
    maxQueuedJobs: 0,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    resourceLimits: RESOURCE_LIMITS,
  });
}
