// The embedded database: a PostgreSQL of the service's own, in its data folder. It outlives a service that is
// killed, and is found again by the next one; it is started again when it dies under the service.

import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ServerAddress } from '../connection.js';
import { layOutBinaries, locateBinaries } from './binaries.js';
import { prepareHome } from './home.js';
import {
  access,
  DRAFT_PREFIX,
  findServer,
  initialiseData,
  type RunningServer,
  reachServer,
  type ServerHome,
  stopServer,
} from './server.js';

export interface EmbeddedDatabase {
  readonly address: ServerAddress;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Tells people what takes long. */
  readonly notify: (message: string) => void;
  /** The database is gone for good: another service has taken the folder, or the server cannot be started again. */
  readonly onLost: (reason: unknown) => void;
}

/** Held as long as a service uses the folder; PostgreSQL gives it back when the service dies in any way. */
const FOLDER_LOCK = 20_260_529;
/** How long a killed service's connection may take to be noticed. */
const LOCK_PATIENCE_MS = 1_500;
/** Laying out binaries and making a database takes seconds. */
const DRAFT_MAX_AGE_MS = 3_600_000;
/** Addresses of Unix sockets end at 107 bytes; the file's name takes 14 of them. */
const LONGEST_SOCKET_FOLDER = 90;

class FolderInUseError extends Error {}

export async function startEmbeddedDatabase({ dataDir, notify, onLost }: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const home = await prepareHome(dataDir, notify);
  const first = !(await readdir(home.folder)).includes('data');
  if (first) notify('Preparing the database (first start) …');
  const binaries = await layOutBinaries(home, locateBinaries());
  await initialiseData(home, binaries);

  const socketFolder = (await findServer(home))?.socketFolder || (await chooseSocketFolder(home));
  /** Reached and locked; tried again when the server dies in between. */
  async function take(): Promise<{ server: RunningServer; lock: pg.Client }> {
    for (;;) {
      const server = await reachServer(home, binaries, socketFolder, notify);
      try {
        return { server, lock: await lockFolder(server, dataDir) };
      } catch (error) {
        if (error instanceof FolderInUseError) throw error;
      }
    }
  }
  let { server, lock } = await take();
  await removeOldDrafts(home);

  let stopping = false;
  function watch(): void {
    lock.once('end', () => {
      if (!stopping) recover().catch(onLost);
    });
  }
  /** The lock's connection broke: the server restarted, or is gone. */
  async function recover(): Promise<void> {
    ({ server, lock } = await take());
    if (stopping) await lock.end();
    else watch();
  }
  watch();

  return {
    address: { ...access, host: socketFolder, port: server.port },
    async stop() {
      stopping = true;
      await lock.end().catch(() => {});
      await stopServer(server);
      if (socketFolder !== home.folder) await rm(socketFolder, { recursive: true, force: true });
    },
  };
}

/** For those who work beside a service: its database while it runs, or else started here and stopped again. */
export async function joinEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    return await startEmbeddedDatabase(options);
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const server = await findServer(await prepareHome(options.dataDir, options.notify));
    if (!server) throw error;
    return { address: { ...access, host: server.socketFolder, port: server.port }, stop: async () => {} };
  }
}

async function chooseSocketFolder(home: ServerHome): Promise<string> {
  if (Buffer.byteLength(home.folder) <= LONGEST_SOCKET_FOLDER) return home.folder;
  const folder = await mkdtemp(join(tmpdir(), 'provenance-'));
  if (home.user) await chown(folder, home.user.uid, home.user.gid);
  return folder;
}

async function lockFolder({ socketFolder, port }: RunningServer, dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...access,
    host: socketFolder,
    port,
    application_name: `provenance-registry process ${process.pid}`,
  });
  client.on('error', () => {});
  await client.connect();
  const began = Date.now();
  while (!(await tryLock(client))) {
    if (Date.now() - began > LOCK_PATIENCE_MS) {
      const holder = await lockHolder(client);
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

async function lockHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and granted and objid = $1`,
    [FOLDER_LOCK],
  );
  return rows[0]?.application_name ?? 'unknown process';
}

/** What a first start that was killed half-way left behind; a younger draft may be somebody's work in progress. */
async function removeOldDrafts(home: ServerHome): Promise<void> {
  for (const name of await readdir(home.folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    const draft = join(home.folder, name);
    const { mtimeMs } = await stat(draft);
    if (Date.now() - mtimeMs > DRAFT_MAX_AGE_MS) await rm(draft, { recursive: true, force: true });
  }
}
