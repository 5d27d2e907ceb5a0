// Slow clients are disconnected after the time limits, and do not affect others.

import { once } from 'node:events';
import { connect } from 'node:net';
import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../src/domain/ports/index.js';
import type { HttpLimits } from '../../src/http/budgets/limits.js';
import type { HttpOptions } from '../../src/http/server.js';
import { buildBareServer } from '../support/bareServer.js';
import { exchange, parseRaw } from '../support/rawHttp.js';

describe('time limits: slow clients', () => {
  const apps: ReturnType<typeof buildBareServer>[] = [];
  afterAll(() => Promise.all(apps.map((app) => app.close())));

  async function listenWith(limits: Partial<HttpLimits>, options: Partial<HttpOptions> = {}): Promise<number> {
    const app = buildBareServer(limits, options);
    apps.push(app);
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  }

  let port: number;
  beforeAll(async () => {
    port = await listenWith({ headersMs: 300, operationMs: 600, requestMs: 1_000, lingerMs: 100, checkMs: 50 });
  });

  it('that do not finish their headers get 408 and are disconnected', async () => {
    const response = parseRaw(await exchange(port, (socket) => socket.write('GET / HTTP/1.1\r\nhost: a\r\nx-')));
    expect([response.status, response.body.code]).toEqual([408, 'REQUEST_TIMEOUT']);
  });

  it('that send one header at a time are disconnected too', async () => {
    let drip: NodeJS.Timeout | undefined;
    const received = await exchange(port, (socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
      drip = setInterval(() => socket.write('x: y\r\n'), 50);
    });
    clearInterval(drip);
    expect(parseRaw(received).body.code).toBe('REQUEST_TIMEOUT');
  });

  it('that do not finish their body get 408 and are disconnected', async () => {
    const received = await exchange(port, (socket) =>
      socket.write(
        'POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
      ),
    );
    const response = parseRaw(received);
    expect([response.status, response.body.code]).toEqual([408, 'REQUEST_TIMEOUT']);
  });

  it('keep their connection if the rest of their request arrives after an early response', async () => {
    // The time limit applies to the rest of the request only.
    const socket = connect(await listenWith({ lingerMs: 100 }), '127.0.0.1');
    await once(socket, 'connect');
    const subscription = 'PUT /api/v1/subscription HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
    socket.write(`${subscription}content-length: 15\r\n\r\n{"tier":"free"}`);
    const [early] = await once(socket, 'data');
    expect(parseRaw(String(early)).status).toBe(401);
    // The next request takes longer than that time limit.
    socket.write(
      'POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{',
    );
    setTimeout(() => socket.write('}'), 300);
    const [late] = await once(socket, 'data');
    expect(parseRaw(String(late)).status).toBe(400);
    socket.destroy();
  });

  it('are told apart from slow parts of the service, which get 503 with Retry-After', async () => {
    const hang = () => new Promise<never>(() => {});
    const ports = { store: { lookups: { findHolder: hang } } } as unknown as Ports;
    const slow = await listenWith({ operationMs: 100 }, { ports });
    const url = `http://127.0.0.1:${slow}/api/c2pa/matches/byBinding`;
    const binding = { alg: SOFT_BINDING_ALGORITHM, value: Buffer.alloc(32).toString('base64') };
    const requests = [
      fetch(`${url}?${new URLSearchParams(binding)}`),
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(binding),
      }),
    ];
    for (const response of await Promise.all(requests)) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
    }
  });

  it('do not keep other clients from being served, even by the hundred', async () => {
    const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
    // The first may be disconnected before the last is connected.
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    await Promise.all(
      sockets.map(async (socket) => {
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write('GET / HTTP/1.1\r\nhost: a\r\nx-');
        socket.resume();
      }),
    );
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    await Promise.all(closed);
  });
});
