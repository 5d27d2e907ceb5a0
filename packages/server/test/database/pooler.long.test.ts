// A connection pooler in front of PostgreSQL: one that loses prepared statements is found at the start.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, inject, it } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import {
  call,
  launchService,
  newDataFolder,
  signUp,
  startServiceProcess,
  temporaryFolder,
} from '../../../../test/support/service.js';
import { openDatabase } from '../../src/database/connection.js';
import { DatabaseWorkNotices } from '../../src/database/workNotices.js';

let pooler: ChildProcess | undefined;
afterEach(async () => {
  if (!pooler || pooler.exitCode !== null) return;
  const ended = once(pooler, 'exit');
  pooler.kill('SIGKILL');
  await ended;
});

/** Returns the URL of a new database behind Debian 12's PgBouncer, which knows no prepared statements. */
async function startPooler(mode: 'transaction' | 'session'): Promise<string> {
  const target = new URL(await createDatabase(inject('postgresUrl')));
  const folder = await temporaryFolder();
  // PgBouncer does not run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  if (user) await chown(folder, user.uid, user.gid);
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = options, statement_timeout, idle_in_transaction_session_timeout
`,
  );
  await chmod(settings, 0o644);
  pooler = spawn('/usr/sbin/pgbouncer', [settings], { ...user, cwd: folder, stdio: 'ignore' });
  await untilListening(port);
  target.port = String(port);
  return target.href;
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(50);
  }
}

it('A pooler that loses prepared statements is refused with what to set', async () => {
  const service = await launchService({
    DATABASE_URL: await startPooler('transaction'),
    DATA_DIR: await newDataFolder(),
  });
  const [code] = await once(service.process, 'close');
  expect(code).toBe(2);
  expect(service.output().messages.trim().split('\n')).toEqual([
    expect.stringMatching(/^DATABASE_URL: .* PgBouncer needs version 1\.21 or newer with max_prepared_statements/),
  ]);
});

it('A pooler with a session for each client is used', async () => {
  const service = await startServiceProcess({ DATABASE_URL: await startPooler('session') });
  const { response, token } = await signUp(service);
  expect(response.status).toBe(201);
  await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Ada' } });
  // Long enough for the orderer, which locks the feed, and for the reader that waits.
  const { body } = await call(service, 'GET', '/api/v1/events?wait=30', { token });
  expect(body.events).toMatchObject([{ type: 'mark.created' }]);
});

it('A pooler is not listened through: loops keep to their intervals', async () => {
  const url = await startPooler('session');
  const database = openDatabase({ connectionString: url });
  const notices = new DatabaseWorkNotices(database, { connectionString: url });
  let wokenCount = 0;
  notices.subscribe(() => {
    wokenCount += 1;
  });
  // Waits for the attempt to listen, which would wake.
  await notices.close();
  await database.destroy();
  expect(wokenCount).toBe(0);
});
