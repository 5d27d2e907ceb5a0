// Runs the sequencer of the public log, in one process at a time.

import { randomUUID } from 'node:crypto';
import type { LogFiles } from '../domain/ports/index.js';
import { JobLoop } from '../jobs/jobLoop.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { logCheckpoints, logPublishedSize, logStopped, logUnwitnessed } from '../monitoring/metrics.js';
import { Sequencer, type SequencerOptions } from './sequencer.js';
import { LogStoppedError, stopReasons } from './stops.js';

/** While others announce work. */
const POLL_MS = 200;
/** From one checkpoint to the next: a round costs the same for many leaves as for one. */
const CHECKPOINT_PAUSE_MS = 400;
/** While the database or the files are unavailable. */
const MAX_PAUSE_MS = 5_000;
/** Until the sequencer looks again whether the reason of a stop is gone. */
const STOPPED_PAUSE_MS = 10_000;
/** A round takes less, also with a slow store. A killed process keeps it that long. */
const LEASE_MS = 15_000;
const LEASE_RENEWAL_MS = 5_000;
/** Between two requests to witnesses that did not sign. */
const RETRY_WITNESSES_MS = 1_000;
/** While another process holds it. */
const LEASE_POLL_MS = 2_000;
/** The published files have the leaves; for some days the database has them too, in case files are lost. */
const KEPT_DAYS = 7;
const DELETE_INTERVAL_MS = 3_600_000;
/** Ids in one line of the log. */
const MAX_REPORTED = 10;
/** Often enough to show that the import is alive. */
const PROGRESS_INTERVAL_MS = 10_000;

export interface LogWorkerOptions extends Omit<SequencerOptions, 'lease' | 'sources'> {
  readonly sources: Omit<SequencerOptions['sources'], 'onLost'>;
  readonly notices: WorkNotices;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
}

export interface LogWorker {
  close(): Promise<void>;
}

export function startLogWorker({ log, notices, ...options }: LogWorkerOptions): LogWorker {
  const { records, files } = options;
  const lease = { name: 'public-log', holder: randomUUID(), ms: LEASE_MS };
  let lost: string[] = [];
  const onLost = ({ artifactId }: { readonly artifactId: string }) => void lost.push(artifactId);
  const createSequencer = () => new Sequencer({ ...options, sources: { ...options.sources, onLost }, lease });
  let sequencer = createSequencer();
  let renewAt = 0;
  let deleteAt = 0;
  let progressAt = 0;
  let isStoreChecked = false;

  async function holdsLease(): Promise<boolean> {
    const now = Date.now();
    if (now < renewAt) return true;
    if (!(await records.acquireLease(lease))) return false;
    renewAt = now + LEASE_RENEWAL_MS;
    return true;
  }

  async function requireFitStore(store: LogFiles): Promise<void> {
    if (isStoreChecked) return;
    const flaw = await store.findFlaw();
    if (flaw !== undefined) throw new LogStoppedError('storage', `the store of the files cannot keep a log: ${flaw}`);
    isStoreChecked = true;
  }

  async function deleteOldLeaves(published: number): Promise<void> {
    if (Date.now() < deleteAt) return;
    await records.deletePublished(published, KEPT_DAYS);
    deleteAt = Date.now() + DELETE_INTERVAL_MS;
  }

  function reportLost(): void {
    if (lost.length === 0) return;
    const details = { count: lost.length, artifactIds: lost.slice(0, MAX_REPORTED) };
    log('warn', details, 'public log: Artifacts have no published manifest, and get no leaf');
    lost = [];
  }

  function showProgress(toImport: number): void {
    if (toImport === 0 || Date.now() < progressAt) return;
    progressAt = Date.now() + PROGRESS_INTERVAL_MS;
    log('info', { toImport }, 'public log: importing what was registered before');
  }

  const loop = new JobLoop({
    async step() {
      if (!(await holdsLease())) {
        logStopped.reset();
        logPublishedSize.set(undefined);
        logUnwitnessed.set(undefined);
        return notices.pauseMs(LEASE_POLL_MS);
      }
      await requireFitStore(files);
      const { sequenced, published, toImport, unwitnessedMs } = await sequencer.runRound();
      for (const reason of stopReasons) logStopped.set({ reason }, 0);
      if (sequenced > 0 && published > 0) logCheckpoints.inc();
      logPublishedSize.set(published);
      logUnwitnessed.set((unwitnessedMs ?? 0) / 1_000);
      reportLost();
      showProgress(toImport);
      if (toImport > 0) return 0;
      await deleteOldLeaves(published);
      if (unwitnessedMs !== undefined) return RETRY_WITNESSES_MS;
      return sequenced > 0 ? CHECKPOINT_PAUSE_MS : notices.pauseMs(POLL_MS);
    },
    onFailure(error, { reason, count, isNew }) {
      // Another process may have taken over.
      renewAt = 0;
      if (error instanceof LogStoppedError) {
        logStopped.set({ reason: error.reason }, 1);
        // What it knows may be what is repaired next, such as the keys.
        sequencer = createSequencer();
        // For `log recover`, and for a process that can go on.
        void records.releaseLease(lease).catch(() => {});
        if (isNew) log('error', { reason: error.reason }, `public log: nothing is signed, because ${reason}`);
        return STOPPED_PAUSE_MS;
      }
      if (isNew) log('warn', { reason }, 'public log: the sequencer failed, and tries again');
      return Math.min(POLL_MS * 2 ** count, MAX_PAUSE_MS);
    },
    onRecovery: () => log('info', {}, 'public log: the sequencer works again'),
    minPauseMs: CHECKPOINT_PAUSE_MS,
    notices,
  });
  return {
    async close() {
      await loop.stop();
      await records.releaseLease(lease).catch(() => {});
    },
  };
}
