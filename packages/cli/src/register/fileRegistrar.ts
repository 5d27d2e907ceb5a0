// Registers files: takes each fingerprint from the journal or hashes the file, sends it to the service, and records the
// result in the journal. Hashing and requests overlap, with a limit on the number of files in progress.

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { FileChangedError, hashFile } from '@provenance-registry/client/node';
import { type Fingerprint, limitConcurrency } from '@provenance-registry/core';
import { systemReason } from '../errors.js';
import { openRealFile } from '../walk/openFile.js';
import { type FileEntry, type FileIdentity, isSameIdentity, readFileIdentity } from '../walk/walk.js';
import { type Journal, JournalError, type JournalRecord, type RegistrationCodes } from './journal.js';
import type { RegisterOptions } from './options.js';
import { createRegistrationApi, type RegistrationApi, type RegistrationApiOptions } from './registrationApi.js';
import type { FingerprintResult, RunStats } from './stats.js';
import { RunStoppedError, type StopController } from './stopController.js';

export interface FileRegistrarOptions extends Partial<Pick<RegisterOptions, 'dryRun' | 'wait' | 'versions'>> {
  readonly api: RegistrationApi;
  readonly journal: Journal;
  readonly stopController: StopController;
  readonly stats: RunStats;
  readonly concurrency: number;
  /** Undefined if no codes are sent. */
  readonly computeCodes?: ((handle: FileHandle) => Promise<RegistrationCodes>) | undefined;
  /** The record of the same file under an earlier name, which need not be hashed again. */
  readonly findMoved?: ((identity: FileIdentity) => JournalRecord | undefined) | undefined;
  /** A file that changes during every attempt is given up. */
  readonly hashAttempts?: number;
  /** Called with each result that is added to the stats. */
  readonly onResult?: ((file: FileEntry, result: FingerprintResult) => void) | undefined;
}

type RegistrarOptions = Omit<FileRegistrarOptions, 'api'> & Omit<RegistrationApiOptions, 'sendsCodes'>;

/** Creates a registrar that sends files to the service, with their codes if it gets a function that computes them. */
export function createRegistrar(options: RegistrarOptions): FileRegistrar {
  const api = createRegistrationApi({ ...options, sendsCodes: options.computeCodes !== undefined });
  return new FileRegistrar({ ...options, api });
}

/** More parallel reads make a disk seek back and forth. */
const PARALLEL_HASHES = 4;
/** Each keeps a file open. */
const PARALLEL_CODES = 8;
/** Files that are hashed ahead for each parallel request, so that no request waits for a disk. */
const HASHED_AHEAD_PER_REQUEST = 3;
const HASH_ATTEMPTS = 2;

export class FileRegistrar {
  readonly #limitHashing = createLimit(PARALLEL_HASHES);
  readonly #limitCodes = createLimit(PARALLEL_CODES);
  readonly #limitLookups: ReturnType<typeof createLimit>;
  readonly #limitWaiting: ReturnType<typeof createLimit>;
  /** One request for all files of the same content. Once registered, the journal has the result. */
  readonly #pendingRequests = new Map<Fingerprint, Promise<FingerprintResult>>();
  readonly #filesInProgress = new Set<Promise<void>>();
  readonly #filesAwaitingChain = new Set<Promise<void>>();
  #announceRoom = () => {};

  constructor(private readonly options: FileRegistrarOptions) {
    this.#limitLookups = createLimit(options.concurrency);
    this.#limitWaiting = createLimit(options.concurrency);
  }

  /** Starts a file, and resolves when there is room for another. The result is added to the stats. */
  async add(file: FileEntry): Promise<void> {
    this.#track(this.#filesInProgress, file, () => this.#processFile(file));
    while (this.#filesInProgress.size >= this.#maxInProgress()) {
      await new Promise<void>((resolve) => {
        this.#announceRoom = resolve;
      });
    }
  }

  /** Resolves when all added files have a result. */
  async drain(): Promise<void> {
    while (this.#filesInProgress.size + this.#filesAwaitingChain.size > 0) {
      await Promise.all([...this.#filesInProgress, ...this.#filesAwaitingChain]);
    }
  }

  async #processFile(file: FileEntry): Promise<void> {
    const { api, wait, dryRun } = this.options;
    const record = await this.#readOrCreateRecord(file);
    const result = await this.#registerOnce(file, record);
    if (!wait || dryRun || !isUnconfirmed(result)) return this.#completeFile(file, record, result);
    // Recorded before waiting, so that a crash does not lose it.
    this.#saveResult(file, record, result);
    this.#track(this.#filesAwaitingChain, file, async () => {
      this.#completeFile(file, record, await this.#limitWaiting(() => api.waitForChain(record.fingerprint, result)));
    });
  }

  async #readOrCreateRecord(file: FileEntry): Promise<JournalRecord> {
    const { journal, stats, versions } = this.options;
    const earlier = journal.get(file.path);
    if (earlier && isSameIdentity(earlier.identity, file.identity)) {
      stats.fromJournal += 1;
      stats.addBytes(file.identity.size);
      return this.#withCodes(file, earlier);
    }
    const hashed = this.#findMovedFile(file) ?? (await this.#hashOnce(file));
    const isNewVersion = versions && earlier?.registered && earlier.fingerprint !== hashed.fingerprint;
    const previous = isNewVersion && { previousFingerprint: earlier.fingerprint };
    const record = { ...hashed, idempotencyKey: randomUUID(), ...previous };
    const complete = await this.#withCodes(file, record);
    if (complete !== record) return complete;
    journal.append(file.path, record);
    await journal.sync();
    return record;
  }

  async #hashOnce(file: FileEntry): Promise<HashedFile> {
    const hashed = await this.#limitHashing(() => hashStableFile(file, this.options));
    this.options.stats.hashed += 1;
    return hashed;
  }

  /** Finds the entry without its key, which stands for a request with the earlier name. */
  #findMovedFile({ identity }: FileEntry): HashedFile | undefined {
    const moved = this.options.findMoved?.(identity);
    return moved && { identity, fingerprint: moved.fingerprint, registered: moved.registered };
  }

  /** Adds the codes to a record that needs them, and saves it: a repeated request must not have other ones. */
  async #withCodes(file: FileEntry, record: JournalRecord): Promise<JournalRecord> {
    const { journal, computeCodes, stopController } = this.options;
    const { fingerprint, registered, codes, identity } = record;
    const isRegistered = registered ?? journal.findRegistered(fingerprint);
    if (!computeCodes || codes || isRegistered || this.#pendingRequests.has(fingerprint)) return record;
    stopController.signal.throwIfAborted();
    const computed = await this.#limitCodes(() => readUnchanged(file, identity, computeCodes));
    const complete = { ...record, codes: computed };
    journal.append(file.path, complete);
    await journal.sync();
    return complete;
  }

  async #registerOnce(file: FileEntry, record: JournalRecord): Promise<FingerprintResult> {
    const { journal, dryRun, api } = this.options;
    const { fingerprint } = record;
    const registered = record.registered ?? journal.findRegistered(fingerprint);
    if (registered) {
      return { outcome: 'yours', artifactId: registered.id, ...(registered.submitted && { status: 'submitted' }) };
    }
    const shared = this.#pendingRequests.get(fingerprint);
    if (shared) return toCopyResult(await shared);
    const request = dryRun ? this.#lookUp(fingerprint) : api.register(file.path, record);
    this.#pendingRequests.set(fingerprint, request);
    return request;
  }

  #lookUp(fingerprint: Fingerprint): Promise<FingerprintResult> {
    return this.#limitLookups(async () => {
      this.options.stopController.signal.throwIfAborted();
      return this.options.api.lookUp(fingerprint);
    });
  }

  #completeFile(file: FileEntry, record: JournalRecord, result: FingerprintResult): void {
    this.#saveResult(file, record, result);
    this.#addResult(file, result, record.fingerprint);
  }

  #addResult(file: FileEntry, result: FingerprintResult, fingerprint?: Fingerprint): void {
    this.options.stats.addResult({ path: file.displayPath, ...(fingerprint && { fingerprint }), ...result });
    this.options.onResult?.(file, result);
  }

  /** A journal error stops the run, but the file still gets its result. */
  #saveResult(file: FileEntry, record: JournalRecord, result: FingerprintResult): void {
    try {
      this.#updateJournal(file, record, result);
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.options.stopController.stop(error);
    }
  }

  #updateJournal(file: FileEntry, record: JournalRecord, result: FingerprintResult): void {
    const { journal } = this.options;
    const { outcome, artifactId, status } = result;
    const submitted = status === 'submitted';
    const isRegistered = (outcome === 'registered' || outcome === 'yours') && artifactId !== undefined;
    const isChanged = record.registered?.id !== artifactId || record.registered?.submitted !== submitted;
    if (isRegistered && isChanged) {
      // Codes are not needed any more, and would fill the memory of the next run.
      journal.append(file.path, { ...record, codes: undefined, registered: { id: artifactId, submitted } });
    }
    if (isRegistered || outcome === 'failed') this.#pendingRequests.delete(record.fingerprint);
    if (status !== 'failed') return;
    journal.forgetRegistered(record.fingerprint);
    // A request with the old key would return the failed Artifact again.
    journal.append(file.path, { ...record, idempotencyKey: randomUUID(), registered: undefined });
  }

  /** Whatever happens, the stats count the file in the end. */
  #track(files: Set<Promise<void>>, file: FileEntry, work: () => Promise<void>): void {
    const tracked = work()
      .catch((error: unknown) => {
        if (error instanceof JournalError) this.options.stopController.stop(error);
        if (error instanceof JournalError || error instanceof RunStoppedError) this.options.stats.remaining += 1;
        else this.#addResult(file, { outcome: 'failed', reason: failureReason(error) });
      })
      .finally(() => {
        files.delete(tracked);
        this.#announceRoom();
      });
    files.add(tracked);
  }

  #maxInProgress(): number {
    const batchSize = this.options.api.batchSize?.() ?? 1;
    return this.options.concurrency * (batchSize + Math.max(batchSize, HASHED_AHEAD_PER_REQUEST));
  }
}

/** Registered, but not known to be confirmed on chain. */
function isUnconfirmed({ outcome, status }: FingerprintResult): boolean {
  return (outcome === 'registered' || outcome === 'yours') && status !== 'submitted';
}

/** The content was registered with the first of several equal files. */
function toCopyResult(result: FingerprintResult): FingerprintResult {
  return result.outcome === 'registered' ? { ...result, outcome: 'yours' } : result;
}

function createLimit(maxParallel: number) {
  return limitConcurrency(maxParallel, Number.POSITIVE_INFINITY, () => new Error('the queue is unlimited'));
}

type HashedFile = Pick<JournalRecord, 'fingerprint' | 'identity' | 'registered'>;

/** Hashes the file again if it changed while it was read. */
async function hashStableFile(file: FileEntry, options: FileRegistrarOptions): Promise<HashedFile> {
  const { stats, hashAttempts = HASH_ATTEMPTS } = options;
  const { signal } = options.stopController;
  let identity = file.identity;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    let readBytes = 0;
    const onProgress = ({ bytes }: { readonly bytes: number }) => {
      stats.addBytes(bytes - readBytes);
      readBytes = bytes;
    };
    try {
      const { fingerprint } = await readUnchanged(file, identity, (handle) => hashFile(handle, { signal, onProgress }));
      return { fingerprint, identity };
    } catch (error) {
      stats.addBytes(-readBytes);
      if (!(error instanceof FileChangedError) || attempt >= hashAttempts) throw error;
    }
    identity = await readFileIdentity(file);
  }
}

/** Rejects with FileChangedError unless the file has this identity, before and after it is read. */
async function readUnchanged<T>(
  file: FileEntry,
  identity: FileIdentity,
  read: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const opened = await openRealFile(file.target ?? file.path);
  try {
    if (!isSameIdentity(identity, opened.identity)) throw new FileChangedError(FILE_CHANGED_REASON);
    const result = await read(opened.handle);
    if (!isSameIdentity(identity, await readFileIdentity(file))) throw new FileChangedError(FILE_CHANGED_REASON);
    return result;
  } finally {
    await opened.handle.close();
  }
}

const FILE_CHANGED_REASON = 'the file changed while it was being read';

function failureReason(error: unknown): string {
  return error instanceof FileChangedError ? FILE_CHANGED_REASON : systemReason(error);
}
