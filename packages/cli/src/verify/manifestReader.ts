// Reads the manifests inside files in worker threads, with a limit of time.

import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { EmbeddedManifest } from '@provenance-registry/client';
import { type EmbeddedReadJob, setEmbeddedReader } from '@provenance-registry/client/node';
import { limitConcurrency } from '@provenance-registry/core';

export interface ManifestJob extends Pick<EmbeddedReadJob, 'roots' | 'issuer'> {
  readonly path: string | Uint8Array;
}

export type ManifestJobResult = { readonly manifest: EmbeddedManifest | undefined } | { readonly error: string };

/** Each may hold a file of the SDK's size limit in memory, twice. */
const MAX_WORKERS = 2;

const WORKER_FILE = new URL('./manifestWorker.js', import.meta.url);

/** A file's content cannot be sent to a thread: the thread opens the file again. */
const paths = new WeakMap<object, string | Buffer>();

let installedFile: URL | undefined;

/** Makes the SDK read manifests in threads. They must be of files that `openContent` opened. */
export function readManifestsInThreads(workerFile = WORKER_FILE): void {
  // Each installation has its own threads, which stay.
  if (installedFile === workerFile) return;
  installedFile = workerFile;
  const idleWorkers: Worker[] = [];
  const limit = limitConcurrency(MAX_WORKERS, Number.POSITIVE_INFINITY, () => new Error('the queue is unlimited'));
  setEmbeddedReader(({ content, ...trust }, { timeoutMs }) => {
    const path = paths.get(content);
    if (path === undefined) throw new Error('the path of the content is not known');
    return limit(async () => {
      const worker = idleWorkers.pop() ?? new Worker(workerFile);
      const result = await runJob(worker, { path, ...trust }, timeoutMs);
      if (result.isWorkerUsable) idleWorkers.push(worker);
      return result.manifest;
    });
  });
}

/** Reads nothing yet. */
export async function openContent(path: string | Buffer): Promise<Blob> {
  const content = await openAsBlob(path);
  paths.set(content, path);
  return content;
}

async function runJob(worker: Worker, job: ManifestJob, timeoutMs: number) {
  worker.ref();
  try {
    const response = once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    worker.postMessage(job);
    const [result]: ManifestJobResult[] = await response;
    // The process may end while a worker is idle.
    worker.unref();
    if (result && 'manifest' in result) return { isWorkerUsable: true, manifest: result.manifest };
    const reason = `The file could not be searched for a manifest: ${result?.error}.`;
    return { isWorkerUsable: true, manifest: unreadable(reason) };
  } catch (error) {
    // Not awaited: the thread may be busy.
    void worker.terminate();
    const isTimeout = error instanceof Error && error.name === 'AbortError';
    const reason = isTimeout
      ? `Reading the manifest in the file took longer than ${timeoutMs / 1000} seconds.`
      : 'The program that reads manifests ended unexpectedly.';
    return { isWorkerUsable: false, manifest: unreadable(reason) };
  }
}

function unreadable(reason: string): EmbeddedManifest {
  return { state: 'unreadable', reason, failures: [], history: [], omittedSteps: 0, permissions: {} };
}
