// Worker threads that read manifests back with c2pa-rs, the reference implementation, and draw cards.

import { availableParallelism } from 'node:os';
import { createWorkerPool } from '../workers/pool.js';
import type { CreationResult, ReaderThread } from './readerWorker.js';
import { compileC2paRs } from './wasm.js';

export interface ManifestReader {
  /** The report as c2pa-rs gives it. Rejects when there is no manifest, or none that can be read. */
  read(format: string, bytes: Uint8Array): Promise<unknown>;
  /** The report on a sidecar that was just made, and the picture of its card. Rejects when the sidecar does not stand up. */
  create(sidecar: Uint8Array, digest: Uint8Array | undefined, fingerprint: Uint8Array): Promise<CreationResult>;
  close(): Promise<void>;
}

/** Each holds some thirty megabytes of the verifier; more than four would not be faster than the database. */
const MAX_THREADS = 4;
/** Ten milliseconds are usual. */
const JOB_MS = 10_000;
/** The first job compiles the verifier: a second, and ten on a busy machine. One that is given up begins all over again. */
const FIRST_JOB_MS = 60_000;
/** Some ten seconds of work: whoever comes later would give up before its turn. */
const MAX_WAITING = 1000;

/** `trustAnchorsPem`: the roots that make a signature or a time-stamp trusted here. */
export async function createManifestReader(
  trustAnchorsPem: string,
  atMost = Math.min(MAX_THREADS, availableParallelism()),
): Promise<ManifestReader> {
  const settings = JSON.stringify({
    trust: { trust_anchors: trustAnchorsPem },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      verify_timestamp_trust: true,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
  });
  const threads = createWorkerPool<ReaderThread>({
    file: new URL('./readerWorker.js', import.meta.url),
    atMost,
    jobMs: JOB_MS,
    firstJobMs: FIRST_JOB_MS,
    maxWaiting: MAX_WAITING,
    workerData: { wasm: await compileC2paRs(), settings },
  });
  return {
    read: async (format, bytes) => JSON.parse(await threads.run('read', { format, bytes })),
    create: (sidecar, digest, fingerprint) => threads.run('create', { sidecar, digest, fingerprint }),
    close: () => threads.close(),
  };
}
