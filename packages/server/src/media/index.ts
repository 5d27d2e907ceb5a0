// Detects the kind of a file and computes its perceptual hash or audio fingerprint, in worker processes or with `fpcalc`.
// It throws only for queries, when its budget is used up.

import { Chromaprint, isImageHash, MAX_QUERY_HASHES, RegistryError } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Media } from '../domain/ports/index.js';
import { FairLimit } from '../workers/fairLimit.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
import { createFpcalc } from './fpcalc.js';
import { findKind, type Kind, kindOfMediaType } from './kind.js';
import type { MediaJobs } from './mediaWorker.js';

/**
 * Readable by the decoders in the workers. Other files are not copied to them. SVG is not among them: a few bytes of it can
 * take minutes to render, and text depends on the fonts of the machine.
 */
const decodableTypes: ReadonlySet<string | undefined> = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/bmp',
  'audio/wav',
  'audio/mpeg',
  'audio/flac',
  'audio/ogg',
]);

/** Each may need hundreds of megabytes. */
const MAX_RUNNING = 3;
const budget = {
  name: 'media',
  maxRunning: MAX_RUNNING,
  /** One less, so that the file of another client does not wait for those of one client alone. */
  maxRunningPerClient: MAX_RUNNING - 1,
  /** Each keeps its file in memory. */
  maxWaiting: 64,
  maxWaitingPerClient: 16,
  maxWaitingPerLane: 16,
  /**
   * Some ten files of usual size. A creation waits for its hash at most so long plus the time of one job, so 15 s: less
   * than clients and proxies wait for a response, and hashes are not worth more.
   */
  maxWaitMs: 5_000,
};
/** Images of 100 megapixels need up to 3.3 s of CPU time (AVIF 7 s), two minutes of audio 0.8 s. */
const JOB_TIMEOUT_MS = 10_000;
/** Ending idle workers frees the decoders' memory. */
const IDLE_TIMEOUT_MS = 60_000;
/** Progressive and interlaced images of 100 megapixels need up to 830 MB, as does AVIF of 40. `heapMb` limits JavaScript objects. */
const processLimits = { cpuSeconds: 10, memoryMb: 1024, heapMb: 192 };

const Code = Type.Refine(Type.String(), isImageHash);

/** What a worker sends back is checked: a file may have taken control of it. */
const Hashes = Type.Object({
  codes: Type.Optional(
    Type.Object({ pHash: Code, dHash: Code, pHashCenter90: Type.Optional(Code), pHashCenter80: Type.Optional(Code) }),
  ),
  pHash: Type.Optional(Code),
  queries: Type.Optional(
    Type.Array(Type.Object({ pHash: Code, dHash: Type.Optional(Code) }), { minItems: 1, maxItems: MAX_QUERY_HASHES }),
  ),
  chromaprint: Type.Optional(Chromaprint),
});

/** A GIF of 2 × 1 pixels, black and white. */
const TINY_IMAGE = Buffer.from('R0lGODlhAgABAIAAAAAAAP///ywAAAAAAgABAAACAkQKADs=', 'base64');

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
}: MediaOptions = {}): Media & { check(): Promise<void>; close(): Promise<void> } {
  const limit = new FairLimit(budget);
  const fpcalcRunner = createFpcalc(fpcalc, jobTimeoutMs, processLimits);
  const pool = new WorkerPool<MediaJobs>({
    file: worker,
    processLimits,
    // The additional worker is for checks.
    maxWorkers: MAX_RUNNING + 1,
    jobTimeoutMs,
    // Files wait in the limit, so that each is copied only when a worker is free.
    maxQueuedJobs: 0,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  let isClosed = false;

  function findHasher(
    bytes: Uint8Array,
    { kind, mediaType }: Kind,
    isQuery: boolean,
  ): (() => Promise<unknown>) | undefined {
    if (decodableTypes.has(mediaType)) return () => pool.run('hash', { bytes, kind, isQuery });
    const demuxer = fpcalcRunner.demuxerFor(mediaType);
    if (demuxer === undefined) return undefined;
    return async () => ({ chromaprint: await fpcalcRunner.fingerprint(bytes, demuxer) });
  }

  async function hash(
    client: string,
    computeHashes: () => Promise<unknown>,
    isQuery: boolean,
  ): Promise<Static<typeof Hashes>> {
    try {
      return Value.Parse(Hashes, await limit.run({ client }, async () => (isClosed ? {} : computeHashes())));
    } catch (error) {
      // The answer to a query must not be that the file has no codes.
      if (isQuery && error instanceof RegistryError) throw error;
      // A file that is broken, too slow, beyond the budget or crashes its worker has no hashes.
      return {};
    }
  }

  return {
    async inspect(bytes, mediaType, { isWhole = true, client = '', isQuery = false } = {}) {
      if (!bytes) return kindOfMediaType(mediaType);
      const found = await findKind(bytes, mediaType);
      const computeHashes = isWhole ? findHasher(bytes, found, isQuery) : undefined;
      return computeHashes ? { ...found, ...(await hash(client, computeHashes, isQuery)) } : found;
    },
    check: () => pool.check('hash', { bytes: TINY_IMAGE, kind: 'image', isQuery: false }),
    async close() {
      isClosed = true;
      await Promise.all([fpcalcRunner.close(), pool.close()]);
    },
  };
}
