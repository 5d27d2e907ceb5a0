// SHA-256 of files of any size in browsers: in a worker, so that the page stays responsive, and in constant memory.

import type { HashOptions, HashResult } from '../hashing.js';
import type { WorkerMessage } from './hashWorker.js';

/** Workers are reused: starting one takes longer than hashing a small file. */
const idleWorkers: Worker[] = [];
/** The number of parallel registrations that the specification recommends. */
const MAX_IDLE_WORKERS = 8;

/**
 * Computes the fingerprint of a `Blob` or `File` in a worker. The browser rejects a file that is modified meanwhile with
 * `NotReadableError`.
 * @example
 * ```ts
 * const { fingerprint, size } = await hashBlob(input.files[0]);
 * ```
 */
export function hashBlob(blob: Blob, { onProgress, signal }: HashOptions = {}): Promise<HashResult> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = idleWorkers.pop() ?? new Worker(new URL('./hashWorker.js', import.meta.url), { type: 'module' });
    const abort = () => {
      worker.terminate();
      finish(() => reject(signal?.reason));
    };
    function finish(settle: () => void): void {
      signal?.removeEventListener('abort', abort);
      settle();
    }
    signal?.addEventListener('abort', abort, { once: true });
    // There is no message when the browser could not load the file of the worker.
    worker.onerror = ({ message = 'its file was not found, see "Browsers" in the SDK guide' }) =>
      finish(() => reject(new Error(`The hashing worker could not start: ${message}`)));
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if ('bytes' in data) {
        onProgress?.({ bytes: data.bytes, total: blob.size });
        return;
      }
      if (idleWorkers.length < MAX_IDLE_WORKERS) idleWorkers.push(worker);
      else worker.terminate();
      if ('error' in data) finish(() => reject(data.error));
      else finish(() => resolve({ fingerprint: data.fingerprint, size: blob.size }));
    };
    worker.postMessage(blob);
  });
}
