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
import { createIgnoreRules, type IgnoreRules } from '../walk/ignoreRules.js';
import { type BytePath, toBytePath } from '../walk/paths.js';
import { type FileEntry, walk } from '../walk/walk.js';
import type { Connection } from './connection.js';
import { createFileStates } from './fileStates.js';
import { FolderPause } from './folderPause.js';
import { type FolderRoot, findFolderRoot } from './folderRoot.js';
import { createFolderScan, type FolderScan, type FolderScanOptions } from './folderScan.js';
import type { RegistrationSession } from './registrationSession.js';
import type { FolderState } from './state.js';

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

export class WatchedFolder {
  readonly #controller = new AbortController();
  readonly #signal = this.#controller.signal;
  readonly #watcher = createFolderWatcher(this.#signal, (reason) => this.#logWithName(watchFailureNotice(reason)));
  readonly #files = createFileStates();
  readonly #pause = new FolderPause((message) => this.#logWithName(message));
  readonly #rules: IgnoreRules;
  #opened: { readonly journal: Journal; readonly root: BytePath } | undefined;
  #codeComputer: ReturnType<typeof createCodeComputer> | undefined;
  #isEmptied = false;
  #lastRegistration: FolderState['lastRegistration'];
  #counts = { registered: 0, waiting: 0 };
  #newFilesOfScan = 0;
  #scannedAt: string | null = null;

  constructor(private readonly options: WatchedFolderOptions) {
    this.#rules = createIgnoreRules(options.settings.ignore);
    this.#lastRegistration = options.lastRegistration;
  }

  /** Resolves after `stop`, when pending requests are finished. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const startedAt = performance.now();
      await this.#scanSafely();
      const endedAt = performance.now();
      const restedAt = endedAt + Math.min((endedAt - startedAt) * REST_PER_SCAN, MAX_REST_MS);
      await this.#watcher.waitForChange(this.#nextScanMs());
      await delay(Math.max(0, restedAt - performance.now()), undefined, { signal: this.#signal }).catch(() => {});
    }
    this.#watcher.close();
    await this.#closeJournal();
  }

  stop(): void {
    this.#controller.abort();
  }

  /** Scans at once: the connection is back. */
  wake(): void {
    this.#watcher.markChanged();
  }

  /** Scans at once, and tries again what failed. */
  retrySoon(reason: { readonly hasNewSettings: boolean }): void {
    this.#files.retryAll();
    this.#pause.retrySoon(reason);
    this.#watcher.markChanged();
  }

  journal(): Journal | undefined {
    return this.#opened?.journal;
  }

  state(): FolderState {
    const { folder, settings } = this.options;
    const failure = this.#watcher.failure();
    const notices = [
      ...(this.#isEmptied ? ['The folder is empty, but files of it were registered. Is its drive mounted?'] : []),
      ...(failure === undefined ? [] : [watchFailureNotice(failure)]),
    ];
    const progress = { ...this.#counts, ...this.#files.summarize(), pause: this.#pause.current ?? null, notices };
    return { folder, ...settings, ...progress, scannedAt: this.#scannedAt, lastRegistration: this.#lastRegistration };
  }

  async #scanSafely(): Promise<void> {
    try {
      await this.#scan();
    } catch (error) {
      // What is not foreseen must not end the other folders.
      this.#pause.start('folder', (await toCommandError(error)).message, Date.now() + FOLDER_RETRY_MS);
    }
  }

  async #scan(): Promise<void> {
    const { folder, env } = this.options;
    const root = await this.#requireRoot();
    const journal = root && (await this.#requireJournal(root.path));
    if (!root || !journal) return;
    const paths = [{ path: folder, name: folder }];
    const excludedFolders = [toBytePath(journalFolder(env)), ...root.innerFolders];
    const current = this.#startScan(root.path, journal);
    try {
      for await (const entry of walk({ paths, rules: this.#rules, excludedFolders, onFolder: this.#watcher.add })) {
        if (this.#signal.aborted) break;
        await current.processEntry(entry);
      }
    } finally {
      await this.#endScan(current);
    }
    if (this.#signal.aborted) return;
    this.#files.endScan();
    this.#watcher.endScan();
    const { found, registered, waiting } = current.counts;
    this.#isEmptied = found === 0 && journal.size() > 0 && (await readdir(folder)).length === 0;
    this.#counts = { registered, waiting };
    this.#scannedAt = new Date().toISOString();
  }

  /** Undefined, with a pause, while it is not there. */
  async #requireRoot(): Promise<FolderRoot | undefined> {
    const root = await findFolderRoot(this.options.folder, this.options.allFolders());
    if (typeof root === 'string') {
      this.#pause.start('folder', `The folder cannot be watched: ${root}.`, Date.now() + FOLDER_RETRY_MS);
      return undefined;
    }
    this.#pause.end('folder');
    return root;
  }

  /** Undefined, with a pause, while it is in use or cannot be written. */
  async #requireJournal(root: BytePath): Promise<Journal | undefined> {
    if (this.#pause.current?.code === 'journal' && this.#pause.isActive()) return undefined;
    if (this.#opened?.root !== root) await this.#closeJournal();
    const { url, settings, env } = this.options;
    try {
      const scope = { url, markId: settings.mark, folder: root };
      this.#opened ??= { root, journal: await openJournal(journalFolder(env), scope, { readsOwnWrites: true }) };
      return this.#opened.journal;
    } catch (error) {
      const message = error instanceof JournalError ? error.problem : (await toCommandError(error)).message;
      this.#pause.start('journal', message, Date.now() + JOURNAL_RETRY_MS);
      return undefined;
    }
  }

  async #closeJournal(): Promise<void> {
    const { journal } = this.#opened ?? {};
    this.#opened = undefined;
    await journal?.close();
  }

  #startScan(root: BytePath, journal: Journal): FolderScan {
    this.#newFilesOfScan = 0;
    this.#files.startScan();
    return createFolderScan({
      ...{ ...this.options, root, journal, files: this.#files, signal: this.#signal },
      createComputer: () => {
        this.#codeComputer ??= createCodeComputer(this.#signal, (message) => this.#logWithName(message));
        return this.#codeComputer;
      },
      mayRegister: () => !this.#pause.isActive(),
      onRegistered: (file, result) => this.#addRegistered(file, result),
      onProblem: () => {
        this.#counts = { ...this.#counts, waiting: Math.max(0, this.#counts.waiting - 1) };
      },
    });
  }

  #addRegistered({ displayPath }: FileEntry, { outcome }: FingerprintResult): void {
    this.#counts = { registered: this.#counts.registered + 1, waiting: Math.max(0, this.#counts.waiting - 1) };
    if (outcome !== 'registered') return;
    this.#lastRegistration = { path: displayPath, at: new Date().toISOString() };
    this.#newFilesOfScan += 1;
    if (this.#newFilesOfScan <= MAX_LOGGED_FILES) this.options.log(`Registered ${displayPath}`);
  }

  async #endScan(current: FolderScan): Promise<void> {
    const { folder, log } = this.options;
    const session = await current.end();
    if (this.#newFilesOfScan > MAX_LOGGED_FILES) log(`Registered ${this.#newFilesOfScan} files in ${folder}`);
    if (session?.stopController.reason) await this.#handleStop(session.stopController.reason, session);
    else if (session || current.counts.waiting === 0) this.#pause.end('quota', 'mark', 'journal');
  }

  async #handleStop(reason: StopReason, { client, mark }: RegistrationSession): Promise<void> {
    if (reason === INTERRUPTED) return;
    if (reason instanceof JournalError) {
      await this.#closeJournal();
      return this.#pause.start('journal', reason.problem, Date.now() + JOURNAL_RETRY_MS);
    }
    if (reason.code === 'UNAUTHORIZED' || reason.code === 'UNREACHABLE') return this.options.connection.report(reason);
    const resetsAt = reason.code === 'TIER_RESTRICTION' ? await findDailyReset(client, mark) : undefined;
    const retryAtMs = resetsAt === undefined ? Date.now() + REFUSAL_RETRY_MS : Date.parse(resetsAt);
    this.#pause.start(QUOTA_CODES.has(reason.code) ? 'quota' : 'mark', reason.message, retryAtMs);
  }

  /** Time until the next scan, if nothing changes before. */
  #nextScanMs(): number {
    const pauses = [this.#pause.current, this.#counts.waiting > 0 ? this.options.connection.pause() : undefined];
    const retries = pauses.flatMap((one) => (one?.retryAt ? [Date.parse(one.retryAt) - Date.now()] : []));
    return Math.max(0, Math.min(RESCAN_INTERVAL_MS, this.#files.dueAtMs() - performance.now(), ...retries));
  }

  #logWithName(message: string): void {
    this.options.log(`${this.options.folder}: ${message}`);
  }
}

function watchFailureNotice(reason: string): string {
  return `Some folders cannot be watched (${reason}). Changes in them are found within minutes.`;
}
