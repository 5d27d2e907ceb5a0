// A service that is told to stop: what runs is finished, and nothing new is accepted.

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
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

describe('behind a load balancer', () => {
  it('no request is refused or reset while a process is replaced', async () => {
    const databaseUrl = await createMigratedDatabase();
    const [old, replacement] = await Promise.all([
      startServiceProcess({ DATABASE_URL: databaseUrl, DRAIN_SECONDS: '4' }),
      startServiceProcess({ DATABASE_URL: databaseUrl }),
    ]);
    const agent = new Agent({ keepAlive: true });
    const responses: { readonly from: ServiceProcess; readonly connection: string | undefined }[] = [];
    const respondedBy = (from: ServiceProcess) => responses.filter((response) => response.from === from);
    let target: ServiceProcess | undefined = old;
    async function sendRequests(): Promise<void> {
      while (target) {
        const from = target;
        const { statusCode, headers } = await send(`${from.url}/api/openapi.json`, agent);
        expect(statusCode).toBe(200);
        responses.push({ from, connection: headers.connection });
      }
    }
    const clients = Promise.all(Array.from({ length: 4 }, sendRequests));
    await expect.poll(() => respondedBy(old).length).toBeGreaterThan(40);
    expect(respondedBy(old).filter(({ connection }) => connection !== 'keep-alive')).toEqual([]);

    const ended = once(old.process, 'close');
    old.process.kill('SIGTERM');
    // A new connection for each check, as load balancers make them.
    while ((await send(`${old.url}/readyz`)).statusCode === 200);
    const beforeCheck = respondedBy(old).length;
    await expect.poll(() => respondedBy(old).length).toBeGreaterThan(beforeCheck + 10);
    expect((await send(`${old.url}/readyz/writes`)).statusCode).toBe(503);
    target = replacement;
    expect((await ended)[0]).toBe(0);
    await expect.poll(() => respondedBy(replacement).length).toBeGreaterThan(10);
    target = undefined;
    await clients;
    agent.destroy();
    const last = respondedBy(old).slice(beforeCheck + 4);
    expect(last.filter(({ connection }) => connection !== 'close')).toEqual([]);
  });
});

/** Rejects when the connection is refused or reset. Without an agent, the request has a connection of its own. */
async function send(url: string, agent?: Agent): Promise<IncomingMessage> {
  const [response]: IncomingMessage[] = await once(get(url, { agent: agent ?? false }), 'response');
  if (!response) throw new Error('no response');
  response.resume();
  await once(response, 'end');
  return response;
}

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
