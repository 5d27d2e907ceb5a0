// SHA-256 of a file of any size in a browser: in a worker, so that the page goes on, and in flat memory.

import type { Hashed, HashOptions } from '../hashing.js';
import type { WorkerMessage } from './hashWorker.js';

/** A file that changes meanwhile is refused by the browser itself (NotReadableError). */
export function hashBlob(blob: Blob, { onProgress, signal }: HashOptions = {}): Promise<Hashed> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(new URL('./hashWorker.js', import.meta.url), { type: 'module' });
    const stop = () => end(() => reject(signal?.reason));
    function end(settle: () => void): void {
      worker.terminate();
      signal?.removeEventListener('abort', stop);
      settle();
    }
    signal?.addEventListener('abort', stop, { once: true });
    worker.onerror = ({ message }) => end(() => reject(new Error(`The hashing worker does not start: ${message}`)));
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if ('bytes' in data) onProgress?.({ bytes: data.bytes, total: blob.size });
      else if ('error' in data) end(() => reject(data.error));
      else end(() => resolve({ fingerprint: data.fingerprint, size: blob.size }));
    };
    worker.postMessage(blob);
  });
}
