// One scan of a watched folder: decides about each file that the walk finds, and registers those that are complete.

import type { WatchedFolder as WatchedFolderSettings } from '../configSchema.js';
import type { createCodeComputer } from '../register/codeComputer.js';
import type { Journal } from '../register/journal.js';
import { type FingerprintResult, hasLookalikes } from '../register/stats.js';
import { INTERRUPTED } from '../register/stopController.js';
import type { BytePath } from '../walk/paths.js';
import { type FileEntry, isSameIdentity, type WalkEntry } from '../walk/walk.js';
import type { Connection } from './connection.js';
import type { FileStates } from './fileStates.js';
import { createMovedFileFinder } from './movedFiles.js';
import { findFilesOpenForWriting } from './openFiles.js';
import { createRegistrationSession, type RegistrationSession } from './registrationSession.js';

export interface FolderScanOptions {
  readonly root: BytePath;
  readonly settings: WatchedFolderSettings;
  readonly journal: Journal;
  /** The journals of all watched folders. */
  readonly journals: () => Iterable<Journal>;
  readonly files: FileStates;
  readonly connection: Connection;
  readonly createComputer: () => ReturnType<typeof createCodeComputer>;
  readonly limitSessions: <T>(work: () => Promise<T>) => Promise<T>;
  readonly mayRegister: () => boolean;
  /** Ends the registrations of the scan, but not those under way. */
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Called with each file that is registered, by this scan or before. */
  readonly onRegistered: (file: FileEntry, result: FingerprintResult) => void;
  readonly onProblem: () => void;
}

const CHAIN_FAILURE = { outcome: 'failed', reason: 'The chain refused the registration.' } as const;

export type FolderScan = ReturnType<typeof createFolderScan>;

export function createFolderScan(options: FolderScanOptions) {
  const { root, settings, journal, files, connection, signal, log } = options;
  const counts = { found: 0, registered: 0, waiting: 0 };
  const findMoved = createMovedFileFinder(options.journals);
  let openFiles: ReadonlySet<BytePath> | undefined;
  let starting: Promise<void> | undefined;
  let session: RegistrationSession | undefined;
  let releaseSlot = () => {};
  const interrupt = () => session?.stopController.stop(INTERRUPTED);
  signal.addEventListener('abort', interrupt);

  async function processFile(file: FileEntry): Promise<void> {
    const record = journal.get(file.path);
    if (record?.registered && isSameIdentity(record.identity, file.identity)) {
      counts.registered += 1;
      return;
    }
    if (files.hasProblem(file)) return;
    counts.waiting += 1;
    if (!files.isQuiet(file)) return;
    openFiles ??= findFilesOpenForWriting(root);
    if (openFiles.has(file.path)) return files.addOpenFile();
    starting ??= startSession();
    await starting;
    if (session && !session.stopController.reason) await session.registrar.add(file);
  }

  /** Starts a session; files wait until there is one. */
  async function startSession(): Promise<void> {
    if (!options.mayRegister()) return;
    await takeSlot();
    const open = signal.aborted ? undefined : await connection.open();
    if (!open) return;
    const computeCodes = await options.createComputer();
    session = createRegistrationSession({ connection: open, settings, journal, computeCodes, findMoved, onResult });
    if (signal.aborted) interrupt();
  }

  /** Waits until few enough folders register files. */
  function takeSlot(): Promise<void> {
    return new Promise((resolve) => {
      void options.limitSessions(() => {
        resolve();
        return new Promise<void>((release) => {
          releaseSlot = release;
        });
      });
    });
  }

  function onResult(file: FileEntry, result: FingerprintResult): void {
    counts.waiting -= 1;
    const isRegistered = result.outcome === 'registered' || result.outcome === 'yours';
    if (isRegistered && result.status !== 'failed') addRegistered(file, result);
    else addProblem(file, isRegistered ? CHAIN_FAILURE : result);
  }

  function addRegistered(file: FileEntry, result: FingerprintResult): void {
    counts.registered += 1;
    files.removeProblem(file);
    options.onRegistered(file, result);
    if (hasLookalikes(result)) log(`${file.displayPath}: looks like an older file of another Mark.`);
  }

  function addProblem(file: FileEntry, result: FingerprintResult): void {
    const { isNew, reason } = files.addProblem(file, result);
    options.onProblem();
    if (isNew) log(`${file.displayPath}: ${reason}`);
  }

  return {
    counts,
    async processEntry(entry: WalkEntry): Promise<void> {
      if (entry.kind === 'skipped') return;
      counts.found += 1;
      if (entry.kind === 'file') await processFile(entry);
      else files.addUnreadable(entry);
    },
    /** Resolves when all files have a result, with the session if there was one. */
    async end(): Promise<RegistrationSession | undefined> {
      await session?.registrar.drain();
      signal.removeEventListener('abort', interrupt);
      releaseSlot();
      return session;
    },
  };
}
