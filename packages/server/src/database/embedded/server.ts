// One PostgreSQL server on one folder: initialise, find, start and stop it.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

export interface ServerHome {
  /** Holds the binaries, the database and the server's log. */
  readonly folder: string;
  /** As whom the server's processes are spawned; undefined: as the service itself. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

export interface RunningServer {
  readonly pid: number;
  readonly socketFolder: string;
  readonly port: number;
}

/** The only role and the database of an embedded server; its socket is out of everybody else's reach. */
export const access = { user: 'provenance', database: 'postgres' };

/** Folders in the making; what is left of them after a crash is rubbish. */
export const DRAFT_PREFIX = 'draft-';

/** Names the socket file; nothing listens on a network. */
const PORT = 5432;
/** Recovery after a crash replays at most what two checkpoints left behind: minutes on a very slow disk. */
const START_TIMEOUT_MS = 300_000;
/** The processes of a server that was killed let go of its memory within seconds: a new one must wait for that. */
const MAX_SPAWNS = 7;
const FIRST_RESPAWN_DELAY_MS = 100;
const POLL_MS = 25;
/** From here on, waiting is explained. */
const NOTIFY_AFTER_MS = 2_000;

const run = promisify(execFile);

const dataFolder = (home: ServerHome) => join(home.folder, 'data');
const logFile = (home: ServerHome) => join(home.folder, 'server.log');

/** Makes the database's files; they appear whole or not at all. */
export async function initialiseData(home: ServerHome, binaries: string): Promise<void> {
  const folder = dataFolder(home);
  const made = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (made !== undefined) {
    const { stdout } = await spawnable(home, join(binaries, 'bin', 'postgres'), ['--version']);
    const major = /(\d+)/.exec(stdout)?.[1];
    if (made.trim() === major) return;
    throw new Error(
      `The database in ${folder} was made by PostgreSQL ${made.trim()}, and this release brings ${major}: ` +
        'dump it with the earlier release and restore it with this one (docs/operating.md).',
    );
  }
  const draft = await mkdtemp(join(home.folder, DRAFT_PREFIX));
  if (home.user) await chown(draft, home.user.uid, home.user.gid);
  await spawnable(home, join(binaries, 'bin', 'initdb'), [
    `--pgdata=${draft}`,
    `--username=${access.user}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
  ]);
  // Another process may have been quicker; its folder is as good.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
}

function spawnable(home: ServerHome, program: string, args: string[]) {
  return run(program, args, { ...home.user, cwd: home.folder, env: environment });
}

/** The server of this home, if one runs: also one that was started by a service that is gone. */
export async function findServer(home: ServerHome): Promise<RunningServer | undefined> {
  const file = join(dataFolder(home), 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  const socketFolder = lines[4];
  if (!pid) return undefined;
  if (!(await servesFolder(pid, dataFolder(home)))) {
    // Left behind by a crash. Its process id may belong to another program by now, which PostgreSQL would take
    // for a running server; its own check of the shared memory still keeps two servers off one folder.
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

/** Finds the home's server, or starts it; answers when it takes connections. */
export async function reachServer(
  home: ServerHome,
  binaries: string,
  socketFolder: string,
  notify: (message: string) => void,
): Promise<RunningServer> {
  const start = serverStarter(home, binaries, socketFolder);
  const began = Date.now();
  let told = false;
  for (;;) {
    const running = await findServer(home);
    if (running && (await accepts(running))) return running;
    if (!running) await start();
    const waited = Date.now() - began;
    if (waited > START_TIMEOUT_MS) throw new Error(`The embedded PostgreSQL is not ready.\n${await lastWords(home)}`);
    if (waited > NOTIFY_AFTER_MS && !told) {
      notify('Waiting for the database to be ready (after a crash it first replays what it had promised) …');
      told = true;
    }
    await delay(POLL_MS);
  }
}

/** A function that starts the server, unless it is starting already. */
function serverStarter(home: ServerHome, binaries: string, socketFolder: string): () => Promise<void> {
  let child: ChildProcess | undefined;
  let spawns = 0;
  return async () => {
    if (child && child.exitCode === null && child.signalCode === null) return;
    if (spawns === MAX_SPAWNS) throw new Error(`The embedded PostgreSQL does not start.\n${await lastWords(home)}`);
    if (spawns > 0) await delay(FIRST_RESPAWN_DELAY_MS * 2 ** spawns);
    spawns += 1;
    child = await spawnServer(home, binaries, socketFolder);
  };
}

async function accepts({ socketFolder, port }: RunningServer): Promise<boolean> {
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
        // In a group of its own: Ctrl-C is for the service, which lets requests finish before it stops the server.
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

/** Nothing of the service's own environment: it may hold secrets, and PG variables that mislead the server. */
const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Ends connections, writes everything down and stops; gives up waiting after the limit, the server goes on alone. */
export async function stopServer({ pid }: RunningServer, limitMs = 5_000): Promise<void> {
  const began = Date.now();
  try {
    process.kill(pid, 'SIGINT');
    while (Date.now() - began < limitMs && (await stat(`/proc/${pid}/cwd`).catch(() => undefined))) {
      await delay(POLL_MS);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function lastWords(home: ServerHome): Promise<string> {
  const text = await readFile(logFile(home), 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}
