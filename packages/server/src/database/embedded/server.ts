// One PostgreSQL server in one folder: initialize, find, start and stop it.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { StopSignals } from '../../jobs/closers.js';

export interface ServerHome {
  /** Holds the binaries, the database and the server's log. */
  readonly folder: string;
  /** The user that the server runs as; undefined: the user of the service. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

export interface RunningServer {
  readonly pid: number;
  readonly socketFolder: string;
  readonly port: number;
}

/** The only role and database of an embedded server; only its own user has access to its socket. */
export const access = { user: 'provenance', database: 'postgres' };

/** Folders that are not complete yet; after a crash they can be deleted. */
export const DRAFT_PREFIX = 'draft-';

/** Part of the socket file's name; the server does not listen on a network. */
const PORT = 5432;
/** Crash recovery replays at most the time between two checkpoints: minutes on a very slow disk. */
const START_TIMEOUT_MS = 300_000;
/** The processes of a killed server hold its shared memory for some seconds, and a new server fails until then. */
const MAX_SPAWNS = 7;
const FIRST_RESPAWN_DELAY_MS = 100;
const POLL_MS = 25;
/** A longer wait is explained to the operator. */
const NOTIFY_AFTER_MS = 2_000;
/** A fast shutdown waits for a checkpoint. An immediate one does not, and the next start replays the log. */
const FAST_SHUTDOWN_MS = 5_000;
/** PostgreSQL itself kills its processes 5 seconds after an immediate shutdown has begun. */
const IMMEDIATE_SHUTDOWN_MS = 6_000;

const run = promisify(execFile);

const dataFolder = (home: ServerHome) => join(home.folder, 'data');
const logFile = (home: ServerHome) => join(home.folder, 'server.log');

/** Creates the database's files; they appear completely or not at all. */
export async function initializeData(home: ServerHome, binaries: string, stop?: AbortSignal): Promise<void> {
  const folder = dataFolder(home);
  const dataVersion = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (dataVersion !== undefined) {
    const { stdout } = await runProgram(home, join(binaries, 'bin', 'postgres'), ['--version']);
    const major = /(\d+)/.exec(stdout)?.[1];
    if (dataVersion.trim() === major) return;
    throw new Error(
      `The database in ${folder} was created by PostgreSQL ${dataVersion.trim()}, but this release has ${major}: ` +
        'dump it with the earlier release and restore it with this one (docs/operating.md).',
    );
  }
  const draft = await mkdtemp(join(home.folder, DRAFT_PREFIX));
  if (home.user) await chown(draft, home.user.uid, home.user.gid);
  const args = [
    `--pgdata=${draft}`,
    `--username=${access.user}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
  ];
  try {
    await runProgram(home, join(binaries, 'bin', 'initdb'), args, stop);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  // Another process may have finished first, with the same result.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
}

/** A stop ends the program; this rejects when it has ended. */
async function runProgram(home: ServerHome, program: string, args: string[], stop?: AbortSignal) {
  stop?.throwIfAborted();
  const running = run(program, args, { ...home.user, cwd: home.folder, env: environment });
  const end = () => running.child.kill();
  stop?.addEventListener('abort', end);
  try {
    return await running;
  } finally {
    stop?.removeEventListener('abort', end);
  }
}

/** The running server of this home, also when a service that is dead has started it. */
export async function findServer(home: ServerHome): Promise<RunningServer | undefined> {
  const file = join(dataFolder(home), 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  const socketFolder = lines[4];
  if (!pid) return undefined;
  if (!(await servesFolder(pid, dataFolder(home)))) {
    // Left by a crash. Another program may have this process id by now, and PostgreSQL would take it for a running server;
    // its check of the shared memory still prevents two servers in one folder.
    await rm(file, { force: true });
    return undefined;
  }
  return port && socketFolder ? { pid, port, socketFolder } : { pid, port: PORT, socketFolder: '' };
}

/** A server's working directory is its data folder. */
async function servesFolder(pid: number, folder: string): Promise<boolean> {
  const directory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return directory !== undefined && directory === (await realpath(folder));
}

/** Finds the home's server or starts it; returns when it accepts connections. */
export async function ensureServer(
  home: ServerHome,
  binaries: string,
  socketFolder: string,
  notify: (message: string) => void,
  stop?: StopSignals,
): Promise<RunningServer> {
  const starter = createStarter(home, binaries, socketFolder);
  const startedAt = Date.now();
  let hasNotified = false;
  for (;;) {
    if (stop?.requested.aborted) {
      await starter.stop(stop.hurried);
      throw stop.requested.reason;
    }
    const running = await findServer(home);
    if (running && (await acceptsConnections(running))) return running;
    if (!running) await starter.start();
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > START_TIMEOUT_MS)
      throw new Error(`The embedded PostgreSQL is not ready.\n${await readLastLogLines(home)}`);
    if (waitedMs > NOTIFY_AFTER_MS && !hasNotified) {
      notify('Waiting for the database to be ready (after a crash it first replays its log) …');
      hasNotified = true;
    }
    await delay(POLL_MS);
  }
}

function createStarter(home: ServerHome, binaries: string, socketFolder: string) {
  let child: ChildProcess | undefined;
  let spawns = 0;
  return {
    /** Does nothing while the server is starting. */
    async start(): Promise<void> {
      if (child && child.exitCode === null && child.signalCode === null) return;
      if (spawns === MAX_SPAWNS)
        throw new Error(`The embedded PostgreSQL does not start.\n${await readLastLogLines(home)}`);
      if (spawns > 0) await delay(FIRST_RESPAWN_DELAY_MS * 2 ** spawns);
      spawns += 1;
      child = await spawnServer(home, binaries, socketFolder);
    },
    /** Ends what was started. */
    async stop(hurried: AbortSignal): Promise<void> {
      const pid = child?.pid;
      if (pid !== undefined) await stopServer({ pid }, hurried);
    },
  };
}

async function acceptsConnections({ socketFolder, port }: RunningServer): Promise<boolean> {
  if (!socketFolder) return false;
  const client = new pg.Client({ ...access, host: socketFolder, port, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function spawnServer(home: ServerHome, binaries: string, socketFolder: string): Promise<ChildProcess> {
  const log = await open(logFile(home), 'a', 0o600);
  if (home.user) await log.chown(home.user.uid, home.user.gid);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    port: String(PORT),
    log_checkpoints: 'off',
  };
  try {
    const child = spawn(
      join(binaries, 'bin', 'postgres'),
      ['-D', dataFolder(home), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...home.user,
        cwd: home.folder,
        env: environment,
        // In a process group of its own: Ctrl-C reaches only the service, which finishes its requests before it stops the server.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      },
    );
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Not the service's environment, which may contain secrets, and PG variables that would configure the server. */
const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** A fast shutdown; an immediate one when that takes too long, or when the service has no more time. */
export async function stopServer({ pid }: Pick<RunningServer, 'pid'>, hurried?: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  let isImmediate = false;
  try {
    process.kill(pid, 'SIGINT');
    for (;;) {
      const waitedMs = Date.now() - startedAt;
      if (!isImmediate && (hurried?.aborted || waitedMs > FAST_SHUTDOWN_MS)) {
        process.kill(pid, 'SIGQUIT');
        isImmediate = true;
      }
      // A process that has ended has no working directory, also before its parent has taken notice.
      if (!(await stat(`/proc/${pid}/cwd`).catch(() => undefined))) return;
      if (waitedMs > FAST_SHUTDOWN_MS + IMMEDIATE_SHUTDOWN_MS) return;
      await delay(POLL_MS);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function readLastLogLines(home: ServerHome): Promise<string> {
  const text = await readFile(logFile(home), 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}
