// One PostgreSQL server in one folder: initialize, find, start and stop it.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { StopSignals } from '../../jobs/closers.js';
import type { ServerAddress } from '../connection.js';
import { access, readPassword } from './password.js';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerHome {
  /** Holds the binaries, the database and the server's log. */
  readonly folder: string;
  /** The user that the server runs as; undefined: the user of the service. */
  readonly user: ServerUser | undefined;
  /** Only the user of the service can read it, and the server cannot. */
  readonly passwordFile: string;
  /**
   * The server listens on the loopback interface: on Windows, where Node cannot connect to Unix sockets. Elsewhere it
   * listens on a socket in a folder that only its own user can enter.
   */
  readonly usesTcp: boolean;
}

export interface Listener {
  /** An IP address, or the folder of the socket. */
  readonly host: string;
  readonly port: number;
}

export interface RunningServer {
  readonly pid: number;
  /** Undefined while the server starts. */
  readonly listener: Listener | undefined;
}

/** Folders that are not complete yet; after a crash they can be deleted. */
export const DRAFT_PREFIX = 'draft-';

/** Crash recovery replays at most the time between two checkpoints: minutes on a very slow disk. */
export const START_TIMEOUT_MS = 300_000;
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

/** A home whose server is only looked for or stopped. */
type Folder = Pick<ServerHome, 'folder'>;

export const dataFolder = (home: Folder) => join(home.folder, 'data');
const logFile = (home: Folder) => join(home.folder, 'server.log');
const pidFile = (home: Folder) => join(dataFolder(home), 'postmaster.pid');

/** What a client needs to connect to a server of this home. */
export async function addressOf(
  { passwordFile }: Pick<ServerHome, 'passwordFile'>,
  { host, port }: Listener,
): Promise<ServerAddress> {
  return { ...access, host, port, password: await readPassword(passwordFile) };
}

/** Creates the database's files; they appear completely or not at all. Nobody can log in before they are protected. */
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
    '--auth=reject',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // For messages and numbers, and on every system.
    '--locale=C',
  ];
  try {
    await runProgram(home, join(binaries, 'bin', 'initdb'), args, { stop });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  // Another process may have finished first, with the same result.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
}

/** A stop ends the program; this rejects when it has ended. */
export async function runProgram(
  home: ServerHome,
  program: string,
  args: string[],
  { stop, input = '' }: { readonly stop?: AbortSignal | undefined; readonly input?: string } = {},
) {
  stop?.throwIfAborted();
  const running = run(program, args, { ...home.user, cwd: home.folder, env: environment });
  // A program that has ended before it read all of it says why.
  running.child.stdin?.on('error', () => {}).end(input);
  const end = () => running.child.kill();
  stop?.addEventListener('abort', end);
  try {
    return await running;
  } finally {
    stop?.removeEventListener('abort', end);
  }
}

/** The running server of this home, also when a service that is dead has started it. */
export async function findServer(home: Folder): Promise<RunningServer | undefined> {
  const { pid, listener } = await readPidFile(home);
  if (!pid) return undefined;
  if (isAlive(pid) && (!listener || (await isListening(listener)))) return { pid, listener };
  // Left by a crash. Another program may have this process id by now, and PostgreSQL would take it for a running server;
  // its check of the shared memory still prevents two servers in one folder.
  await rm(pidFile(home), { force: true });
  return undefined;
}

/** The server writes the file when it starts, adds where it listens, and deletes the file at its end. */
async function readPidFile(home: Folder): Promise<Partial<RunningServer>> {
  const lines = (await readFile(pidFile(home), 'utf8').catch(() => '')).split('\n');
  const [pid, , , port, socketFolder, ipAddress] = lines;
  const host = socketFolder || ipAddress;
  // In single-user mode, PostgreSQL writes its process id as a negative number.
  return { pid: Math.abs(Number(pid)), listener: host ? { host, port: Number(port) } : undefined };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Otherwise it is a process of another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** A server listens as soon as its file says where, also while it recovers from a crash. */
async function isListening({ host, port }: Listener): Promise<boolean> {
  const socket = isSocketFolder(host) ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Otherwise it is busy.
    return !(error instanceof Error && 'code' in error && /^(?:ECONNREFUSED|ENOENT)$/.test(String(error.code)));
  } finally {
    socket.destroy();
  }
}

/** As PostgreSQL and its clients decide it. */
function isSocketFolder(host: string): boolean {
  return host.startsWith('/');
}

/** Finds the home's server or starts it; returns when it accepts connections. */
export async function ensureServer(
  home: ServerHome,
  binaries: string,
  listener: Listener,
  notify: (message: string) => void,
  stop?: StopSignals,
): Promise<Listener> {
  const starter = createStarter(home, binaries, listener);
  const startedAt = Date.now();
  let hasNotified = false;
  for (;;) {
    if (stop?.requested.aborted) {
      await starter.stop(stop.hurried);
      throw stop.requested.reason;
    }
    const running = await findServer(home);
    if (running?.listener) {
      const isReady = await acceptsConnections(home, running.listener).catch(async (error: unknown) => {
        await starter.stop();
        throw error;
      });
      if (isReady) return running.listener;
    }
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

function createStarter(home: ServerHome, binaries: string, listener: Listener) {
  let child: ChildProcess | undefined;
  let spawns = 0;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    /** Does nothing while the server is starting. */
    async start(): Promise<void> {
      if (isRunning()) return;
      if (spawns === MAX_SPAWNS)
        throw new Error(`The embedded PostgreSQL does not start.\n${await readLastLogLines(home)}`);
      if (spawns > 0) await delay(FIRST_RESPAWN_DELAY_MS * 2 ** spawns);
      spawns += 1;
      child = await spawnServer(home, binaries, listener);
    },
    /** Ends what was started. */
    async stop(hurried?: AbortSignal): Promise<void> {
      const pid = child?.pid;
      if (pid !== undefined) await shutDown(binaries, pid, async () => !isRunning(), hurried);
    },
  };
}

async function acceptsConnections(home: ServerHome, listener: Listener): Promise<boolean> {
  const client = new pg.Client({ ...(await addressOf(home, listener)), connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (isPasswordRefusal(error)) {
      throw new Error(
        `The embedded PostgreSQL refuses the password in ${home.passwordFile}: delete that file and start again, ` +
          'which sets another password.',
      );
    }
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Fails also where no password is known, unlike an address without one. */
export function isPasswordRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '28P01';
}

async function spawnServer(home: ServerHome, binaries: string, { host, port }: Listener): Promise<ChildProcess> {
  const log = await open(logFile(home), 'a', 0o600);
  if (home.user) await log.chown(home.user.uid, home.user.gid);
  const settings = {
    listen_addresses: isSocketFolder(host) ? '' : host,
    unix_socket_directories: isSocketFolder(host) ? host : '',
    unix_socket_permissions: '0700',
    port: String(port),
    log_checkpoints: 'off',
    // Other programs of the server's user could open what is in /dev/shm.
    ...(home.user && { dynamic_shared_memory_type: 'mmap' }),
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
        windowsHide: true,
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
const environment = {
  PATH: process.env['PATH'],
  // Windows finds its libraries by it.
  SystemRoot: process.env['SystemRoot'],
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** A fast shutdown; an immediate one when that takes too long, or when the service has no more time. */
export function stopServer(
  home: Folder,
  { pid }: RunningServer,
  options: { readonly binaries?: string; readonly hurried?: AbortSignal | undefined } = {},
): Promise<void> {
  const hasEnded = async () => (await readPidFile(home)).pid !== pid;
  return shutDown(options.binaries, pid, hasEnded, options.hurried);
}

async function shutDown(
  binaries: string | undefined,
  pid: number,
  hasEnded: () => Promise<boolean>,
  hurried?: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  let isImmediate = false;
  try {
    await sendSignal(binaries, pid, 'INT');
    for (;;) {
      const waitedMs = Date.now() - startedAt;
      if (!isImmediate && (hurried?.aborted || waitedMs > FAST_SHUTDOWN_MS)) {
        await sendSignal(binaries, pid, 'QUIT');
        isImmediate = true;
      }
      if (await hasEnded()) return;
      if (waitedMs > FAST_SHUTDOWN_MS + IMMEDIATE_SHUTDOWN_MS) return;
      await delay(POLL_MS);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** On Windows, Node ends a process whatever the signal, and PostgreSQL has signals of its own. */
async function sendSignal(binaries: string | undefined, pid: number, signal: 'INT' | 'QUIT'): Promise<void> {
  if (process.platform !== 'win32' || !binaries) process.kill(pid, `SIG${signal}`);
  else await run(join(binaries, 'bin', 'pg_ctl'), ['kill', signal, String(pid)], { env: environment });
}

async function readLastLogLines(home: Folder): Promise<string> {
  const text = await readFile(logFile(home), 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}
