// Reads the manifest inside a file in a worker, which is stopped when a crafted file keeps it busy for too long.

import { unreadableManifests } from '../explanations.js';
import { type EmbeddedReader, unreadable } from '../verification/embedded/reader.js';
import type { EmbeddedWorkerResult } from './embeddedWorker.js';

/** A worker for each file, so that none can affect the next one. */
export const runEmbeddedRead: EmbeddedReader = async (job, { timeoutMs, signal }) => {
  const { loadC2paWasm } = await import('../verification/c2paWasm.js');
  const wasmUrl = (await loadC2paWasm(job.wasmUrl)).href;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./embeddedWorker.js', import.meta.url), { type: 'module' });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      worker.terminate();
      settle();
    };
    const abort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(
      () => end(() => resolve(unreadable(unreadableManifests.TOO_SLOW(timeoutMs / 1000)))),
      timeoutMs,
    );
    signal?.addEventListener('abort', abort, { once: true });
    worker.onerror = ({ message }) => end(() => reject(new Error(`The manifest worker failed: ${message}`)));
    worker.onmessage = ({ data }: MessageEvent<EmbeddedWorkerResult>) =>
      end(() => ('error' in data ? reject(data.error) : resolve(data.manifest)));
    worker.postMessage({ ...job, wasmUrl });
  });
};
