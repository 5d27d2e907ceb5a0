// A PostgreSQL server for several processes, from the binaries that the service brings, on a port of this machine.

import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { layOutBinaries, locateBinaries } from '../packages/server/dist/database/embedded/binaries.js';
import { freePort, supervise } from './processes.mjs';

/** @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres */

/** It refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** A recovery after a crash takes seconds, unless its last checkpoint is overlooked: the next look is this much later. */
const CHECKPOINT_SECONDS = 30;
const LONGEST_START_MS = 180_000;

/** @param {string} folder */
export async function startPostgres(folder) {
  await mkdir(folder);
  if (user) await chown(folder, user.uid, user.gid);
  const binaries = await layOutBinaries({ folder, user }, locateBinaries());
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  await promisify(execFile)(
    join(binaries, 'bin/initdb'),
    ['-D', data, '-U', 'provenance', '--auth=trust', '-E', 'UTF8'],
    options,
  );
  const port = await freePort();
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
  await untilAnswering(async () => ({ connectionString: url }));
  return {
    url,
    server,
    /** Asked to stop at once, made to, or not asked. @param {'SIGINT' | 'SIGQUIT' | 'SIGKILL'} signal */
    async kill(signal) {
      await server.kill(signal);
      await untilAnswering(async () => ({ connectionString: url }));
    },
    stop: () => server.stop('SIGINT'),
  };
}

/** @param {() => Promise<pg.ClientConfig>} address */
export async function untilAnswering(address) {
  const deadline = Date.now() + LONGEST_START_MS;
  for (;;) {
    try {
      await ask(await address(), 'select 1');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(100);
    }
  }
}

/**
 * @param {pg.ClientConfig} address
 * @param {string} sql
 * @returns {Promise<Record<string, unknown>[]>}
 */
export async function ask(address, sql) {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
