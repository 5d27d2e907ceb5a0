// Worker threads that read manifests back with c2pa-rs, the reference implementation, and draw cards.

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { CreationJob, CreationResult, ReadJob } from './readerWorker.js';
import { readC2paRs } from './wasm.js';

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
const JOB_TIMEOUT_MS = 10_000;

/** `trustAnchorsPem`: the roots that make a signature or a time-stamp trusted here. */
export async function createManifestReader(
  trustAnchorsPem: string,
  threads = Math.min(MAX_THREADS, availableParallelism()),
): Promise<ManifestReader> {
  const pool = new Piscina({
    filename: new URL('./readerWorker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    workerData: { wasm: await readC2paRs() },
  });
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
  function run<Job, Result>(name: 'read' | 'create', job: Job): Promise<Result> {
    return pool.run(job, { name, signal: AbortSignal.timeout(JOB_TIMEOUT_MS) });
  }
  return {
    read: async (format, bytes) => JSON.parse(await run<ReadJob, string>('read', { format, bytes, settings })),
    create: (sidecar, digest, fingerprint) =>
      run<CreationJob, CreationResult>('create', { sidecar, digest, fingerprint, settings }),
    close: () => pool.destroy(),
  };
}
