// Makes a version of the downloads when one is due, in one worker at a time.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BuilderOptions, makeVersion, TURN_MS } from './builder.js';

/** One statement; versions are made every hour or so. */
const MAX_POLL_MS = 30_000;

export interface DownloadWorkerOptions extends Omit<BuilderOptions, 'holder'> {
  /** Between two versions. */
  readonly intervalMs: number;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export interface DownloadWorker {
  close(): Promise<void>;
}

export function startDownloadWorker({ intervalMs, log, ...options }: DownloadWorkerOptions): DownloadWorker {
  const stop = new AbortController();
  const builder = { ...options, holder: randomUUID() };

  async function makeIfDue(): Promise<void> {
    if (!(await builder.records.takeTurn(builder.holder, intervalMs, TURN_MS))) return;
    const began = Date.now();
    const index = await makeVersion(builder, stop.signal);
    const details = { ms: Date.now() - began, fingerprints: index?.filter.count, pieces: index?.pieces.length };
    if (index) log('info', details, 'downloads: a new version is published');
    else log('warn', {}, 'downloads: another worker has taken over');
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      // The database or the file store is unavailable: tried again when the next version is due.
      await makeIfDue().catch((error: unknown) => {
        if (!stop.signal.aborted) log('warn', { err: error }, 'downloads: no version was made');
      });
      await delay(Math.min(intervalMs, MAX_POLL_MS), undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
