// Reads manifests with c2pa-rs, the reference implementation: those of files, and new sidecars with a history, in worker
// processes; other new sidecars, all written by this service, in worker threads.

import { availableParallelism } from 'node:os';
import { FairLimit } from '../../workers/fairLimit.js';
import { WorkerPool, workerFile } from '../../workers/pool.js';
import type { CreationJob } from '../manifest/creationFiles.js';
import { createC2paProcesses, FIRST_JOB_TIMEOUT_MS } from './c2paProcesses.js';
import type { CreationJobs } from './manifestReaderWorker.js';
import { readerSettings, type TrustedIssuer } from './readerSettings.js';
import { compileC2paRs } from './wasm.js';

export type ManifestReader = Awaited<ReturnType<typeof createManifestReader>>;

/** Each needs about 30 MB for the verifier; with more than four, the database is the bottleneck. */
const MAX_WORKERS = 4;
/** A job usually takes ten milliseconds. */
const JOB_TIMEOUT_MS = 10_000;
/** About ten seconds of work: clients would not wait longer. */
const MAX_QUEUED_JOBS = 1000;
/** The audit reads 16 Artifacts at a time. */
const MAX_QUEUED_READS = 64;

interface ReaderOptions {
  /** Whose identity credentials the reader trusts. */
  readonly issuer?: TrustedIssuer | undefined;
  readonly maxWorkers?: number;
}

/** @param trustAnchorsPem roots of the signatures and time-stamps that the reader trusts */
export async function createManifestReader(
  trustAnchorsPem: string,
  { issuer, maxWorkers = Math.min(MAX_WORKERS, availableParallelism()) }: ReaderOptions = {},
) {
  const settings = readerSettings(trustAnchorsPem, issuer);
  const readers = createC2paProcesses({ maxWorkers, maxQueuedJobs: MAX_QUEUED_READS });
  const creators = new WorkerPool<CreationJobs>({
    file: workerFile('manifestReaderWorker'),
    maxWorkers,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    firstJobTimeoutMs: FIRST_JOB_TIMEOUT_MS,
    maxQueuedJobs: 2 * maxWorkers,
    workerData: { wasm: await compileC2paRs(), settings },
  });
  // Few are in the pool, so that a client with many creations does not delay those of others. Twice as many as workers:
  // none of them waits for the event loop between two jobs.
  const maxRunning = 2 * maxWorkers;
  const limit = new FairLimit({
    name: 'creations',
    maxRunning,
    maxRunningPerClient: maxRunning,
    maxWaiting: MAX_QUEUED_JOBS,
    maxWaitingPerClient: MAX_QUEUED_JOBS,
    maxWaitingPerLane: MAX_QUEUED_JOBS,
  });
  return {
    /** The report of c2pa-rs. Rejects if there is no readable manifest. */
    read: async (format: string, bytes: Uint8Array): Promise<unknown> =>
      JSON.parse(await readers.run('read', { format, bytes, settings })),
    /**
     * The report on a new sidecar and the picture of its card. Rejects if the sidecar is not valid. `hasHistory`: it
     * contains earlier manifests, which may be untrusted.
     */
    create: (client: string, job: CreationJob, hasHistory: boolean) =>
      limit.run({ client }, () =>
        hasHistory ? readers.run('create', { ...job, settings }) : creators.run('create', job),
      ),
    /** Rejects, or stays pending, when new manifests cannot be read. */
    check: () => creators.check('check', undefined),
    close: async () => void (await Promise.all([readers.close(), creators.close()])),
  };
}
