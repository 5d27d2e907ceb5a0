// Reads manifests back with c2pa-rs, the reference implementation, in worker threads and with verification on.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { ReadJob } from './readerWorker.js';

export interface ManifestReader {
  /** The report as c2pa-rs gives it. Rejects when there is no manifest, or none that can be read. */
  read(format: string, bytes: Uint8Array): Promise<unknown>;
  close(): Promise<void>;
}

/** Each holds some thirty megabytes of the verifier; more than four would not be faster than the database. */
const MAX_THREADS = 4;
/** Ten milliseconds are usual. */
const READ_TIMEOUT_MS = 10_000;

/** `trustAnchorsPem`: the roots that make a signature or a time-stamp trusted here. */
export async function createManifestReader(
  trustAnchorsPem: string,
  threads = Math.min(MAX_THREADS, availableParallelism()),
): Promise<ManifestReader> {
  const wasm = await readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm'));
  const pool = new Piscina<ReadJob, string>({
    filename: new URL('./readerWorker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    workerData: { wasm },
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
  return {
    async read(format, bytes) {
      const report = await pool.run({ format, bytes, settings }, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) });
      return JSON.parse(report);
    },
    close: () => pool.destroy(),
  };
}
