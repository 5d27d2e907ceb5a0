// A PostgreSQL primary and its synchronous standby behind one address, from the binaries of the embedded database.

import { execFile } from 'node:child_process';
import { chown, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { installBinaries, locateBinaries } from '../packages/server/dist/database/embedded/binaries.js';
import { startProxy } from './proxy.mjs';
import { findFreePort, supervise } from './supervisor.mjs';

/** @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres */
/** @typedef {Awaited<ReturnType<typeof superviseServer>>} Server */

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

const STANDBY_NAME = 'standby';
const settings = [
  'max_connections=200',
  // Short, so that crash recovery replays seconds of work and not minutes.
  'checkpoint_timeout=30s',
  // Little, since the disk is small, but more than is written while a standby is set up.
  'max_wal_size=256MB',
  'wal_keep_size=128MB',
  // A standby reconnects at once after its primary was restarted.
  'wal_retrieve_retry_interval=200ms',
];
/** Ends a wait that hangs; a busy machine may need minutes. */
const START_TIMEOUT_MS = 1_800_000;
/** A connection that takes longer is tried again where the database may be unavailable. */
const CONNECT_TIMEOUT_MS = 60_000;
/** A standby that needs longer is stuck: it usually takes less than a second. */
const CATCH_UP_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 100;
/** What a server writes for itself, and WAL, which the standby gets over its connection. */
const notCopied = ['postmaster.pid', 'postmaster.opts', 'backup_label', 'standby.signal', 'postgresql.auto.conf'];
const emptyFolders = ['pg_wal', 'pg_replslot', 'pg_stat_tmp'];

/** @param {string} folder */
export async function startPostgres(folder) {
  await createFolder(folder);
  const binaries = await installBinaries({ folder, user }, locateBinaries());
  const options = { ...user, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  const dataOfPrimary = join(folder, 'one');
  await promisify(execFile)(
    join(binaries, 'bin/initdb'),
    ['-D', dataOfPrimary, '-U', 'provenance', '--auth=trust', '-E', 'UTF8'],
    options,
  );
  let primary = await superviseServer('one', { folder, binaries, options });
  await waitForDatabase(primary.address);
  await copyToStandby(primary, { data: join(folder, 'two') });
  let standby = await superviseServer('two', { folder, binaries, options });
  await requireStandby(primary);
  const front = await startProxy([primary.port]);

  /** One at a time: a second fault could otherwise promote a standby that lacks what its primary has shown to clients. */
  let lastFault = Promise.resolve();
  /** @param {() => Promise<unknown>} fault */
  function queueFault(fault) {
    const done = lastFault.then(fault);
    lastFault = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  /** A standby that cannot catch up is set up again, as an operator would do: its primary has everything. */
  async function waitForStandby() {
    try {
      await waitUntilReplicated(primary, CATCH_UP_TIMEOUT_MS);
    } catch {
      const { data, program } = standby;
      await program.kill('SIGKILL', async () => {
        await rm(data, { recursive: true });
        await copyToStandby(primary, standby);
      });
      await waitUntilReplicated(primary);
    }
  }

  async function failOver() {
    await waitForStandby();
    const [failed, promoted] = [primary, standby];
    const processes = await queryDatabase(failed.address, 'select pid from pg_stat_activity');
    await failed.program.kill('SIGKILL', async () => {
      // As if its machine had stopped.
      for (const { pid } of processes) killIfRunning(Number(pid));
      await promote(promoted);
      [primary, standby] = [promoted, failed];
      front.setTargets([promoted.port]);
      front.reset();
      await rm(failed.data, { recursive: true });
      await copyToStandby(promoted, failed);
    });
    await requireStandby(promoted);
  }

  return {
    /** Of the front, which forwards to the primary. */
    url: `postgres://provenance@${front.url.slice('http://'.length)}/postgres`,
    front,
    /** Of both servers. */
    unexpectedExits: () => [primary, standby].flatMap(({ program }) => program.unexpectedExits),
    queueFault,
    /** Kills the primary or the standby: fast shutdown, immediate shutdown or crash. @param {import('./random.mjs').Random} random */
    kill: (random) =>
      queueFault(async () => {
        const victim = random.chance(0.7) ? primary : standby;
        await victim.program.kill(random.pick(['SIGINT', 'SIGQUIT', 'SIGKILL']));
        await waitForDatabase(victim.address);
      }),
    /** The primary crashes for good, the standby takes over, and the old primary is set up again as its standby. */
    failOver: () => queueFault(failOver),
    waitUntilReady: () => queueFault(waitForStandby),
  };
}

/** @param {string} name @param {{ folder: string, binaries: string, options: object }} installation */
async function superviseServer(name, { folder, binaries, options }) {
  const data = join(folder, name);
  const port = await findFreePort();
  const flags = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
  const program = await supervise({
    name: `database ${name}`,
    command: join(binaries, 'bin/postgres'),
    args: ['-D', data, '-p', String(port), ...flags],
    options,
    stopSignal: 'SIGINT',
  });
  return { data, port, program, address: { connectionString: `postgres://provenance@127.0.0.1:${port}/postgres` } };
}

/**
 * Makes a base backup of a running server, as pg_basebackup does, which the binaries lack.
 * @param {Server} primary
 * @param {{ data: string }} standby
 */
async function copyToStandby(primary, { data }) {
  const client = new pg.Client(primary.address);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`select pg_backup_start('${STANDBY_NAME}', true)`);
    await copyFolder(primary.data, data);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await createFile(join(data, 'backup_label'), String(rows[0]?.labelfile));
  } finally {
    await client.end();
  }
  const connection = `host=127.0.0.1 port=${primary.port} user=provenance application_name=${STANDBY_NAME}`;
  await createFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  await createFile(join(data, 'standby.signal'), '');
}

/** @param {string} from @param {string} to */
async function copyFolder(from, to) {
  await createFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (notCopied.includes(entry.name)) continue;
    if (emptyFolders.includes(entry.name)) await createFolder(target);
    else if (entry.isDirectory()) await copyFolder(source, target);
    else await copyIfPresent(source, target);
  }
}

/** The server may delete files while they are copied. @param {string} source @param {string} target */
async function copyIfPresent(source, target) {
  try {
    await copyFile(source, target);
    await chownToUser(target);
  } catch (error) {
    if (!isErrorCode(error, 'ENOENT')) throw error;
  }
}

/** @param {string} path */
async function createFolder(path) {
  await mkdir(path, { mode: 0o700 });
  await chownToUser(path);
}

/** @param {string} path @param {string} text */
async function createFile(path, text) {
  await writeFile(path, text, { mode: 0o600 });
  await chownToUser(path);
}

/** @param {string} path */
async function chownToUser(path) {
  if (user) await chown(path, user.uid, user.gid);
}

/** @param {Server} standby */
function promote({ address }) {
  return retryUntil(async () => {
    await queryDatabase(address, 'select pg_promote()');
    const [row] = await queryDatabase(address, 'select pg_is_in_recovery() as is_standby');
    return row?.['is_standby'] === false;
  });
}

/** From now on a commit is acknowledged only once the standby has it. @param {Server} primary */
async function requireStandby(primary) {
  await retryUntil(async () => {
    await queryDatabase(primary.address, `alter system set synchronous_standby_names = '${STANDBY_NAME}'`);
    await queryDatabase(primary.address, 'select pg_reload_conf()');
    return true;
  });
  await waitUntilReplicated(primary);
}

/**
 * Waits until the standby is synchronous and has everything that the primary has now.
 * @param {Server} primary
 * @param {number} [timeoutMs]
 */
async function waitUntilReplicated({ address }, timeoutMs) {
  /** @type {unknown} */
  let position;
  await retryUntil(async () => {
    position ??= (await queryDatabase(address, 'select pg_current_wal_flush_lsn() as position'))[0]?.['position'];
    const rows = await queryDatabase(
      address,
      `select from pg_stat_replication where sync_state = 'sync' and flush_lsn >= '${position}'`,
    );
    return rows.length === 1;
  }, timeoutMs);
}

/** @param {pg.ClientConfig} address */
async function waitForDatabase(address) {
  await retryUntil(async () => (await queryDatabase(address, 'select 1')).length === 1);
}

/** Repeats it until it returns true; failures count as false. @param {() => Promise<boolean>} attempt @param {number} [timeoutMs] */
export async function retryUntil(attempt, timeoutMs = START_TIMEOUT_MS) {
  const deadline = Date.now() + timeoutMs;
  /** @type {unknown} */
  let lastError;
  for (;;) {
    const isDone = await attempt().catch((error) => {
      lastError = error;
      return false;
    });
    if (isDone) return;
    if (Date.now() > deadline) throw new Error('the database does not recover', { cause: lastError });
    await delay(POLL_INTERVAL_MS);
  }
}

/** @param {pg.ClientConfig} address @param {string} sql @returns {Promise<Record<string, unknown>[]>} */
export async function queryDatabase(address, sql) {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** @param {number} pid */
function killIfRunning(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isErrorCode(error, 'ESRCH')) throw error;
  }
}

/** @param {unknown} error @param {string} code */
function isErrorCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
