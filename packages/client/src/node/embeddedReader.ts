// Reads the manifest inside a file: in the calling thread, or where the caller chooses to.

import type { EmbeddedManifest } from '../verification/embedded/embeddedManifest.js';
import { type EmbeddedReadJob, readEmbedded } from '../verification/embedded/reader.js';

/**
 * Reads the manifest inside one file.
 * @example
 * ```ts
 * const reader: EmbeddedReader = (job, { timeoutMs }) => runInWorkerThread(job, timeoutMs);
 * ```
 */
export type EmbeddedReader = (
  job: EmbeddedReadJob,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
) => Promise<EmbeddedManifest | undefined>;

let read: EmbeddedReader = readEmbedded;

/**
 * Sets where `readEmbeddedManifest` and `verifyFile` read, such as in a worker thread that calls {@link readEmbedded}: a
 * crafted file can keep the thread busy for very long. By default, it is the calling thread.
 * @example
 * ```ts
 * setEmbeddedReader((job, { timeoutMs }) => runInWorkerThread(job, timeoutMs));
 * ```
 */
export function setEmbeddedReader(reader: EmbeddedReader): void {
  read = reader;
}

export const runEmbeddedRead: EmbeddedReader = (job, limits) => read(job, limits);
