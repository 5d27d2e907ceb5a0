// Requests take turns by client: one with many connections delays others by a few of its requests, not by all of them.

import { once } from 'node:events';
import { Agent, request as open } from 'node:http';
import { json } from 'node:stream/consumers';
import { RegistryError } from '@provenance-registry/core';
import { afterEach, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import type { Ports } from '../../src/domain/ports/index.js';
import type { HttpLimits } from '../../src/http/budgets/limits.js';
import { buildBareServer } from '../support/bareServer.js';

const FINGERPRINT = `0x${'ab'.repeat(32)}`;
/** Reads a pending Artifact, waits for a change, and then finds none. */
const WAITING = `/api/v1/public/artifacts/${FINGERPRINT}?wait=10`;
const BLOCKED = '/api/c2pa/services/status';
const CREATION = '/api/v1/artifacts';
const FREE = '/api/c2pa/services/capabilities';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Calls that end when the test ends them. */
class Blocker {
  readonly #ends: (() => void)[] = [];
  calls = 0;

  readonly call = (): Promise<void> => {
    this.calls += 1;
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  endOldest(count: number): void {
    for (const end of this.#ends.splice(0, count)) end();
  }

  endNewest(): void {
    this.#ends.pop()?.();
  }
}

/** Trusts `X-Forwarded-For` from this machine. */
async function startServer(limits: Partial<HttpLimits> = {}) {
  const status = new Blocker();
  const changes = new Blocker();
  const reads = new Blocker();
  const creations = new Blocker();
  const ports = {
    store: {
      chainMirror: { readProgress: () => status.call().then(() => undefined) },
      sessions: { find: async (id: string) => ({ user: { id }, lastUsedAt: new Date(0), isActive: true }) },
      artifacts: {
        find: () => reads.call().then(() => (changes.calls < 12 ? { id: 'an-id', status: 'pending' } : undefined)),
      },
    },
    chain: { check: async () => {} },
    clock: () => new Date(0),
    statusChanges: { waitForChange: changes.call },
    // The token is the id of its user.
    tokens: { verify: async (token: string) => ({ sessionId: token, identity: { kind: 'service', userId: token } }) },
    tracer: { span: () => creations.call().then(() => Promise.reject(new RegistryError('NOT_FOUND', 'No Mark.'))) },
  } as unknown as Ports;
  const app = buildBareServer(limits, { ports, trustedProxies: ['127.0.0.1'] });
  const begun: string[] = [];
  // Of each request, the client, when it has passed all that comes before its work.
  app.addHook('preHandler', async (request) => void begun.push(request.ip));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  endings.push(async () => {
    agent.destroy();
    for (const blocker of [status, changes, reads, creations]) blocker.endOldest(Number.POSITIVE_INFINITY);
    await app.close();
  });
  /** With a token, it registers a file. */
  const send = (client: string, path = BLOCKED, token?: string) => {
    const headers = { 'x-forwarded-for': client };
    const request = open(url + path, {
      agent,
      headers: token ? { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' } : headers,
      method: token ? 'POST' : 'GET',
    });
    request.end(token && JSON.stringify({ markId: randomUUID(), fingerprint: FINGERPRINT, filename: 'photo.jpg' }));
    const response = once(request, 'response').then(async ([message]) => ({
      status: message.statusCode,
      retryAfter: message.headers['retry-after'],
      body: await json(message),
    }));
    response.catch(() => {});
    return { request, response };
  };
  const sendMany = (client: string, count: number, path?: string, token?: string) =>
    Array.from({ length: count }, () => send(client, path, token));
  return { status, changes, reads, creations, begun, send, sendMany };
}

const A = '192.0.2.1';
const B = '192.0.2.2';
const statuses = (sent: readonly { response: Promise<{ status: number }> }[]) =>
  Promise.all(sent.map(async ({ response }) => (await response).status));

describe('32 requests of one client whose work does not end', () => {
  it('are in work by a few, and those of another client are served meanwhile', async () => {
    const { begun, status, send, sendMany } = await startServer();
    const sent = sendMany(A, 32);
    await expect.poll(() => begun.length).toBe(32);
    expect(status.calls).toBe(3);
    const other = send(B);
    await expect.poll(() => status.calls).toBe(4);
    status.endNewest();
    expect((await other.response).status).toBe(200);
    expect(status.calls).toBe(4);
    for (let ended = 0; ended < 32; ended += 3) {
      await expect.poll(() => status.calls).toBe(Math.min(33, ended + 4));
      status.endOldest(3);
    }
    expect(await statuses(sent)).toEqual(sent.map(() => 200));
  });
});

describe('creations of one account', () => {
  it('are in work by a few, and those of another one at its address are served meanwhile', async () => {
    const { begun, creations, send, sendMany } = await startServer();
    const sent = sendMany(A, 32, CREATION, 'ada');
    await expect.poll(() => begun.length).toBe(32);
    expect(creations.calls).toBe(8);
    const other = send(A, CREATION, 'ben');
    await expect.poll(() => creations.calls).toBe(9);
    creations.endNewest();
    expect((await other.response).status).toBe(404);
    expect(creations.calls).toBe(9);
    for (let ended = 0; ended < 32; ended += 8) {
      await expect.poll(() => creations.calls).toBe(Math.min(33, ended + 9));
      creations.endOldest(8);
    }
    expect(await statuses(sent)).toEqual(sent.map(() => 404));
  });
});

describe('a client whose queue is full', () => {
  it('gets 503 with Retry-After, and others are served', async () => {
    const { status, send, sendMany } = await startServer({ waitingRequestsPerClient: 5 });
    const sent = sendMany(A, 9);
    const refused = await Promise.race(sent.map(({ response }) => response));
    expect(refused).toMatchObject({ status: 503, retryAfter: '2', body: { code: 'UNAVAILABLE' } });
    expect((await send(B, FREE).response).status).toBe(200);
    status.endOldest(3);
    await expect.poll(() => status.calls).toBe(6);
    status.endOldest(3);
    await expect.poll(() => status.calls).toBe(8);
    status.endOldest(2);
    expect((await statuses(sent)).toSorted()).toEqual([...Array.from({ length: 8 }, () => 200), 503]);
  });
});

describe('requests whose client has gone', () => {
  it('leave the queue: nothing of them is done', async () => {
    const { begun, status, send, sendMany } = await startServer();
    const working = sendMany(A, 3);
    const leaving = sendMany(A, 5);
    await expect.poll(() => begun.length).toBe(8);
    const closed = leaving.map(({ request }) => new Promise((resolve) => request.once('close', resolve)));
    for (const { request } of leaving) request.destroy();
    await Promise.all(closed);
    // Its turn would be behind theirs.
    const last = send(A);
    await expect.poll(() => begun.length).toBe(9);
    expect(status.calls).toBe(3);
    status.endOldest(3);
    await expect.poll(() => status.calls).toBe(4);
    status.endOldest(1);
    expect(await statuses([...working, last])).toEqual([200, 200, 200, 200]);
    expect(status.calls).toBe(4);
  });
});

describe('requests that wait for something', () => {
  it('have no turn meanwhile, and take one again to go on', async () => {
    const { changes, reads, send, sendMany } = await startServer();
    const sent = sendMany(A, 12, WAITING);
    for (let waiting = 3; waiting <= 12; waiting += 3) {
      await expect.poll(() => reads.calls).toBe(waiting);
      reads.endOldest(3);
      await expect.poll(() => changes.calls).toBe(waiting);
    }
    // None of the twelve is in the way of another one.
    expect((await send(A, FREE).response).status).toBe(200);
    changes.endOldest(12);
    for (let read = 15; read <= 24; read += 3) {
      await expect.poll(() => reads.calls).toBe(read);
      reads.endOldest(3);
    }
    expect(await statuses(sent)).toEqual(sent.map(() => 404));
  });
});

describe('requests that arrive together', () => {
  it('begin in turn by client, whatever their path', async () => {
    const { begun, send, sendMany } = await startServer();
    const warm = [...sendMany(A, 96, '/unknown'), send(B, '/unknown')];
    await statuses(warm);
    begun.splice(0);
    const sent = [...sendMany(A, 96, FREE), send(B, FREE)];
    await statuses(sent);
    expect(begun).toHaveLength(97);
    expect(begun.indexOf(B)).toBeLessThan(60);
  });
});
