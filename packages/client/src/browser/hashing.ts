// SHA-256 of a file of any size in a browser: in a worker, so that the page goes on, and in flat memory.

import type { Hashed, HashOptions } from '../hashing.js';
import type { WorkerMessage } from './hashWorker.js';

/** To start a worker takes longer than to hash a small file: those that are through wait for the next one. */
const idle: Worker[] = [];
/** As many as the specification calls safe at once: with fewer, a list of small files would start one for every other. */
const MAX_IDLE = 8;

/** A file that changes meanwhile is refused by the browser itself (NotReadableError). */
export function hashBlob(blob: Blob, { onProgress, signal }: HashOptions = {}): Promise<Hashed> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = idle.pop() ?? new Worker(new URL('./hashWorker.js', import.meta.url), { type: 'module' });
    const stop = () => {
      worker.terminate();
      end(() => reject(signal?.reason));
    };
    function end(settle: () => void): void {
      signal?.removeEventListener('abort', stop);
      settle();
    }
    signal?.addEventListener('abort', stop, { once: true });
    worker.onerror = ({ message }) => end(() => reject(new Error(`The hashing worker does not start: ${message}`)));
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if ('bytes' in data) {
        onProgress?.({ bytes: data.bytes, total: blob.size });
        return;
      }
      if (idle.length < MAX_IDLE) idle.push(worker);
      else worker.terminate();
      if ('error' in data) end(() => reject(data.error));
      else end(() => resolve({ fingerprint: data.fingerprint, size: blob.size }));
    };
    worker.postMessage(blob);
  });
}
