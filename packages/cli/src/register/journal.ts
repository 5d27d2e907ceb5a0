// What a run must not forget when it is interrupted: for each file what it is, its fingerprint, the key it is sent with
// and what became of it. An append-only file, one record a line, the last one of a path counts. A fingerprint is on the
// disk before it is sent, so that a lost answer can be asked for again with the same key.

import { createHash } from 'node:crypto';
import { appendFileSync, ftruncateSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Fingerprint, FingerprintText } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Environment } from '../context.js';
import { CommandError, systemReason } from '../errors.js';
import { lock } from './lock.js';
import { type BytePath, textOf } from './paths.js';
import type { Identity } from './walk.js';

const Digits = Type.String({ pattern: '^-?\\d{1,20}$' });

const Registered = Type.Object({
  /** The Artifact. */
  id: Type.String(),
  /** Whether the chain has it for good, as far as that is known. */
  submitted: Type.Boolean(),
});
export type Registered = Static<typeof Registered>;

const Line = Type.Object({
  /** One character a byte: names need not be UTF-8. */
  path: Type.String(),
  size: Type.Integer(),
  mtimeNs: Digits,
  ino: Digits,
  fingerprint: FingerprintText('Of the file with this size, time and inode.'),
  key: Type.String({ description: 'The idempotency key.' }),
  previous: Type.Optional(FingerprintText('The version before, if it is sent as a new one.')),
  registered: Type.Optional(Registered),
});

export interface Kept {
  readonly identity: Identity;
  readonly fingerprint: Fingerprint;
  readonly key: string;
  readonly previous?: Fingerprint | undefined;
  readonly registered?: Registered | undefined;
}

export interface Journal {
  /** As it was before this run, unless the run looks at files again. */
  get(path: BytePath): Kept | undefined;
  /** Of any file with this content. */
  registeredAs(fingerprint: Fingerprint): Registered | undefined;
  /** What was registered with this content is not any more. */
  withdraw(fingerprint: Fingerprint): void;
  /** Outlives the process when it returns. After a failure every further one fails. */
  keep(path: BytePath, kept: Kept): void;
  /** Settles when all that was kept is on the disk, and outlives the machine too. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The journal cannot be read or written. */
export class JournalProblem extends CommandError {
  override readonly name = 'JournalProblem';

  constructor(path: string, error: unknown) {
    const reason = `The journal ${path} cannot be written: ${systemReason(error)}.`;
    super('JOURNAL_PROBLEM', 3, `${reason} With --no-journal it is not needed, and no run goes on after another.`, {
      cause: error,
    });
  }
}

/** Between two times that the disk is made to write: files are hashed so far ahead that nobody waits for it. */
const REST_MS = 50;
/** Some thousand records at a time. */
const READ_BYTES = 2 ** 20;
const NEWLINE = 0x0a;

/** Of all journals. In the user's own folder, because what is registered may lie where nothing can be written. */
export function journalFolder(env: Environment): string {
  const state = env['XDG_STATE_HOME'];
  // The XDG specification says that a relative path is to be ignored.
  const parent = state && isAbsolute(state) ? state : join(env['HOME'] || homedir(), '.local', 'state');
  return join(parent, 'provenance', 'register');
}

/** What a journal is about. */
export interface Subject {
  readonly url: string;
  readonly markId: string;
  readonly folder: BytePath;
}

export interface JournalOptions {
  /** Whether files are looked at again; what nobody asks for takes no memory. */
  readonly looksAgain: boolean;
}

/** Keeps other runs off it until it is closed. */
export async function openJournal(folder: string, subject: Subject, options: JournalOptions): Promise<Journal> {
  const { url, markId } = subject;
  const name = createHash('sha256').update([url, markId, subject.folder].join('\0')).digest('hex').slice(0, 32);
  const path = join(folder, `${name}.jsonl`);
  const unlock = await lock(path, textOf(subject.folder));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(path, 'a+', 0o600);
    const kept = new Map<BytePath, Kept>();
    const length = await readRecords(file, kept);
    // What a crash left of an unfinished line would spoil the next one.
    await file.truncate(length);
    const appended = appender(file, path, length);
    // For people who wonder what this file is about.
    if (length === 0) appended.append(`${JSON.stringify({ url, markId, folder: textOf(subject.folder) })}\n`);
    return journalOf(kept, options, appended, async () => {
      // What a broken disk loses of it is asked for again, with the same key.
      await file.datasync().catch(() => {});
      await file.close();
      await unlock();
    });
  } catch (error) {
    await unlock();
    throw error instanceof JournalProblem ? error : new JournalProblem(path, error);
  }
}

/** Nothing of it outlives the run. */
export function forgetfulJournal(options: JournalOptions): Journal {
  return journalOf(new Map(), options, { append: () => {}, sync: async () => {} }, async () => {});
}

function journalOf(
  kept: Map<BytePath, Kept>,
  { looksAgain }: JournalOptions,
  { append, sync }: Appender,
  close: () => Promise<void>,
): Journal {
  const byFingerprint = new Map<Fingerprint, Registered>();
  const remember = ({ fingerprint, registered }: Kept) => {
    if (registered) byFingerprint.set(fingerprint, registered);
  };
  for (const one of kept.values()) remember(one);
  return {
    get: (path) => kept.get(path),
    registeredAs: (fingerprint) => byFingerprint.get(fingerprint),
    withdraw: (fingerprint) => byFingerprint.delete(fingerprint),
    keep(path, one) {
      if (looksAgain) kept.set(path, one);
      remember(one);
      append(encode(path, one));
    },
    sync,
    close,
  };
}

interface Appender {
  /** Outlives the process from then on. */
  append(line: string): void;
  /** Settles when everything that was appended before is on the disk. */
  sync(): Promise<void>;
}

/** After a failure the same failure goes on. */
function appender(file: FileHandle, path: string, length: number): Appender {
  let whole = length;
  let problem: JournalProblem | undefined;
  /** When the next one may begin. */
  let rested = Promise.resolve();
  let coming: Promise<void> | undefined;

  function fail(error: unknown): never {
    problem ??= new JournalProblem(path, error);
    throw problem;
  }

  function append(line: string): void {
    if (problem) throw problem;
    try {
      // The system only takes a copy: quicker at once than by a thread.
      appendFileSync(file.fd, line);
      whole += Buffer.byteLength(line);
    } catch (error) {
      cutOff(file.fd, whole);
      fail(error);
    }
  }

  async function syncNow(): Promise<void> {
    coming = undefined;
    const synced = file.datasync().catch(fail);
    rested = synced.then(
      () => delay(REST_MS, undefined, { ref: false }),
      () => {},
    );
    await synced;
    if (problem) throw problem;
  }

  return {
    append,
    sync() {
      coming ??= rested.then(syncNow);
      return coming;
    },
  };
}

/** Where even this fails, the next run finds lines that are whole or cut short. */
function cutOff(fd: number, length: number): void {
  try {
    ftruncateSync(fd, length);
  } catch {}
}

/** Answers with how many bytes the whole lines take. */
async function readRecords(file: FileHandle, kept: Map<BytePath, Kept>): Promise<number> {
  const buffer = Buffer.alloc(READ_BYTES);
  let whole = 0;
  let rest = Buffer.alloc(0);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, whole + rest.length);
    if (bytesRead === 0) return whole;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      const record = decode(rest.toString('utf8', start, end));
      if (record) kept.set(record[0], record[1]);
      start = end + 1;
    }
    whole += start;
    rest = rest.subarray(start);
  }
}

function encode(path: BytePath, { identity, ...rest }: Kept): string {
  const { size, mtimeNs, ino } = identity;
  return `${JSON.stringify({ path, size, mtimeNs: String(mtimeNs), ino: String(ino), ...rest })}\n`;
}

/** Undefined for what is no record: a file that it leaves out is hashed again, which does no harm. */
function decode(text: string): [BytePath, Kept] | undefined {
  try {
    const line: unknown = JSON.parse(text);
    if (!Value.Check(Line, line)) return undefined;
    const { path, size, mtimeNs, ino, ...rest } = line;
    return [path, { identity: { size, mtimeNs: BigInt(mtimeNs), ino: BigInt(ino) }, ...rest }];
  } catch {
    return undefined;
  }
}
