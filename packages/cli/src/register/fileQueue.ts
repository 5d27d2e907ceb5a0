// Feeds the files that a walk finds to the registrar: once, or repeatedly as folders change.

import type { BytePath } from '../walk/paths.js';
import {
  type FileEntry,
  isSameIdentity,
  type NonFileEntry,
  type WalkEntry,
  type WalkOptions,
  walk,
} from '../walk/walk.js';
import type { FileRegistrar } from './fileRegistrar.js';
import type { Journal } from './journal.js';
import type { RunStats } from './stats.js';
import type { StopController } from './stopController.js';
import { createFolderWatcher } from './watch.js';

export interface FileQueueOptions {
  readonly walkOptions: WalkOptions;
  readonly registrar: FileRegistrar;
  readonly journal: Journal;
  readonly stopController: StopController;
  readonly stats: RunStats;
}

type IdentityMap = Map<BytePath, FileEntry['identity']>;

/** Finds changes that the file system sent no event for. */
const RESCAN_INTERVAL_MS = 60_000;

/** Sets the total for the progress bar. */
export async function countFiles({ walkOptions, stats, stopController }: FileQueueOptions): Promise<void> {
  let [files, bytes] = [0, 0];
  for await (const entry of walk(walkOptions)) {
    if (stopController.reason) return;
    if (entry.kind === 'skipped') continue;
    files += 1;
    bytes += entry.kind === 'file' ? entry.identity.size : 0;
  }
  stats.total = { files, bytes };
}

export async function registerAllFiles(options: FileQueueOptions): Promise<void> {
  const { walkOptions, registrar, journal, stopController, stats } = options;
  for await (const entry of walk(walkOptions)) {
    if (entry.kind !== 'file') addNonFileResult(entry, stats);
    // The rest is counted, so that the summary says what is left.
    else if (stopController.reason) countUnprocessed(entry, journal, stats);
    else await registrar.add(entry);
  }
  await registrar.drain();
}

/** Registers all files, then new and changed ones until the run is stopped. */
export async function registerAndWatch(options: FileQueueOptions, notify: (message: string) => void): Promise<void> {
  const { walkOptions, registrar, journal, stopController, stats } = options;
  const watcher = createFolderWatcher(stopController.signal, (reason) =>
    notify(`Some folders cannot be watched (${reason}). Changes in them are found with a delay.`),
  );
  const registeredFiles: IdentityMap = new Map();
  const reportedPaths = new Set<string>();
  /** Files that had changed in the last scan, and may still be written to. */
  let unstableFiles: IdentityMap = new Map();

  /** A changed file is due once two scans in a row find it identical; in the first scan every file is due. */
  function isDue({ path, identity }: FileEntry, changedFiles: IdentityMap | undefined): boolean {
    if (isSameIdentity(registeredFiles.get(path), identity)) return false;
    if (!changedFiles || isSameIdentity(unstableFiles.get(path), identity)) return true;
    changedFiles.set(path, identity);
    return false;
  }

  async function processEntry(entry: WalkEntry, changedFiles: IdentityMap | undefined): Promise<void> {
    if (entry.kind === 'file') {
      if (!isDue(entry, changedFiles)) return;
      if (stopController.reason) return countUnprocessed(entry, journal, stats);
      registeredFiles.set(entry.path, entry.identity);
      await registrar.add(entry);
    } else if (!reportedPaths.has(entry.displayPath)) {
      reportedPaths.add(entry.displayPath);
      addNonFileResult(entry, stats);
    }
  }

  async function scan(changedFiles?: IdentityMap): Promise<void> {
    for await (const entry of walk({ ...walkOptions, onFolder: watcher.add })) {
      await processEntry(entry, changedFiles);
    }
    watcher.endScan();
    await registrar.drain();
  }

  await scan();
  if (!stopController.reason) notify('Watching for new and changed files. Press Ctrl-C to stop.');
  while (!stopController.reason) {
    await watcher.waitForChange(unstableFiles.size > 0 ? 0 : RESCAN_INTERVAL_MS);
    const changedFiles: IdentityMap = new Map();
    if (!stopController.reason) await scan(changedFiles);
    unstableFiles = changedFiles;
  }
  watcher.close();
}

/** Counts files after a stop: only those registered by an earlier run have a result. */
function countUnprocessed({ path, displayPath, identity }: FileEntry, journal: Journal, stats: RunStats): void {
  const record = journal.get(path);
  if (!record?.registered || !isSameIdentity(record.identity, identity)) {
    stats.remaining += 1;
    return;
  }
  const { fingerprint, registered } = record;
  stats.fromJournal += 1;
  stats.addResult({ path: displayPath, outcome: 'yours', fingerprint, artifactId: registered.id });
}

function addNonFileResult({ kind, displayPath, reason }: NonFileEntry, stats: RunStats): void {
  stats.addResult({ path: displayPath, outcome: kind === 'skipped' ? 'skipped' : 'failed', reason });
}
