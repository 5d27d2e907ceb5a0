// Reads manifests with c2pa-rs, the reference implementation, and draws cards, in worker threads.

import { availableParallelism } from 'node:os';
import { createWorkerPool, workerFile } from '../workers/pool.js';
import type { CreationResult, ReaderJobs } from './manifestReaderWorker.js';
import { compileC2paRs } from './wasm.js';

export interface ManifestReader {
  /** The report of c2pa-rs. Rejects if there is no readable manifest. */
  read(format: string, bytes: Uint8Array): Promise<unknown>;
  /** The report on a new sidecar and the picture of its card. Rejects if the sidecar is not valid. */
  create(sidecar: Uint8Array, digest: Uint8Array | undefined, fingerprint: Uint8Array): Promise<CreationResult>;
  close(): Promise<void>;
}

/** Each needs about 30 MB for the verifier; with more than four, the database is the bottleneck. */
const MAX_WORKERS = 4;
/** A job usually takes ten milliseconds. */
const JOB_TIMEOUT_MS = 10_000;
/** The first job compiles the verifier: one second, ten on a busy machine. A timeout would start that again. */
const FIRST_JOB_TIMEOUT_MS = 60_000;
/** About ten seconds of work: clients would not wait longer. */
const MAX_QUEUED_JOBS = 1000;

/** @param trustAnchorsPem roots of the signatures and time-stamps that the reader trusts */
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
