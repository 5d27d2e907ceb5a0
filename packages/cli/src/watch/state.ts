// What the folder watcher reports about itself: a file that it writes while it holds its lock, and how it is read.

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StringEnum } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { configPath } from '../configFile.js';
import { errorCode, FileError } from '../errors.js';
import { userFolder } from '../files.js';
import { Count, Flag, NullableTime, Text, Time } from '../outputSchemas/common.js';
import type { Environment } from '../processIo.js';
import { acquireLock, isLocked } from '../register/lock.js';
import { toCommandError } from '../toCommandError.js';

const pauseCodes = ['network', 'login', 'quota', 'mark', 'folder', 'journal'] as const;

export const Pause = Type.Object(
  {
    code: StringEnum(pauseCodes, {
      description:
        '`network`: the service does not respond. `login`: the token is not valid. `quota`: a limit is reached. `mark`: you ' +
        'may not register under the Mark. `folder`: the folder cannot be read. `journal`: the progress cannot be saved.',
    }),
    message: Text('For people; may change at any time.'),
    since: Time('When it was noticed.'),
    retryAt: NullableTime('When it is tried again; null: once the cause is removed.'),
  },
  { title: 'Pause' },
);
export type Pause = Static<typeof Pause>;

export const FolderState = Type.Object(
  {
    folder: Text('Its absolute path.'),
    mark: Text('The ID of the Mark.'),
    authorshipStated: Flag('Whether authorship is stated with each registration.'),
    ignore: Type.Array(Type.String(), { description: 'The ignore rules.' }),
    sendsCodes: Flag('Whether codes for finding look-alikes are sent under a public Mark.'),
    registered: Count('Files that are registered under one of your Marks.'),
    waiting: Count('Files that are still being written, or not sent yet.'),
    others: Count("Files that are registered under another user's Mark."),
    refused: Count('Files that the service or the chain refused.'),
    failed: Count('Files and folders that could not be read or got no response; they are tried again.'),
    problems: Type.Array(
      Type.Object({
        path: Type.String(),
        outcome: StringEnum(['others', 'refused', 'failed'], { description: 'As in the counts.' }),
        reason: Text('For people.'),
      }),
      { description: 'The first of the files that are not registered, and why.' },
    ),
    pause: Type.Union([Pause, Type.Null()], { description: 'Why nothing of this folder is registered at the moment.' }),
    notices: Type.Array(Type.String(), { description: 'What does not stop registrations, for people.' }),
    scannedAt: NullableTime('When all files were last looked at.'),
    lastRegistration: Type.Union([
      Type.Object({ path: Type.String(), at: Time('When it was registered.') }),
      Type.Null(),
    ]),
  },
  { title: 'WatchedFolder' },
);
export type FolderState = Static<typeof FolderState>;

const WatcherState = Type.Object({
  pid: Type.Integer(),
  startedAt: Time('When the process started.'),
  reportedAt: Time('When it last wrote its state.'),
  pause: Type.Union([Pause, Type.Null()]),
  loginExpiresAt: NullableTime('When the token expires, if known.'),
  folders: Type.Array(FolderState),
});
export type WatcherState = Static<typeof WatcherState>;

/** A process that holds the lock writes its state at least this often. */
export const HEARTBEAT_MS = 30_000;

/** One for each configuration file and profile. */
function statePath(env: Environment, profile: string): string {
  const name = createHash('sha256')
    .update([configPath(env), profile].join('\0'))
    .digest('hex')
    .slice(0, 32);
  return join(userFolder(env, 'XDG_STATE_HOME', '.local/state'), 'provenance', 'service', `${name}.json`);
}

/** Throws CommandError when another watcher runs. */
export function lockWatcher(env: Environment, profile: string): Promise<() => Promise<void>> {
  const advice = "'provenance watch status' shows what it does.";
  return acquireLock(
    statePath(env, profile),
    `The watcher is already running for this configuration and profile '${profile}'. ${advice}`,
  );
}

export function isWatcherRunning(env: Environment, profile: string): Promise<boolean> {
  return isLocked(statePath(env, profile));
}

/** Undefined if the watcher never ran, or the file is damaged. */
export async function readWatcherState(env: Environment, profile: string): Promise<WatcherState | undefined> {
  const path = statePath(env, profile);
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Check(WatcherState, value) ? value : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw new FileError(path, error);
  }
}

async function writeWatcherState(env: Environment, profile: string, state: WatcherState): Promise<void> {
  const path = statePath(env, profile);
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(state)}\n`, { flag: 'wx', mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new FileError(path, error);
  }
}

/** Writes the state when something has changed, and from time to time. */
export class StateReporter {
  #written = { content: '', atMs: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly env: Environment,
    private readonly profile: string,
    private readonly log: (message: string) => void,
  ) {}

  /** Writes nothing if the state is the same as shortly before. */
  async report(state: WatcherState): Promise<void> {
    const content = JSON.stringify({ ...state, reportedAt: '' });
    const earlier = this.#written;
    if (content === earlier.content && performance.now() - earlier.atMs < HEARTBEAT_MS) return;
    try {
      await writeWatcherState(this.env, this.profile, state);
    } catch (error) {
      // Registrations go on; the next heartbeat tries again.
      if (earlier.atMs >= 0) this.log(`The state was not saved: ${(await toCommandError(error)).message}`);
    }
    this.#written = { content, atMs: performance.now() };
  }
}
