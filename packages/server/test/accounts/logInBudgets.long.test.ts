// Floods of wrong log-ins keep no user with the right password out, and lock no account. Hashes are upgraded at log-in.

import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { statusAndCode } from '../../../../test/support/accounts.js';
import { type RegistryProcess, startRegistryProcess, unreachableChain } from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, signUp } from '../../../../test/support/service.js';
import type { Ports } from '../../src/domain/ports/index.js';
import { scryptPasswords } from '../../src/identity/passwords.js';
import { buildBareServer } from '../support/bareServer.js';

const PASSWORD = 'correct horse battery';
const CONNECTIONS = 60;

let service: RegistryProcess;
const users: string[] = [];
beforeAll(async () => {
  service = await startRegistryProcess({
    ...(await unreachableChain()),
    TRUSTED_PROXIES: '127.0.0.1',
    SCRYPT_COST: 'real',
  });
  for (let count = 0; count < 3; count += 1) users.push((await signUp(service)).email);
});

const logIn = (email: string, from = '127.0.0.1', password = PASSWORD, signal?: AbortSignal) =>
  fetch(`${service.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email, password }),
    ...(signal && { signal }),
  });

describe('while 60 connections send wrong log-ins', () => {
  let attack = new AbortController();
  afterEach(() => attack.abort());

  /** Resolves when the first of them has been refused: the others wait by then. */
  async function startAttack(nextEmail: () => string): Promise<void> {
    attack = new AbortController();
    const { signal } = attack;
    const firstResponses = Array.from({ length: CONNECTIONS }, async () => {
      const { status } = await logIn(nextEmail(), '127.0.0.1', 'a wrong password', signal);
      void (async () => {
        while (!signal.aborted) await logIn(nextEmail(), '127.0.0.1', 'a wrong password', signal);
      })().catch(() => undefined);
      return status;
    });
    for (const response of firstResponses) response.catch(() => undefined);
    expect(await Promise.race(firstResponses)).toBe(401);
  }
  const statusesOf = async (requests: Promise<Response>[]) => (await Promise.all(requests)).map(({ status }) => status);

  it('of random accounts, the users at the same address log in', async () => {
    await startAttack(() => `${randomUUID()}@example.com`);
    expect(await statusesOf(users.map((email) => logIn(email)))).toEqual([200, 200, 200]);
  });

  it('of one account, its owner logs in elsewhere, and the other users at the same address', async () => {
    const [owner = '', ...others] = users;
    await startAttack(() => owner);
    const requests = [logIn(owner, '203.0.113.7'), ...others.map((email) => logIn(email))];
    expect(await statusesOf(requests)).toEqual([200, 200, 200]);
  });
});

describe('a log-in', () => {
  it('whose client has gone is not processed, and the next one has its turn', async () => {
    const started: string[] = [];
    const running: (() => void)[] = [];
    const ports = {
      store: {
        users: {
          async findByEmail(email: string) {
            started.push(email);
            await new Promise<void>((resolve) => running.push(resolve));
          },
        },
      },
      passwords: { verify: async () => false },
    } as unknown as Ports;
    const app = buildBareServer({}, { ports });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const send = (email: string, signal?: AbortSignal) =>
      fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
        ...(signal && { signal }),
      });
    const first = [send('1@example.com'), send('2@example.com')];
    await expect.poll(() => started.length).toBe(2);

    const client = new AbortController();
    const arrived = once(app.server, 'request');
    const gone = send('3@example.com', client.signal).catch(() => 'gone');
    const [, response] = await arrived;
    const left = once(response, 'close');
    client.abort();
    expect(await gone).toBe('gone');
    await left;

    const last = send('4@example.com');
    const release = setInterval(() => running.shift()?.(), 10);
    expect((await Promise.all([...first, last])).map(({ status }) => status)).toEqual([401, 401, 401]);
    clearInterval(release);
    expect(started).toEqual(['1@example.com', '2@example.com', '4@example.com']);
    await app.close();
  });
});

describe('the hash of a password', () => {
  const hashOf = async (email: string) => {
    const [row] = await query<{ hash: string }>(
      service.databaseUrl,
      'select password_hash as hash from users where email = $1',
      [email],
    );
    return row?.hash ?? '';
  };
  const setHash = (email: string, hash: string) =>
    query(service.databaseUrl, 'update users set password_hash = $2 where email = $1', [email, hash]);

  it('with other parameters is replaced at the next right log-in, and not at a wrong one', async () => {
    const { email } = await signUp(service);
    const current = (await hashOf(email)).split('$').slice(0, 4);
    const old = await scryptPasswords({ cost: { N: 1024, r: 8, p: 1 } }).hash(PASSWORD);
    await setHash(email, old);
    expect((await logIn(email, '127.0.0.1', 'a wrong password')).status).toBe(401);
    expect(await hashOf(email)).toBe(old);
    expect((await logIn(email)).status).toBe(200);
    const upgraded = await hashOf(email);
    expect(upgraded.split('$').slice(0, 4)).toEqual(current);
    expect((await logIn(email)).status).toBe(200);
    expect(await hashOf(email)).toBe(upgraded);
  });

  it('of the first version still works', async () => {
    const { email } = await signUp(service);
    const [scheme, , , , salt, key] = (await hashOf(email)).split('$');
    await setHash(email, [scheme, salt, key].join('$'));
    expect((await logIn(email)).status).toBe(200);
    expect((await hashOf(email)).split('$')).toHaveLength(6);
  });

  it('with absurd parameters matches nothing', async () => {
    const { email } = await signUp(service);
    await setHash(email, (await hashOf(email)).replace('$8$', '$999$'));
    const body = { email, password: PASSWORD };
    expect(statusAndCode(await call(service, 'POST', '/api/v1/auth/login', { body }))).toEqual([401, 'UNAUTHORIZED']);
  });
});
