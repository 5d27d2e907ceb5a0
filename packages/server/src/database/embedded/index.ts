// The embedded database: a PostgreSQL server in the data folder. It survives a service that is killed, and is found again
// by the next one; it is restarted when it dies while the service runs.

import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { StopSignals } from '../../jobs/closers.js';
import type { ServerAddress } from '../connection.js';
import { installBinaries, locateBinaries } from './binaries.js';
import { closeToUser, openToGroup, prepareHome } from './home.js';
import { protectData } from './protection.js';
import {
  addressOf,
  DRAFT_PREFIX,
  ensureServer,
  findServer,
  initializeData,
  isPasswordRefusal,
  type Listener,
  type ServerHome,
  stopServer,
} from './server.js';

export interface EmbeddedDatabase {
  readonly address: ServerAddress;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Shows the operator what takes long. */
  readonly notify: (message: string) => void;
  /** The database is lost: another service has taken the folder, or the server cannot be restarted. */
  readonly onLost: (reason: unknown) => void;
  readonly stop?: StopSignals | undefined;
}

/** Held while a service uses the folder; PostgreSQL releases it when the service dies. */
const FOLDER_LOCK = 20_260_529;
/** PostgreSQL needs this long to notice that a killed service's connection is closed. */
const LOCK_WAIT_MS = 1_500;
/** Copying binaries and creating a database takes seconds. */
const DRAFT_MAX_AGE_MS = 3_600_000;
/** Unix socket paths have at most 103 bytes on macOS, 107 on Linux; 14 of them are the file's name. */
const MAX_SOCKET_FOLDER_BYTES = 88;
/** Part of the socket file's name. */
const SOCKET_PORT = 5432;
const LOOPBACK = '127.0.0.1';

class FolderInUseError extends Error {}

/** When a stop is requested before it is ready, this undoes what it has begun and rejects. */
export async function startEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, notify, onLost, stop } = options;
  const found = await prepareHome(dataDir);
  const home = await closeToUser(found, dataDir, (at) => stopUnusedServer(found, dataDir, at));
  const isFirstStart = !(await readdir(home.folder)).includes('data');
  if (isFirstStart) notify('Preparing the database (first start) …');
  const binaries = await installBinaries(home, locateBinaries());
  await initializeData(home, binaries, stop?.requested);
  await protectData(home, binaries, {
    stopUnused: (at) => stopUnusedServer(home, dataDir, at),
    stop: stop?.requested,
  });

  const listener = (await findServer(home))?.listener ?? (await chooseListener(home));
  /** Retried when the server dies in between. */
  async function startAndLock(): Promise<{ address: ServerAddress; lock: pg.Client }> {
    for (;;) {
      const address = await addressOf(home, await ensureServer(home, binaries, listener, notify, stop));
      try {
        return { address, lock: await lockFolder(address, dataDir) };
      } catch (error) {
        if (error instanceof FolderInUseError) throw error;
      }
    }
  }
  let stopping = false;
  const mustStop = () => stopping || stop?.requested.aborted === true;
  /** Found by its folder: the process id of a server that has died may belong to another program. */
  async function stopCurrentServer(): Promise<void> {
    const current = await findServer(home);
    if (current) await stopServer(home, current, { binaries, hurried: stop?.hurried });
  }
  const started = await startAndLock();
  let { lock } = started;
  await removeOldDrafts(home);

  let recovery = Promise.resolve();
  function watch(): void {
    lock.once('end', () => {
      if (!mustStop()) {
        recovery = recover().catch((reason) => {
          if (!mustStop()) onLost(reason);
        });
      }
    });
  }
  /** After the lock's connection broke: the server has restarted or died. */
  async function recover(): Promise<void> {
    ({ lock } = await startAndLock());
    if (stopping) await lock.end();
    else watch();
  }
  watch();
  // Whatever else the service is waiting for.
  stop?.hurried.addEventListener('abort', () => void stopCurrentServer());

  return {
    address: started.address,
    async stop() {
      stopping = true;
      await recovery;
      await lock.end().catch(() => {});
      await stopCurrentServer();
      if (!home.usesTcp && listener.host !== home.folder) await rm(listener.host, { recursive: true, force: true });
    },
  };
}

/** The database of the running service; when no service runs, starts it, and `stop` stops it again. */
export async function joinEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    return await startEmbeddedDatabase(options);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const home = await prepareHome(options.dataDir);
    const listener = (await findServer(home))?.listener;
    if (!listener) throw error;
    return { address: await addressOf(home, listener), stop: async () => {} };
  }
}

async function chooseListener(home: ServerHome): Promise<Listener> {
  if (home.usesTcp) return { host: LOOPBACK, port: await findFreePort() };
  if (Buffer.byteLength(home.folder) <= MAX_SOCKET_FOLDER_BYTES) return { host: home.folder, port: SOCKET_PORT };
  const folder = await mkdtemp(join(tmpdir(), 'provenance-'));
  if (home.user) await openToGroup(folder, home.user);
  return { host: folder, port: SOCKET_PORT };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('The system has no free port.');
  return address.port;
}

/** Of an earlier release, whose service was killed. Throws when that service is running. */
async function stopUnusedServer(home: ServerHome, dataDir: string, listener: Listener): Promise<void> {
  // Without any password the driver would not ask the server.
  const { password = 'unknown', ...address } = await addressOf(home, listener);
  const lock = await lockFolder({ ...address, password }, dataDir).catch((error: unknown) => {
    if (isPasswordRefusal(error)) {
      throw new Error(`${home.passwordFile} is missing while the database server is running: stop that one first.`);
    }
    if (error instanceof FolderInUseError) throw error;
    // It is starting or stopping.
  });
  const server = lock && (await findServer(home));
  if (server) await stopServer(home, server);
  else await delay(100);
  await lock?.end().catch(() => {});
}

async function lockFolder(address: ServerAddress, dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({ ...address, application_name: `provenance-registry process ${process.pid}` });
  client.on('error', () => {});
  await client.connect();
  const startedAt = Date.now();
  while (!(await tryLock(client))) {
    if (Date.now() - startedAt > LOCK_WAIT_MS) {
      const holder = await findLockHolder(client);
      await client.end();
      throw new FolderInUseError(
        `The data folder ${dataDir} is in use by another service (${holder}). ` +
          'Stop that one, or set DATA_DIR to another folder.',
      );
    }
    await delay(100);
  }
  return client;
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [FOLDER_LOCK]);
  return rows[0]?.locked === true;
}

async function findLockHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and granted and objid = $1`,
    [FOLDER_LOCK],
  );
  return rows[0]?.application_name ?? 'unknown process';
}

/** Leftovers of a first start that was killed; a younger draft may belong to a process that is still working. */
async function removeOldDrafts(home: ServerHome): Promise<void> {
  for (const name of await readdir(home.folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const draft = join(home.folder, name);
    const { mtimeMs } = await stat(draft);
    if (Date.now() - mtimeMs > DRAFT_MAX_AGE_MS) await rm(draft, { recursive: true, force: true });
  }
}
