// Worker threads that read manifests back with c2pa-rs, the reference implementation, and draw cards.

import { availableParallelism } from 'node:os';
import { createWorkerPool, workerFile } from '../workers/pool.js';
import type { CreationResult, ReaderJobs } from './manifestReaderWorker.js';
import { compileC2paRs } from './wasm.js';

export interface ManifestReader {
  /** The report as c2pa-rs gives it. Rejects when there is no manifest, or none that can be read. */
  read(format: string, bytes: Uint8Array): Promise<unknown>;
  /** The report on a sidecar that was just made, and the picture of its card. Rejects when the sidecar does not stand up. */
  create(sidecar: Uint8Array, digest: Uint8Array | undefined, fingerprint: Uint8Array): Promise<CreationResult>;
  close(): Promise<void>;
}

/** Each holds some thirty megabytes of the verifier; more than four would not be faster than the database. */
const MAX_WORKERS = 4;
/** Ten milliseconds are usual. */
const JOB_TIMEOUT_MS = 10_000;
/** The first job compiles the verifier: a second, and ten on a busy machine. One that is given up begins all over again. */
const FIRST_JOB_TIMEOUT_MS = 60_000;
/** Some ten seconds of work: whoever comes later would give up before its turn. */
const MAX_QUEUED_JOBS = 1000;

/** `trustAnchorsPem`: the roots that make a signature or a time-stamp trusted here. */
export async function createManifestReader(
  trustAnchorsPem: string,
  maxWorkers = Math.min(MAX_WORKERS, availableParallelism()),
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
  const pool = createWorkerPool<ReaderJobs>({
    file: workerFile('manifestReaderWorker'),
    maxWorkers,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    firstJobTimeoutMs: FIRST_JOB_TIMEOUT_MS,
    maxQueuedJobs: MAX_QUEUED_JOBS,
    workerData: { wasm: await compileC2paRs(), settings },
  });
  return {
    read: async (format, bytes) => JSON.parse(await pool.run('read', { format, bytes })),
    create: (sidecar, digest, fingerprint) => pool.run('create', { sidecar, digest, fingerprint }),
    close: () => pool.close(),
  };
}
