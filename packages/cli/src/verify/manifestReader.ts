// Reads the manifests inside files in worker threads, with a limit of time.

import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { type EmbeddedManifest, explanations } from '@provenance-registry/client';
import { compileC2pa, type EmbeddedReader, type EmbeddedReadJob } from '@provenance-registry/client/node';
import { limitConcurrency } from '@provenance-registry/core';
import { isThreadWaiting, takeThread } from './manifestThread.js';
import { OpenedContent } from './openedContent.js';

export interface ManifestJob extends Pick<EmbeddedReadJob, 'roots' | 'issuer'> {
  /** Threads share the open files of their process. */
  readonly descriptor: number;
  readonly size: number;
  /** c2pa-rs, which takes long to compile. */
  readonly compiled: Awaited<ReturnType<typeof compileC2pa>>;
}

export type ManifestJobResult = { readonly manifest: EmbeddedManifest | undefined } | { readonly error: string };

/** Each may hold a file of the SDK's size limit in memory, twice. */
const MAX_WORKERS = 2;

/** Creates a reader with threads of its own, for content of opened files. */
export function createManifestReader(takeThread: () => Worker): EmbeddedReader {
  const idleWorkers: Worker[] = [];
  const limit = limitConcurrency(MAX_WORKERS, Number.POSITIVE_INFINITY, () => new Error('the queue is unlimited'));
  return ({ content, roots, issuer }, { timeoutMs }) => {
    if (!(content instanceof OpenedContent)) throw new Error('the content is not that of an opened file');
    const file = { descriptor: content.handle.fd, size: content.size };
    return limit(async () => {
      const compiled = await compileC2pa();
      const worker = idleWorkers.pop() ?? takeThread();
      const result = await runJob(worker, { ...file, compiled, roots, issuer }, timeoutMs);
      if (result.isWorkerUsable) idleWorkers.push(worker);
      return result.manifest;
    });
  };
}

/** The command's own reader: its threads are shared by all verifications, and stay. */
export const manifestReader = createManifestReader(takeThread);
// Beside all that comes before the first file is read. A failure is reported then.
if (isThreadWaiting()) compileC2pa().catch(() => {});

const { READER_FAILED, TOO_SLOW } = explanations.unreadableManifests;

async function runJob(worker: Worker, job: ManifestJob, timeoutMs: number) {
  worker.ref();
  try {
    const response = once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    worker.postMessage(job);
    const [result]: ManifestJobResult[] = await response;
    // The process may end while a worker is idle.
    worker.unref();
    if (result && 'manifest' in result) return { isWorkerUsable: true, manifest: result.manifest };
    return { isWorkerUsable: true, manifest: unreadable(READER_FAILED(String(result?.error))) };
  } catch (error) {
    // Not awaited: the thread may be busy.
    void worker.terminate();
    const isTimeout = error instanceof Error && error.name === 'AbortError';
    const reason = isTimeout ? TOO_SLOW(timeoutMs / 1000) : READER_FAILED('its reader ended unexpectedly');
    return { isWorkerUsable: false, manifest: unreadable(reason) };
  }
}

function unreadable(reason: string): EmbeddedManifest {
  return { state: 'unreadable', reason, failures: [], history: [], omittedSteps: 0, permissions: {} };
}
