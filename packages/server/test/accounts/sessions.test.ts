// Sessions, with two processes on a database that an earlier release has filled. Tokens of a provider:
// openidProvider.long.test.ts.

import { decodeJwt, SignJWT } from 'jose';
import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { statusAndCode } from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { createEarlierDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import {
  call,
  type Service,
  type ServiceProcess,
  signUp,
  startService,
  startServiceProcess,
} from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';

const JWT_SECRET = 'shared by the processes of this test';
const HOUR_S = 3_600;

let databaseUrl: string;
let service: Service;
let other: ServiceProcess;
const ada = { id: randomUUID() };

/** As earlier releases issued them: without the id of a session. */
function legacyToken(userId: string, issuedAt = Math.floor(Date.now() / 1000) - HOUR_S): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(userId)
    .setIssuer('provenance-registry')
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 7 * 24 * HOUR_S)
    .sign(new TextEncoder().encode(JWT_SECRET));
}

beforeAll(async () => {
  databaseUrl = await createEarlierDatabase(inject('postgresUrl'), '0008');
  await query(databaseUrl, `insert into users (id, name, email) values ($1, 'Ada', 'ada@example.com')`, [ada.id]);
  service = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await withoutChain()) });
  other = await startServiceProcess({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await withoutChain()) });
});

const status = async (token: string, at = service) => (await call(at, 'GET', '/api/v1/me', { token })).status;
const onBoth = async (token: string) => [await status(token), await status(token, other)];
const list = async (token: string) => (await call(service, 'GET', '/api/v1/me/sessions', { token })).body;
const logOut = (token: string, at = service) => call(at, 'POST', '/api/v1/auth/logout', { token });
const end = (token: string, id: string) => call(service, 'DELETE', `/api/v1/me/sessions/${id}`, { token });
const endAll = (token: string, parameters = '') =>
  call(service, 'DELETE', `/api/v1/me/sessions${parameters}`, { token });
const sessionOf = (token: string) => String(decodeJwt(token).jti);
async function logIn({ email, password }: { email: string; password: string }, userAgent = 'node'): Promise<string> {
  const headers = { 'user-agent': userAgent };
  return (await call(service, 'POST', '/api/v1/auth/login', { body: { email, password }, headers })).body.token;
}

describe('logging out', () => {
  it('ends the token at once on every process, also during many requests, and no other token', async () => {
    const user = await signUp(service);
    const second = await logIn(user);
    expect(await onBoth(user.token)).toEqual([200, 200]);
    let isEnded = false;
    const clients = [service, other, service, other].map(async (at) => {
      while (!isEnded) expect([200, 401]).toContain(await status(user.token, at));
      return [await status(user.token, at), await status(user.token, at)];
    });
    const response = await logOut(user.token).finally(() => {
      isEnded = true;
    });
    expect([response.status, response.body]).toEqual([204, '']);
    expect(await Promise.all(clients)).toEqual(clients.map(() => [401, 401]));
    expect(statusAndCode(await logOut(user.token))).toEqual([401, 'UNAUTHORIZED']);
    expect(await onBoth(second)).toEqual([200, 200]);
  });
});

describe('the list of sessions', () => {
  it('has those that are open, with the agent that logged in, and says which is the current one', async () => {
    const user = await signUp(service);
    const agent = `Browser/1.0 (${'x'.repeat(300)})`;
    const [first, second, ended] = [await logIn(user, agent), await logIn(user, '\u00e9\tPhone'), await logIn(user)];
    await logOut(ended);
    const sessions = await list(first);
    expect(sessions).toHaveLength(3);
    expect(sessions).toContainEqual({
      id: sessionOf(first),
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: expect.stringMatching(/Z$/),
      userAgent: agent.slice(0, 255),
      current: true,
    });
    expect(sessions).toContainEqual(expect.objectContaining({ id: sessionOf(second), userAgent: 'Phone' }));
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
  });

  it('shows the last use, the most recent first, whichever process served it', async () => {
    const user = await signUp(service);
    const second = await logIn(user);
    await query(databaseUrl, `update sessions set last_used_at = now() - interval '1 hour' where user_id = $1`, [
      user.id,
    ]);
    // Between the two times, whose clocks are not the same.
    const before = new Date(Date.now() - 1_800_000).toISOString();
    await status(user.token, other);
    type Listed = { id: string; lastUsedAt: string };
    const isUsed = ({ lastUsedAt }: Listed) => lastUsedAt >= before;
    await waitUntil(async () => (await list(second)).every(isUsed), 'both uses are written');
    await query(databaseUrl, `update sessions set last_used_at = now() - interval '30 seconds' where id = $1`, [
      sessionOf(second),
    ]);
    const ids = (await list(second)).map(({ id }: Listed) => id);
    expect(ids).toEqual([sessionOf(user.token), sessionOf(second)]);
  });
});

describe('ending one session', () => {
  it('ends its token on every process', async () => {
    const user = await signUp(service);
    const stolen = await logIn(user);
    expect((await end(user.token, sessionOf(stolen))).status).toBe(204);
    expect(await onBoth(stolen)).toEqual([401, 401]);
    expect(await onBoth(user.token)).toEqual([200, 200]);
    expect(statusAndCode(await end(user.token, sessionOf(stolen)))).toEqual([404, 'NOT_FOUND']);
  });

  it('is 404 for the session of another user, which stays open, and for what is no session', async () => {
    const [user, victim] = [await signUp(service), await signUp(service)];
    for (const id of [sessionOf(victim.token), randomUUID(), 'mine']) {
      expect(statusAndCode(await end(user.token, id))).toEqual([404, 'NOT_FOUND']);
    }
    expect(await status(victim.token)).toBe(200);
  });
});

describe('ending all sessions', () => {
  it('with keepCurrent=true keeps the current one only', async () => {
    const [user, bystander] = [await signUp(service), await signUp(service)];
    const [second, unused, current] = [await logIn(user), await legacyToken(user.id), await logIn(user)];
    expect((await endAll(current, '?keepCurrent=true')).status).toBe(204);
    for (const token of [user.token, second, unused]) expect(await onBoth(token)).toEqual([401, 401]);
    expect(await onBoth(current)).toEqual([200, 200]);
    expect(await onBoth(bystander.token)).toEqual([200, 200]);
    expect(await list(current)).toMatchObject([{ id: sessionOf(current) }]);
  });

  it('ends the current one too; the next log-in works', async () => {
    const user = await signUp(service);
    expect((await endAll(user.token)).status).toBe(204);
    expect(await onBoth(user.token)).toEqual([401, 401]);
    expect(await onBoth(await logIn(user))).toEqual([200, 200]);
    const events = await query(databaseUrl, 'select type, user_id, data from events where actor_id = $1', [user.id]);
    expect(events).toEqual([{ type: 'account.sessions_ended', user_id: user.id, data: { sessions: 1 } }]);
  });

  it('ends a log-in that is under way', async () => {
    const user = await signUp(service);
    const transaction = new pg.Client({ connectionString: databaseUrl });
    await transaction.connect();
    try {
      await transaction.query('begin');
      await transaction.query('update users set tokens_not_before = now() where id = $1', [user.id]);
      const login = call(service, 'POST', '/api/v1/auth/login', {
        body: { email: user.email, password: user.password },
      });
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await waitUntil(async () => (await query(databaseUrl, waiting)).length > 0, 'the log-in waits');
      await transaction.query('commit');
      expect(statusAndCode(await login)).toEqual([401, 'UNAUTHORIZED']);
    } finally {
      await transaction.end();
    }
    expect(await status(await logIn(user))).toBe(200);
  });

  it('refuses a value that is neither true nor false', async () => {
    const { token } = await signUp(service);
    expect(statusAndCode(await endAll(token, '?keepCurrent=maybe'))).toEqual([400, 'BAD_REQUEST']);
    expect(await status(token)).toBe(200);
  });
});

describe('a token of an earlier release', () => {
  it('stays valid, and has one session from its first use', async () => {
    const token = await legacyToken(ada.id);
    expect(await Promise.all([service, other, service, other].map((at) => status(token, at)))).toEqual([
      200, 200, 200, 200,
    ]);
    const createdAt = new Date((decodeJwt(token).iat ?? 0) * 1000).toISOString();
    expect(await list(token)).toMatchObject([{ createdAt, current: true }]);
  });

  it('can be ended, for good and however its signature is written', async () => {
    const token = await legacyToken(ada.id, Math.floor(Date.now() / 1000) - 2 * HOUR_S);
    expect(await status(token)).toBe(200);
    expect((await logOut(token, other)).status).toBe(204);
    // The last character has two unused bits.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sameSignature = token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) ^ 1];
    for (const ended of [token, sameSignature, token]) expect(await onBoth(ended)).toEqual([401, 401]);
  });

  it('keeps its own session when it ends all others', async () => {
    const user = await signUp(service);
    const token = await legacyToken(user.id);
    expect((await endAll(token, '?keepCurrent=true')).status).toBe(204);
    expect(await onBoth(token)).toEqual([200, 200]);
    expect(await onBoth(user.token)).toEqual([401, 401]);
  });
});

describe('a session', () => {
  it('of a closed account is refused', async () => {
    const { id, token } = await signUp(service);
    const unused = await legacyToken(id);
    await query(databaseUrl, 'update users set closed_at = now() where id = $1', [id]);
    expect(await onBoth(token)).toEqual([401, 401]);
    expect(await onBoth(unused)).toEqual([401, 401]);
  });

  it('is deleted an hour after its token has expired', async () => {
    const { id: userId } = await signUp(service);
    const ages = ['2 hours', '30 minutes'];
    const ids = await Promise.all(
      ages.map(async (age) => {
        const rows = await query<{ id: string }>(
          databaseUrl,
          `insert into sessions (id, user_id, created_at, expires_at, last_used_at)
           values (gen_random_uuid(), $1, now(), now() - $2::interval, now()) returning id`,
          [userId, age],
        );
        return rows[0]?.id;
      }),
    );
    const left = async () =>
      (await query<{ id: string }>(databaseUrl, 'select id from sessions where id = any($1)', [ids])).map(
        ({ id }) => id,
      );
    // Each process sweeps when it starts.
    const third = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await withoutChain()) });
    await waitUntil(async () => (await left()).length < 2, 'an expired session is deleted');
    await third.end();
    expect(await left()).toEqual([ids[1]]);
  });

  it('that was ended stays ended when the process is killed right after its response', async () => {
    const { token } = await signUp(other);
    expect((await logOut(token, other)).status).toBe(204);
    await other.end('SIGKILL');
    expect(await status(token)).toBe(401);
  });
});
