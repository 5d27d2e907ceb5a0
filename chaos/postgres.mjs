// A PostgreSQL server on a local port, from the binaries of the embedded database.

import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { installBinaries, locateBinaries } from '../packages/server/dist/database/embedded/binaries.js';
import { findFreePort, supervise } from './supervisor.mjs';

/** @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres */

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** Short, so that crash recovery replays seconds of work and not minutes. */
const CHECKPOINT_SECONDS = 30;
const START_TIMEOUT_MS = 180_000;

/** @param {string} folder */
export async function startPostgres(folder) {
  await mkdir(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const binaries = await installBinaries({ folder, user }, locateBinaries());
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  await promisify(execFile)(
    join(binaries, 'bin/initdb'),
    ['-D', data, '-U', 'provenance', '--auth=trust', '-E', 'UTF8'],
    options,
  );
  const port = await findFreePort();
  const settings = [
    `unix_socket_directories=${folder}`,
    'max_connections=200',
    `checkpoint_timeout=${CHECKPOINT_SECONDS}s`,
  ];
  const url = `postgres://provenance@127.0.0.1:${port}/postgres`;
  const server = await supervise({
    name: 'database',
    command: join(binaries, 'bin/postgres'),
    args: ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    options,
  });
  await waitForDatabase(async () => ({ connectionString: url }));
  return {
    url,
    server,
    /** Fast shutdown, immediate shutdown or crash. @param {'SIGINT' | 'SIGQUIT' | 'SIGKILL'} signal */
    async kill(signal) {
      await server.kill(signal);
      await waitForDatabase(async () => ({ connectionString: url }));
    },
    stop: () => server.stop('SIGINT'),
  };
}

/** @param {() => Promise<pg.ClientConfig>} address */
export async function waitForDatabase(address) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await queryDatabase(await address(), 'select 1');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(100);
    }
  }
}

/** @param {pg.ClientConfig} address @param {string} sql @returns {Promise<Record<string, unknown>[]>} */
export async function queryDatabase(address, sql) {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
