// Makes a version of the downloads when one is due, in one worker at a time.

import { randomUUID } from 'node:crypto';
import { JobLoop } from '../jobs/jobLoop.js';
import { type BuilderOptions, makeVersion, TURN_MS } from './builder.js';

/** One statement; versions are made every hour or so. */
const MAX_POLL_MS = 30_000;

export interface DownloadWorkerOptions extends Omit<BuilderOptions, 'holder'> {
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export interface DownloadWorker {
  close(): Promise<void>;
}

export function startDownloadWorker({ log, ...options }: DownloadWorkerOptions): DownloadWorker {
  const builder = { ...options, holder: randomUUID() };
  const { intervalMs } = options;

  async function makeIfDue(stop: AbortSignal): Promise<void> {
    if (!(await builder.records.acquireBuildLease(builder.holder, intervalMs, TURN_MS))) return;
    const began = Date.now();
    const index = await makeVersion(builder, stop);
    const details = { ms: Date.now() - began, fingerprints: index?.filter.count, pieces: index?.pieces.length };
    if (index) log('info', details, 'downloads: a new version is published');
    else log('warn', {}, 'downloads: another worker has taken over');
  }

  const pollMs = Math.min(intervalMs, MAX_POLL_MS);
  const loop = new JobLoop({
    async step(stop) {
      // The database or the file store is unavailable: tried again when the next version is due.
      await makeIfDue(stop).catch((error: unknown) => {
        if (!stop.aborted) log('warn', { err: error }, 'downloads: no version was made');
      });
      return pollMs;
    },
    onFailure: () => pollMs,
  });
  return { close: () => loop.stop() };
}
