// A service that is told to stop: what runs is finished, and nothing new is accepted.

import { once } from 'node:events';
import { connect } from 'node:net';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { call, type ServiceProcess, signUp, startServiceProcess } from '../../../../test/support/service.js';

describe('shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('on %s finishes running requests and accepts no new ones', async (signal) => {
    const databaseUrl = await createMigratedDatabase();
    const stopped = await startServiceProcess({ DATABASE_URL: databaseUrl });
    const { token } = await signUp(stopped);
    const blocker = new pg.Client({ connectionString: databaseUrl });
    await blocker.connect();
    await blocker.query('begin; lock table users in access exclusive mode');
    const underWay = call(stopped, 'GET', '/api/v1/me', { token });
    // Connections to other databases of this server may wait for other reasons.
    const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
    while ((await blocker.query(waiting)).rows.length === 0);

    const ended = once(stopped.process, 'close');
    stopped.process.kill(signal);
    await refused(stopped);
    await blocker.query('rollback');
    await blocker.end();
    expect((await underWay).status).toBe(200);
    expect((await ended)[0]).toBe(0);
  });

  it('does not wait for clients that keep their connection open', async () => {
    const stopped = await startServiceProcess();
    const socket = connect(Number(new URL(stopped.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'data');
    expect(await stopped.end('SIGTERM')).toBe(0);
  });
});

/** Resolves when the port is closed. */
async function refused({ url }: ServiceProcess): Promise<void> {
  for (;;) {
    try {
      await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
    } catch {
      return;
    }
  }
}
