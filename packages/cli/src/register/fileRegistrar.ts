// Registers files: takes each fingerprint from the journal or hashes the file, sends it to the service, and records the
// result in the journal. Hashing and requests overlap, with a limit on the number of files in progress.

import { randomUUID } from 'node:crypto';
import { FileChangedError, hashFile } from '@provenance-registry/client/node';
import { type Fingerprint, limitConcurrency } from '@provenance-registry/core';
import { systemReason } from '../errors.js';
import { type BytePath, toBytes } from '../walk/paths.js';
import { type FileEntry, type FileIdentity, isSameIdentity, readFileIdentity } from '../walk/walk.js';
import { type Journal, JournalError, type JournalRecord, type RegistrationCodes } from './journal.js';
import type { RegisterOptions } from './options.js';
import type { RegistrationApi } from './registrationApi.js';
import type { FingerprintResult, RunStats } from './stats.js';
import { RunStoppedError, type StopController } from './stopController.js';

export interface FileRegistrarOptions extends Pick<RegisterOptions, 'dryRun' | 'wait' | 'versions'> {
  readonly api: RegistrationApi;
  readonly journal: Journal;
  readonly stopController: StopController;
  readonly stats: RunStats;
  readonly concurrency: number;
  /** Undefined if no codes are sent. */
  readonly computeCodes?: ((path: BytePath) => Promise<RegistrationCodes>) | undefined;
  /** The record of the same file under an earlier name, which need not be hashed again. */
  readonly findMoved?: ((identity: FileIdentity) => JournalRecord | undefined) | undefined;
  /** A file that changes during every attempt is given up. */
  readonly hashAttempts?: number;
  /** Called with each result that is added to the stats. */
  readonly onResult?: ((file: FileEntry, result: FingerprintResult) => void) | undefined;
}

export type FileRegistrar = ReturnType<typeof createFileRegistrar>;

/** More parallel reads make a disk seek back and forth. */
const PARALLEL_HASHES = 4;
/** Files that are hashed ahead for each parallel request, so that no request waits for a disk. */
const HASHED_AHEAD_PER_REQUEST = 3;
const HASH_ATTEMPTS = 2;

export function createFileRegistrar(options: FileRegistrarOptions) {
  const { api, journal, stopController, stats, concurrency, dryRun, wait, versions, computeCodes } = options;
  const { findMoved, hashAttempts = HASH_ATTEMPTS, onResult } = options;
  const limitHashing = createLimit(PARALLEL_HASHES);
  const limitLookups = createLimit(concurrency);
  const limitWaiting = createLimit(concurrency);
  /** One request for all files of the same content. Once registered, the journal has the result. */
  const pendingRequests = new Map<Fingerprint, Promise<FingerprintResult>>();
  const filesInProgress = new Set<Promise<void>>();
  const filesAwaitingChain = new Set<Promise<void>>();
  let announceRoom = () => {};

  async function processFile(file: FileEntry): Promise<void> {
    const record = await readOrCreateRecord(file);
    const result = await registerOnce(file, record);
    if (!wait || dryRun || !isUnconfirmed(result)) return completeFile(file, record, result);
    // Recorded before waiting, so that a crash does not lose it.
    saveResult(file, record, result);
    track(filesAwaitingChain, file, async () => {
      completeFile(file, record, await limitWaiting(() => api.waitForChain(record.fingerprint, result)));
    });
  }

  async function readOrCreateRecord(file: FileEntry): Promise<JournalRecord> {
    const earlier = journal.get(file.path);
    if (earlier && isSameIdentity(earlier.identity, file.identity)) {
      stats.fromJournal += 1;
      stats.addBytes(file.identity.size);
      return withCodes(file, earlier);
    }
    const hashed = findMovedFile(file) ?? (await hashOnce(file));
    const isNewVersion = versions && earlier?.registered && earlier.fingerprint !== hashed.fingerprint;
    const record = {
      ...hashed,
      idempotencyKey: randomUUID(),
      ...(isNewVersion && { previousFingerprint: earlier.fingerprint }),
    };
    const complete = await withCodes(file, record);
    if (complete !== record) return complete;
    journal.append(file.path, record);
    await journal.sync();
    return record;
  }

  async function hashOnce(file: FileEntry): Promise<HashedFile> {
    const hashed = await limitHashing(() => hashStableFile(file, stats, hashAttempts, stopController.signal));
    stats.hashed += 1;
    return hashed;
  }

  /** Finds the entry without its key, which stands for a request with the earlier name. */
  function findMovedFile({ identity }: FileEntry): HashedFile | undefined {
    const moved = findMoved?.(identity);
    return moved && { identity, fingerprint: moved.fingerprint, registered: moved.registered };
  }

  /** Adds the codes to a record that needs them, and saves it: a repeated request must not have other ones. */
  async function withCodes(file: FileEntry, record: JournalRecord): Promise<JournalRecord> {
    const { fingerprint, registered, codes, identity } = record;
    const isRegistered = registered ?? journal.findRegistered(fingerprint);
    if (!computeCodes || codes || isRegistered || pendingRequests.has(fingerprint)) return record;
    stopController.signal.throwIfAborted();
    const complete = { ...record, codes: await computeCodes(file.path) };
    if (!isSameIdentity(identity, await readFileIdentity(file.path))) throw new FileChangedError(FILE_CHANGED_REASON);
    journal.append(file.path, complete);
    await journal.sync();
    return complete;
  }

  async function registerOnce(file: FileEntry, record: JournalRecord): Promise<FingerprintResult> {
    const { fingerprint } = record;
    const registered = record.registered ?? journal.findRegistered(fingerprint);
    if (registered) {
      return { outcome: 'yours', artifactId: registered.id, ...(registered.submitted && { status: 'submitted' }) };
    }
    const shared = pendingRequests.get(fingerprint);
    if (shared) return toCopyResult(await shared);
    const request = dryRun ? lookUp(fingerprint) : api.register(file.path, record);
    pendingRequests.set(fingerprint, request);
    return request;
  }

  function lookUp(fingerprint: Fingerprint): Promise<FingerprintResult> {
    return limitLookups(async () => {
      stopController.signal.throwIfAborted();
      return api.lookUp(fingerprint);
    });
  }

  function completeFile(file: FileEntry, record: JournalRecord, result: FingerprintResult): void {
    saveResult(file, record, result);
    addResult(file, result, record.fingerprint);
  }

  function addResult(file: FileEntry, result: FingerprintResult, fingerprint?: Fingerprint): void {
    stats.addResult({ path: file.displayPath, ...(fingerprint && { fingerprint }), ...result });
    onResult?.(file, result);
  }

  /** A journal error stops the run, but the file still gets its result. */
  function saveResult(file: FileEntry, record: JournalRecord, result: FingerprintResult): void {
    try {
      updateJournal(file, record, result);
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      stopController.stop(error);
    }
  }

  function updateJournal(file: FileEntry, record: JournalRecord, result: FingerprintResult): void {
    const { outcome, artifactId, status } = result;
    const submitted = status === 'submitted';
    const isRegistered = (outcome === 'registered' || outcome === 'yours') && artifactId !== undefined;
    const isChanged = record.registered?.id !== artifactId || record.registered?.submitted !== submitted;
    if (isRegistered && isChanged) {
      // Codes are not needed any more, and would fill the memory of the next run.
      journal.append(file.path, { ...record, codes: undefined, registered: { id: artifactId, submitted } });
    }
    if (isRegistered || outcome === 'failed') pendingRequests.delete(record.fingerprint);
    if (status !== 'failed') return;
    journal.forgetRegistered(record.fingerprint);
    // A request with the old key would return the failed Artifact again.
    journal.append(file.path, { ...record, idempotencyKey: randomUUID(), registered: undefined });
  }

  /** Whatever happens, the stats count the file in the end. */
  function track(files: Set<Promise<void>>, file: FileEntry, work: () => Promise<void>): void {
    const tracked = work()
      .catch((error: unknown) => {
        if (error instanceof JournalError) stopController.stop(error);
        if (error instanceof JournalError || error instanceof RunStoppedError) stats.remaining += 1;
        else addResult(file, { outcome: 'failed', reason: failureReason(error) });
      })
      .finally(() => {
        files.delete(tracked);
        announceRoom();
      });
    files.add(tracked);
  }

  function maxInProgress(): number {
    const batchSize = api.batchSize?.() ?? 1;
    return concurrency * (batchSize + Math.max(batchSize, HASHED_AHEAD_PER_REQUEST));
  }

  return {
    /** Starts a file, and resolves when there is room for another. The result is added to the stats. */
    async add(file: FileEntry): Promise<void> {
      track(filesInProgress, file, () => processFile(file));
      while (filesInProgress.size >= maxInProgress()) {
        await new Promise<void>((resolve) => {
          announceRoom = resolve;
        });
      }
    },
    /** Resolves when all added files have a result. */
    async drain(): Promise<void> {
      while (filesInProgress.size + filesAwaitingChain.size > 0) {
        await Promise.all([...filesInProgress, ...filesAwaitingChain]);
      }
    },
  };
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
async function hashStableFile(
  file: FileEntry,
  stats: RunStats,
  attempts: number,
  signal: AbortSignal,
): Promise<HashedFile> {
  let identity = file.identity;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    let readBytes = 0;
    const onProgress = ({ bytes }: { readonly bytes: number }) => {
      stats.addBytes(bytes - readBytes);
      readBytes = bytes;
    };
    try {
      const { fingerprint } = await hashFile(toBytes(file.path), { signal, onProgress });
      if (isSameIdentity(identity, await readFileIdentity(file.path))) return { fingerprint, identity };
      throw new FileChangedError(FILE_CHANGED_REASON);
    } catch (error) {
      stats.addBytes(-readBytes);
      if (!(error instanceof FileChangedError) || attempt >= attempts) throw error;
    }
    identity = await readFileIdentity(file.path);
  }
}

const FILE_CHANGED_REASON = 'the file changed while it was being read';

function failureReason(error: unknown): string {
  return error instanceof FileChangedError ? FILE_CHANGED_REASON : systemReason(error);
}
