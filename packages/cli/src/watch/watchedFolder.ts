// One watched folder: scans it when something changes, and from time to time, until it is stopped.

import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { WatchedFolder as WatchedFolderSettings } from '../configSchema.js';
import type { Environment } from '../processIo.js';
import { createCodeComputer } from '../register/codeComputer.js';
import { type Journal, JournalError, journalFolder, openJournal } from '../register/journal.js';
import { findDailyReset } from '../register/run.js';
import type { FingerprintResult } from '../register/stats.js';
import { INTERRUPTED, type StopReason } from '../register/stopController.js';
import { createFolderWatcher } from '../register/watch.js';
import { toCommandError } from '../toCommandError.js';
import { createIgnoreRules } from '../walk/ignoreRules.js';
import { type BytePath, toBytePath } from '../walk/paths.js';
import { type FileEntry, walk } from '../walk/walk.js';
import type { Connection } from './connection.js';
import { createFileStates } from './fileStates.js';
import { type FolderRoot, findFolderRoot } from './folderRoot.js';
import { createFolderScan, type FolderScanOptions } from './folderScan.js';
import type { RegistrationSession } from './registrationSession.js';
import type { FolderState, Pause } from './state.js';

/** Finds changes that the file system sent no event for. */
const RESCAN_INTERVAL_MS = 60_000;
/**
 * Pause after a scan, as a multiple of its duration: scans of a large folder that changes all the time must not keep the
 * machine busy.
 */
const REST_PER_SCAN = 5;
const MAX_REST_MS = 60_000;
const FOLDER_RETRY_MS = 10_000;
const JOURNAL_RETRY_MS = 60_000;
const REFUSAL_RETRY_MS = 60 * 60_000;
const QUOTA_CODES = new Set(['TIER_RESTRICTION', 'TIER_LIMIT_REACHED', 'USAGE_UNIT_LIMIT_REACHED']);
/** Per scan. All that are registered beyond it get one line together. */
const MAX_LOGGED_FILES = 20;

export interface WatchedFolderOptions extends Pick<FolderScanOptions, 'journals' | 'limitSessions' | 'log'> {
  /** Absolute. */
  readonly folder: string;
  readonly settings: WatchedFolderSettings;
  readonly url: string;
  readonly env: Environment;
  readonly connection: Connection;
  /** All watched folders, this one included. */
  readonly allFolders: () => readonly string[];
  readonly lastRegistration: FolderState['lastRegistration'];
}

export type WatchedFolder = ReturnType<typeof createWatchedFolder>;

export function createWatchedFolder(options: WatchedFolderOptions) {
  const { folder, settings, url, env, connection, journals, limitSessions, log } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const watcher = createFolderWatcher(signal, (reason) => log(`${folder}: ${watchFailureNotice(reason)}`));
  const files = createFileStates();
  const rules = createIgnoreRules(settings.ignore);
  let opened: { readonly journal: Journal; readonly root: BytePath } | undefined;
  let codeComputer: ReturnType<typeof createCodeComputer> | undefined;
  let pause: Pause | undefined;
  let isEmptied = false;
  let { lastRegistration } = options;
  let counts = { registered: 0, waiting: 0 };
  let scannedAt: string | null = null;

  /** Logs each reason once. */
  function setPause(code: Pause['code'], message: string, retryAtMs: number): void {
    const known = pause?.code === code && pause.message === message ? pause : undefined;
    if (!known) log(`${folder}: ${message}`);
    const since = known?.since ?? new Date().toISOString();
    pause = { code, message, since, retryAt: new Date(retryAtMs).toISOString() };
  }

  function endPause(...codes: readonly Pause['code'][]): void {
    if (!pause || !codes.includes(pause.code)) return;
    log(`${folder}: continuing.`);
    pause = undefined;
  }

  function isPaused(): boolean {
    return pause !== undefined && Date.parse(pause.retryAt ?? '') > Date.now();
  }

  function pauseForJournal(message: string): void {
    setPause('journal', message, Date.now() + JOURNAL_RETRY_MS);
  }

  /** Undefined, with a pause, while it is not there. */
  async function requireRoot(): Promise<FolderRoot | undefined> {
    const root = await findFolderRoot(folder, options.allFolders());
    if (typeof root === 'string') {
      setPause('folder', `The folder cannot be watched: ${root}.`, Date.now() + FOLDER_RETRY_MS);
      return undefined;
    }
    endPause('folder');
    return root;
  }

  /** Undefined, with a pause, while it is in use or cannot be written. */
  async function requireJournal(root: BytePath): Promise<Journal | undefined> {
    if (pause?.code === 'journal' && isPaused()) return undefined;
    if (opened?.root !== root) await closeJournal();
    try {
      const scope = { url, markId: settings.mark, folder: root };
      opened ??= { root, journal: await openJournal(journalFolder(env), scope, { readsOwnWrites: true }) };
      return opened.journal;
    } catch (error) {
      pauseForJournal(error instanceof JournalError ? error.problem : (await toCommandError(error)).message);
      return undefined;
    }
  }

  async function closeJournal(): Promise<void> {
    const { journal } = opened ?? {};
    opened = undefined;
    await journal?.close();
  }

  async function scan(): Promise<void> {
    const root = await requireRoot();
    const journal = root && (await requireJournal(root.path));
    if (!root || !journal) return;
    const excludedFolders = [toBytePath(journalFolder(env)), ...root.innerFolders];
    const walkOptions = { paths: [{ path: folder, name: folder }], rules, excludedFolders, onFolder: watcher.add };
    const current = startScan(root.path, journal);
    try {
      for await (const entry of walk(walkOptions)) {
        if (signal.aborted) break;
        await current.processEntry(entry);
      }
    } finally {
      await current.end();
    }
    if (signal.aborted) return;
    files.endScan();
    watcher.endScan();
    const { found, registered, waiting } = current.counts;
    isEmptied = found === 0 && journal.size() > 0 && (await readdir(folder)).length === 0;
    counts = { registered, waiting };
    scannedAt = new Date().toISOString();
  }

  function startScan(root: BytePath, journal: Journal) {
    let newFiles = 0;

    function onRegistered({ displayPath }: FileEntry, { outcome }: FingerprintResult): void {
      counts = { registered: counts.registered + 1, waiting: Math.max(0, counts.waiting - 1) };
      if (outcome !== 'registered') return;
      lastRegistration = { path: displayPath, at: new Date().toISOString() };
      newFiles += 1;
      if (newFiles <= MAX_LOGGED_FILES) log(`Registered ${displayPath}`);
    }

    files.startScan();
    const current = createFolderScan({
      ...{ root, settings, journal, journals, files, connection, limitSessions, signal, log, onRegistered },
      createComputer() {
        codeComputer ??= createCodeComputer(signal, (message) => log(`${folder}: ${message}`));
        return codeComputer;
      },
      mayRegister: () => !isPaused(),
      onProblem() {
        counts = { ...counts, waiting: Math.max(0, counts.waiting - 1) };
      },
    });
    return {
      counts: current.counts,
      processEntry: current.processEntry,
      async end(): Promise<void> {
        const session = await current.end();
        if (newFiles > MAX_LOGGED_FILES) log(`Registered ${newFiles} files in ${folder}`);
        if (session?.stopController.reason) await handleStop(session.stopController.reason, session);
        else if (session || current.counts.waiting === 0) endPause('quota', 'mark', 'journal');
      },
    };
  }

  async function handleStop(reason: StopReason, { client, mark }: RegistrationSession): Promise<void> {
    if (reason === INTERRUPTED) return;
    if (reason instanceof JournalError) {
      await closeJournal();
      return pauseForJournal(reason.problem);
    }
    if (reason.code === 'UNAUTHORIZED' || reason.code === 'UNREACHABLE') return connection.report(reason);
    const resetsAt = reason.code === 'TIER_RESTRICTION' ? await findDailyReset(client, mark) : undefined;
    const retryAtMs = resetsAt === undefined ? Date.now() + REFUSAL_RETRY_MS : Date.parse(resetsAt);
    setPause(QUOTA_CODES.has(reason.code) ? 'quota' : 'mark', reason.message, retryAtMs);
  }

  /** Time until the next scan, if nothing changes before. */
  function nextScanMs(): number {
    const pauses = [pause, counts.waiting > 0 ? connection.pause() : undefined];
    const retries = pauses.flatMap((one) => (one?.retryAt ? [Date.parse(one.retryAt) - Date.now()] : []));
    return Math.max(0, Math.min(RESCAN_INTERVAL_MS, files.dueAtMs() - performance.now(), ...retries));
  }

  async function scanSafely(): Promise<void> {
    try {
      await scan();
    } catch (error) {
      // What is not foreseen must not end the other folders.
      setPause('folder', (await toCommandError(error)).message, Date.now() + FOLDER_RETRY_MS);
    }
  }

  return {
    /** Resolves after `stop`, when pending requests are finished. */
    async run(): Promise<void> {
      while (!signal.aborted) {
        const startedAt = performance.now();
        await scanSafely();
        const endedAt = performance.now();
        const restedAt = endedAt + Math.min((endedAt - startedAt) * REST_PER_SCAN, MAX_REST_MS);
        await watcher.waitForChange(nextScanMs());
        await delay(Math.max(0, restedAt - performance.now()), undefined, { signal }).catch(() => {});
      }
      watcher.close();
      await closeJournal();
    },
    stop: () => stop.abort(),
    /** Scans at once: the connection is back. */
    wake: () => watcher.markChanged(),
    /** Scans at once, and tries again what failed. */
    retrySoon({ hasNewSettings }: { readonly hasNewSettings: boolean }): void {
      files.retryAll();
      if (pause && (hasNewSettings || pause.code !== 'mark')) pause = { ...pause, retryAt: new Date().toISOString() };
      watcher.markChanged();
    },
    journal: () => opened?.journal,
    state(): FolderState {
      const failure = watcher.failure();
      const notices = [
        ...(isEmptied ? ['The folder is empty, but files of it were registered. Is its drive mounted?'] : []),
        ...(failure === undefined ? [] : [watchFailureNotice(failure)]),
      ];
      const progress = { ...counts, ...files.summarize(), pause: pause ?? null, notices, scannedAt, lastRegistration };
      return { folder, ...settings, ...progress };
    },
  };
}

function watchFailureNotice(reason: string): string {
  return `Some folders cannot be watched (${reason}). Changes in them are found within minutes.`;
}
