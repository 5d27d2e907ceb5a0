// Accounts and bearer tokens, through HTTP. Forged tokens: security/tokens.test.ts.

import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';

const JWT_SECRET = 'a secret that only this test knows, 32+';
const OPERATOR_TOKEN = 'operator-of-this-test';

let databaseUrl: string;
let service: Service;
/** On the same database, without an operator token. */
let other: Service;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  const settings = { DATABASE_URL: databaseUrl, JWT_SECRET, ...(await withoutChain()) };
  [service, other] = await Promise.all([startService({ ...settings, OPERATOR_TOKEN }), startService(settings)]);
});

describe('signing up', () => {
  it('returns 201 with the user, a token and its expiry', async () => {
    const { response, email, name } = await signUp(service);
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      user: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email,
        name,
        tier: 'free',
        emailVerified: false,
        hasTotp: false,
      },
      token: expect.any(String),
      expiresAt: expect.any(String),
    });
  });

  it('issues HS256 tokens with sub, jti, iat, exp and iss, valid for seven days', async () => {
    const { response } = await signUp(service);
    expect(decodeProtectedHeader(response.body.token)).toMatchObject({ alg: 'HS256' });
    const { sub, iat = 0, exp = 0, iss, ...rest } = decodeJwt(response.body.token);
    expect(sub).toBe(response.body.user.id);
    expect(iss).toBeTruthy();
    expect(exp - iat).toBe(7 * 24 * 60 * 60);
    expect(new Date(response.body.expiresAt).getTime()).toBe(exp * 1000);
    expect(rest).toEqual({ jti: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('refuses an address that is in use, in upper or lower case, with 409 CONFLICT', async () => {
    const { email } = await signUp(service);
    const { response } = await signUp(service, { email: email.toUpperCase() });
    expect([response.status, response.body.code]).toEqual([409, 'CONFLICT']);
  });

  it('creates exactly one account for eight concurrent requests with one address', async () => {
    const email = 'shared@example.com';
    // Passwords are hashed two at a time: on a busy machine, many more requests would time out.
    const attempts = await Promise.all(Array.from({ length: 8 }, () => signUp(service, { email })));
    const statuses = attempts.map(({ response }) => response.status).sort();
    expect(statuses).toEqual([201, ...Array(7).fill(409)]);
    expect(await query(databaseUrl, 'select id from users where email = $1', [email])).toHaveLength(1);
  });

  it('creates the counters of each user', async () => {
    const { id } = await signUp(service);
    const rows = await query(databaseUrl, 'select marks, lifetime_artifacts from counters where owner_id = $1', [id]);
    expect(rows).toEqual([{ marks: 0, lifetime_artifacts: '0' }]);
  });

  it('stores a salted hash of the password only', async () => {
    const [ada, bea] = [await signUp(service), await signUp(service)];
    const rows = await query<{ password_hash: string }>(
      databaseUrl,
      'select password_hash from users where id = any($1)',
      [[ada.id, bea.id]],
    );
    const [first, second] = rows.map((row) => row.password_hash);
    expect(first).toMatch(/^scrypt\$/);
    expect(first).not.toBe(second);
    expect(`${first}${second}`).not.toContain(ada.password);
  });

  it.each([
    ['no address', { email: undefined }],
    ['an address without @', { email: 'ada.example.com' }],
    ['an address with a space', { email: 'a da@example.com' }],
    ['an address of 300 characters', { email: `${'a'.repeat(300)}@example.com` }],
    ['a password of 9 characters', { password: '123456789' }],
    ['a password that is a number', { password: 1234567890 }],
    ['an empty name', { name: '' }],
    ['a name of spaces', { name: '   ' }],
    ['a name of 121 characters', { name: 'a'.repeat(121) }],
    ['a name with a null character', { name: 'a\u0000b' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a name with a right-to-left override', { name: 'a\u202Eb' }],
    ['a name with a lone surrogate', { name: 'a\uD800b' }],
    ['a name that is an object', { name: { $ne: '' } }],
  ])('refuses %s with 400 BAD_REQUEST', async (_, fields) => {
    const { response } = await signUp(service, fields);
    expect([response.status, response.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(response.body.error).toBeTruthy();
  });

  it('accepts names in every script, and passwords of 10 characters', async () => {
    for (const name of ['عمر الخيام', 'Ωmega', '李清照', 'O’Neil-Ünal', '👩🏽🎨']) {
      const { response } = await signUp(service, { name, password: 'dGq1a9x_Ks' });
      expect(response.status).toBe(201);
      expect(response.body.user.name).toBe(name);
    }
  });

  it('refuses a common password with 400, and names the field', async () => {
    const { response } = await signUp(service, { password: '1234567890' });
    expect([response.status, response.body]).toEqual([
      400,
      {
        error: 'Choose another password: this one is among the most common ones.',
        code: 'BAD_REQUEST',
        problems: [{ path: '/password', message: response.body.error }],
      },
    ]);
  });
});

describe('logging in', () => {
  it('returns 200 with the user and a valid token', async () => {
    const { email, password, response } = await signUp(service);
    const session = await call(service, 'POST', '/api/v1/auth/login', {
      body: { email: email.toUpperCase(), password },
    });
    expect(session.status).toBe(200);
    expect(session.body.user).toEqual(response.body.user);
    expect((await call(service, 'GET', '/api/v1/me', { token: session.body.token })).status).toBe(200);
  });

  it('gives the same error for a wrong password and for an unknown address', async () => {
    const { email } = await signUp(service);
    const wrong = await call(service, 'POST', '/api/v1/auth/login', { body: { email, password: 'not that one' } });
    const unknown = await call(service, 'POST', '/api/v1/auth/login', {
      body: { email: 'nobody@example.com', password: 'not that one' },
    });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect([unknown.status, unknown.body]).toEqual([wrong.status, wrong.body]);
  });

  it('accepts a password in any Unicode normalization form', async () => {
    const { email } = await signUp(service, { password: 'caf\u00e9 au lait' });
    const session = await call(service, 'POST', '/api/v1/auth/login', {
      body: { email, password: 'cafe\u0301 au lait' },
    });
    expect(session.status).toBe(200);
  });
});

describe('the caller', () => {
  it('reads their account and their organizations', async () => {
    const { token, response } = await signUp(service);
    const me = await call(service, 'GET', '/api/v1/me', { token });
    expect(me.status).toBe(200);
    expect(me.body).toEqual({ user: response.body.user, organizations: [] });
  });

  it('sees organizations with role, tier, status and units', async () => {
    const [owner, member] = [await signUp(service), await signUp(service)];
    await call(service, 'PUT', '/api/v1/subscription', { token: owner.token, body: { tier: 'enterprise' } });
    const id = randomUUID();
    await query(
      databaseUrl,
      'insert into organizations (id, name, owner_id, purchased_units, member_count) values ($1, $2, $3, 2, 2)',
      [id, 'Studio', owner.id],
    );
    await query(
      databaseUrl,
      `insert into organization_members (organization_id, user_id, role) values ($1, $2, 'owner'), ($1, $3, 'member')`,
      [id, owner.id, member.id],
    );
    const me = await call(service, 'GET', '/api/v1/me', { token: member.token });
    expect(me.body.organizations).toEqual([
      {
        id,
        name: 'Studio',
        role: 'member',
        tier: 'enterprise',
        status: 'active',
        usageUnits: { total: 3, used: 2 },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ]);
  });
});

describe('tiers', () => {
  it('are chosen by users with self-serve billing', async () => {
    const { token } = await signUp(service);
    for (const tier of ['creator', 'enterprise', 'free']) {
      const response = await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier } });
      expect([response.status, response.body.user.tier]).toEqual([200, tier]);
      expect((await call(service, 'GET', '/api/v1/me', { token })).body.user.tier).toBe(tier);
    }
  });

  it('that do not exist are refused with 400', async () => {
    const { token } = await signUp(service);
    const response = await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'gold' } });
    expect([response.status, response.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await call(service, 'GET', '/api/v1/me', { token })).body.user.tier).toBe('free');
  });

  it('are set by the operator only with operator billing', async () => {
    const other = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET, OPERATOR_TOKEN, BILLING: 'operator' });
    const { token, id } = await signUp(other);
    const own = await call(other, 'PUT', '/api/v1/subscription', { token, body: { tier: 'creator' } });
    expect([own.status, own.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await call(other, 'GET', '/api/tiers')).body.selfServe).toBe(false);
    const set = await call(other, 'PUT', `/api/operator/users/${id}/tier`, {
      token: OPERATOR_TOKEN,
      body: { tier: 'creator' },
    });
    expect([set.status, set.body.user.tier]).toEqual([200, 'creator']);
  });
});

describe('operator endpoints', () => {
  const path = `/api/operator/users/${randomUUID()}/tier`;
  const body = { tier: 'creator' };

  it.each([
    ['no token', undefined],
    ['another token', 'operator-of-this-tess'],
    ['a longer one', `${OPERATOR_TOKEN}x`],
  ])('refuse %s with 401', async (_, token) => {
    const response = await call(service, 'PUT', path, { body, ...(token && { token }) });
    expect([response.status, response.body.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('refuse the token of a user with 401', async () => {
    const { token } = await signUp(service);
    expect((await call(service, 'PUT', path, { token, body })).status).toBe(401);
  });

  it('return 404 for an unknown user, and for an invalid id', async () => {
    for (const id of [randomUUID(), 'me', 'urn:uuid:5f1d7f1e-6a0b-4a0e-9f57-2d6c2f5f0b11', "'; drop table users"]) {
      const response = await call(service, 'PUT', `/api/operator/users/${encodeURIComponent(id)}/tier`, {
        token: OPERATOR_TOKEN,
        body,
      });
      expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('do not exist without an operator token: 404', async () => {
    const response = await call(other, 'PUT', path, { token: 'anything', body });
    expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('without a mail server', () => {
  it('an address changes at once, unverified, and only if it is free; links of the operator end', async () => {
    const [{ id, token, password }, taken] = [await signUp(service), await signUp(service)];
    const link = randomUUID();
    await query(
      databaseUrl,
      `insert into one_time_tokens (id, token_hash, user_id, purpose, expires_at)
      values ($1, $2, $3, 'reset-password', now() + interval '1 hour')`,
      [link, createHash('sha256').update(link).digest(), id],
    );
    const reset = async () =>
      (
        await call(service, 'POST', '/api/v1/auth/password-reset/confirm', {
          body: { token: link, newPassword: '1234567890' },
        })
      ).status;
    expect(await reset()).toBe(400);
    const change = (email: string) => call(service, 'PUT', '/api/v1/me/email', { token, body: { email, password } });
    const refusal = await change(taken.email);
    expect([refusal.status, refusal.body.code]).toEqual([409, 'CONFLICT']);
    const email = 'changed@example.com';
    expect((await change(email)).status).toBe(202);
    const { user } = (await call(service, 'GET', '/api/v1/me', { token })).body;
    expect(user).toMatchObject({ email, emailVerified: false });
    expect(await reset()).toBe(404);
  });

  it('resets and verification mails are not found, and nothing is queued', async () => {
    const { email, token } = await signUp(service);
    for (const response of [
      await call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } }),
      await call(service, 'POST', '/api/v1/me/email/verification', { token }),
    ]) {
      expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await query(databaseUrl, 'select id from mails')).toEqual([]);
  });
});

describe('a bearer token', () => {
  async function me(authorization: string) {
    const { status, body, headers } = await call(service, 'GET', '/api/v1/me', { headers: { authorization } });
    return { status, code: body.code, challenge: headers.get('www-authenticate') };
  }

  const refused = { status: 401, code: 'UNAUTHORIZED', challenge: 'Bearer' };

  it('is required: 401 without one, or with another scheme', async () => {
    const { token } = await signUp(service);
    const { status, body } = await call(service, 'GET', '/api/v1/me');
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    for (const header of [`Basic ${token}`, token, 'Bearer', 'Bearer ', `Bearer ${token} ${token}`, `Token ${token}`]) {
      expect(await me(header)).toEqual(refused);
    }
  });

  it('is accepted by every process with the same secret', async () => {
    const { token } = await signUp(service);
    expect((await call(other, 'GET', '/api/v1/me', { token })).status).toBe(200);
  });
});
