// Detects the kind of a file and computes its perceptual hash or audio fingerprint, in worker processes or with `fpcalc`.
// It never throws.

import { limitConcurrency } from '@provenance-registry/core';
import type { Media } from '../domain/ports/index.js';
import { createWorkerPool, workerFile } from '../workers/pool.js';
import { createFpcalc } from './fpcalc.js';
import { detectKind, type Kind, kindOfMediaType } from './kind.js';
import type { Hashes, MediaJobs } from './mediaWorker.js';

/** Readable by the decoders in the workers. Other files are not copied to them. */
const decodableTypes: ReadonlySet<string | undefined> = new Set([
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

/** A second worker halves the wait behind a slow file; each may need a few hundred megabytes. */
const MAX_WORKERS = 2;
/** Ten times as long as two minutes of audio take on a slow machine. */
const JOB_TIMEOUT_MS = 30_000;
/** More would wait for minutes: those files get no hash, and their callers do not wait. */
const MAX_QUEUED_FILES = 64;
/** Limits the memory for the worker's copy. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** Ending idle workers frees the decoders' memory. */
const IDLE_TIMEOUT_MS = 60_000;
/** Of JavaScript objects. Samples and pixels are outside the heap, with limits in the decoders. */
const MAX_HEAP_MB = 192;

interface MediaOptions {
  readonly jobTimeoutMs?: number;
  /** The file that the workers run; tests replace it. */
  readonly worker?: URL;
  /** Name or path of the program; tests replace it. */
  readonly fpcalc?: string;
}

export function createMedia({
  jobTimeoutMs = JOB_TIMEOUT_MS,
  worker = workerFile('mediaWorker'),
  fpcalc = 'fpcalc',
}: MediaOptions = {}): Media & { close(): Promise<void> } {
  // Files wait here and not in the pool, so that a file is copied only when a worker is free.
  const limit = limitConcurrency(MAX_WORKERS, MAX_QUEUED_FILES, () => new Error('too many queued files'));
  const fpcalcRunner = createFpcalc(fpcalc, jobTimeoutMs);
  const pool = createWorkerPool<MediaJobs>({
    file: worker,
    // A decoder that hangs in native code ends only with its process.
    isolation: 'process',
    maxWorkers: MAX_WORKERS,
    jobTimeoutMs,
    maxQueuedJobs: 0,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let isClosed = false;

  function findHasher(bytes: Uint8Array, detected: Kind): (() => Promise<Hashes>) | undefined {
    if (bytes.byteLength > MAX_FILE_BYTES) return undefined;
    if (decodableTypes.has(detected.mediaType)) return () => pool.run('hash', { bytes, kind: detected.kind });
    const demuxer = fpcalcRunner.demuxerFor(detected.mediaType);
    if (demuxer === undefined) return undefined;
    return async () => ({ chromaprint: await fpcalcRunner.fingerprint(bytes, demuxer) });
  }

  return {
    async inspect(bytes, mediaType, isWhole = true) {
      const detected = await detectKind(bytes);
      if (!detected) return kindOfMediaType(mediaType);
      if (!isWhole) return detected;
      const computeHashes = findHasher(bytes, detected);
      if (!computeHashes) return detected;
      // A file that is broken, too slow or crashes its worker has no hashes.
      const hashes = await limit(async () => (isClosed ? {} : computeHashes())).catch(() => ({}));
      return { ...detected, ...hashes };
    },
    async close() {
      isClosed = true;
      fpcalcRunner.close();
      await pool.close();
    },
  };
}
