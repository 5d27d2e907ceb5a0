// The progress of a run on disk, so that an interrupted run continues: an append-only file with one JSON record per line;
// the last record of a path counts. A record is on disk before its fingerprint is sent, so that a request whose response
// was lost is repeated with the same idempotency key.

import { createHash } from 'node:crypto';
import { appendFileSync, ftruncateSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Chromaprint, type Fingerprint, FingerprintText, imageHashFields } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { CommandError, systemReason } from '../errors.js';
import { userFolder } from '../files.js';
import type { Environment } from '../processIo.js';
import { type BytePath, toText } from '../walk/paths.js';
import type { FileIdentity } from '../walk/walk.js';
import { acquireLock } from './lock.js';

const Digits = Type.String({ pattern: '^-?\\d{1,20}$' });

const RegisteredArtifact = Type.Object({
  id: Type.String(),
  submitted: Type.Boolean({ description: 'Whether it is known to be confirmed on chain.' }),
});
export type RegisteredArtifact = Static<typeof RegisteredArtifact>;

const RegistrationCodes = Type.Partial(Type.Object({ ...imageHashFields, chromaprint: Chromaprint }));
/** Perceptual hashes by which look-alikes are found; empty if the file has none. */
export type RegistrationCodes = Static<typeof RegistrationCodes>;

const JournalLine = Type.Object({
  path: Type.String({ description: 'One character per byte: names need not be UTF-8.' }),
  size: Type.Integer(),
  mtimeNs: Digits,
  ino: Digits,
  birth: Type.Optional(Digits),
  fingerprint: FingerprintText('Of the file with this size, time and inode.'),
  key: Type.String({ description: 'The idempotency key.' }),
  previous: Type.Optional(FingerprintText('The previous version, if it is registered as a new one.')),
  codes: Type.Optional(RegistrationCodes),
  registered: Type.Optional(RegisteredArtifact),
});

export interface JournalRecord {
  readonly identity: FileIdentity;
  readonly fingerprint: Fingerprint;
  readonly idempotencyKey: string;
  readonly previousFingerprint?: Fingerprint | undefined;
  /** Undefined until they are needed. Saved with the key, which stands for one exact request. */
  readonly codes?: RegistrationCodes | undefined;
  readonly registered?: RegisteredArtifact | undefined;
}

export type Journal = ReturnType<typeof createJournal>;

export class JournalError extends CommandError {
  override readonly name = 'JournalError';

  /** The problem, without the advice that a run adds. */
  readonly problem: string;

  constructor(path: string, cause: unknown) {
    const problem = `Cannot write the journal ${path}: ${systemReason(cause)}.`;
    const advice = 'Use --no-journal to run without one; an interrupted run then starts over.';
    super('JOURNAL_PROBLEM', 3, `${problem} ${advice}`, { cause });
    this.problem = problem;
  }
}

/** Pause between two disk syncs. Files are hashed ahead, so that no request waits for it. */
const SYNC_PAUSE_MS = 50;
const READ_CHUNK_BYTES = 2 ** 20;
const NEWLINE = 0x0a;

/** Path in the user's own folder, because the registered folders may be read-only. */
export function journalFolder(env: Environment): string {
  return join(userFolder(env, 'XDG_STATE_HOME', '.local/state'), 'provenance', 'register');
}

/** There is one journal for each scope. */
export interface JournalScope {
  readonly url: string;
  readonly markId: string;
  readonly folder: BytePath;
}

export interface JournalOptions {
  /** Whether `get` returns records of this run, which costs memory. */
  readonly readsOwnWrites: boolean;
}

/** Locks the journal until it is closed. */
export async function openJournal(folder: string, scope: JournalScope, options: JournalOptions): Promise<Journal> {
  const { url, markId } = scope;
  const name = createHash('sha256').update([url, markId, scope.folder].join('\0')).digest('hex').slice(0, 32);
  const path = join(folder, `${name}.jsonl`);
  const releaseLock = await acquireLock(
    path,
    `Another run is already registering ${toText(scope.folder)} under this Mark. Wait for it to finish, or stop it.`,
  );
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(path, 'a+', 0o600);
    const records = new Map<BytePath, JournalRecord>();
    const length = await readRecords(file, records);
    // Remove the incomplete line that a crash may have left.
    await file.truncate(length);
    const writer = createWriter(file, path, length);
    // A header for humans who open the file.
    if (length === 0) writer.append(`${JSON.stringify({ url, markId, folder: toText(scope.folder) })}\n`);
    return createJournal(records, options, writer, async () => {
      // Records lost here are only requested again, with the same key.
      await file.datasync().catch(() => {});
      await file.close();
      await releaseLock();
    });
  } catch (error) {
    await releaseLock();
    throw error instanceof JournalError ? error : new JournalError(path, error);
  }
}

/** Journal for `--no-journal`: nothing outlives the run. */
export function createMemoryJournal(options: JournalOptions): Journal {
  return createJournal(new Map(), options, { append: () => {}, sync: async () => {} }, async () => {});
}

function createJournal(
  records: Map<BytePath, JournalRecord>,
  { readsOwnWrites }: JournalOptions,
  { append, sync }: JournalWriter,
  close: () => Promise<void>,
) {
  const registeredByFingerprint = new Map<Fingerprint, RegisteredArtifact>();
  const indexRecord = ({ fingerprint, registered }: JournalRecord) => {
    if (registered) registeredByFingerprint.set(fingerprint, registered);
  };
  for (const record of records.values()) indexRecord(record);
  return {
    /** The record of an earlier run; with `readsOwnWrites` the latest one. */
    get: (path: BytePath) => records.get(path),
    /** All records that `get` returns. */
    records: (): Iterable<JournalRecord> => records.values(),
    /** Number of files with a record. */
    size: () => records.size,
    /** The Artifact of any file with this content. */
    findRegistered: (fingerprint: Fingerprint) => registeredByFingerprint.get(fingerprint),
    /** Forgets a registration that has failed on chain. */
    forgetRegistered: (fingerprint: Fingerprint) => registeredByFingerprint.delete(fingerprint),
    /** Survives a crash of the process when it returns. After one failure every call fails. */
    append(path: BytePath, record: JournalRecord): void {
      if (readsOwnWrites) records.set(path, record);
      indexRecord(record);
      append(encodeLine(path, record));
    },
    /** Resolves when all appended records survive a crash of the machine. */
    sync,
    close,
  };
}

type JournalWriter = ReturnType<typeof createWriter>;

/** Fails for good after the first failure. */
function createWriter(file: FileHandle, path: string, initialLength: number) {
  let length = initialLength;
  let failure: JournalError | undefined;
  let pauseAfterSync = Promise.resolve();
  let nextSync: Promise<void> | undefined;

  function fail(error: unknown): never {
    failure ??= new JournalError(path, error);
    throw failure;
  }

  function append(line: string): void {
    if (failure) throw failure;
    try {
      // Only copies to the page cache: faster than the thread pool.
      appendFileSync(file.fd, line);
      length += Buffer.byteLength(line);
    } catch (error) {
      tryTruncate(file.fd, length);
      fail(error);
    }
  }

  async function startSync(): Promise<void> {
    nextSync = undefined;
    const synced = file.datasync().catch(fail);
    pauseAfterSync = synced.then(
      () => delay(SYNC_PAUSE_MS),
      () => {},
    );
    await synced;
    if (failure) throw failure;
  }

  return {
    append,
    /** Resolves when everything appended before is on disk. */
    sync(): Promise<void> {
      nextSync ??= pauseAfterSync.then(startSync);
      return nextSync;
    },
  };
}

/** If this fails too, the next run ignores the incomplete line. */
function tryTruncate(fd: number, length: number): void {
  try {
    ftruncateSync(fd, length);
  } catch {}
}

/** Returns the length of the complete lines in bytes. */
async function readRecords(file: FileHandle, records: Map<BytePath, JournalRecord>): Promise<number> {
  const chunk = Buffer.alloc(READ_CHUNK_BYTES);
  let length = 0;
  let rest = Buffer.alloc(0);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, READ_CHUNK_BYTES, length + rest.length);
    if (bytesRead === 0) return length;
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      const entry = decodeLine(rest.toString('utf8', start, end));
      if (entry) records.set(...entry);
      start = end + 1;
    }
    length += start;
    rest = rest.subarray(start);
  }
}

function encodeLine(path: BytePath, record: JournalRecord): string {
  const { identity, fingerprint, idempotencyKey: key, previousFingerprint: previous, codes, registered } = record;
  const { size, mtimeNs, ino, birthtimeNs } = identity;
  const line = {
    path,
    size,
    mtimeNs: String(mtimeNs),
    ino: String(ino),
    birth: birthtimeNs === undefined ? undefined : String(birthtimeNs),
    fingerprint,
    key,
    previous,
    codes,
    registered,
  };
  return `${JSON.stringify(line)}\n`;
}

/** Undefined for an invalid line: its file is hashed again, which does no harm. */
function decodeLine(text: string): [BytePath, JournalRecord] | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!Value.Check(JournalLine, line)) return undefined;
    const { path, size, mtimeNs, ino, birth, fingerprint, key, previous, codes, registered } = line;
    const birthtimeNs = birth === undefined ? undefined : BigInt(birth);
    const identity = { size, mtimeNs: BigInt(mtimeNs), ino: BigInt(ino), birthtimeNs };
    return [path, { identity, fingerprint, idempotencyKey: key, previousFingerprint: previous, codes, registered }];
  } catch {
    return undefined;
  }
}
