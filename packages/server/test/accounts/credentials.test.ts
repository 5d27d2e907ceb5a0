// Passwords, names and second factors of accounts, through HTTP to two processes that share a database.

import { TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
} from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, signUp, startService, type TestResponse } from '../../../../test/support/service.js';
import { scryptPasswords } from '../../src/identity/passwords.js';

const PASSWORD = 'correct horse battery';
const settings = {
  JWT_SECRET: 'shared by the processes of this test',
  PSEUDONYM_SECRET: 'another one shared by the processes',
  REGISTRY_NAME: 'Registry of this test',
  // No server: notices stay queued, where this test reads them.
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'registry@example.com',
};

let databaseUrl: string;
let service: Service;
let other: Service;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  const chain = await withoutChain();
  [service, other] = await Promise.all([
    startService({ ...settings, ...chain, DATABASE_URL: databaseUrl }),
    startService({ ...settings, ...chain, DATABASE_URL: databaseUrl }),
  ]);
});

function logIn(at: Service, email: string, password = PASSWORD, totpCode?: string): Promise<TestResponse> {
  const body = { email, password, ...(totpCode !== undefined && { totpCode }) };
  return call(at, 'POST', '/api/v1/auth/login', { body });
}

const readMe = (token: string, at = service) => call(at, 'GET', '/api/v1/me', { token });
const eventsOf = async (userId: string) =>
  (await query<{ type: string }>(databaseUrl, 'select type from events where user_id = $1 order by id', [userId])).map(
    ({ type }) => type,
  );
const noticesTo = async (email: string) =>
  (
    await query<{ kind: string }>(
      databaseUrl,
      `select data ->> 'kind' as kind from mails where recipient = $1 and template = 'security-notice' order by created_at`,
      [email],
    )
  ).map(({ kind }) => kind);

/** Notices go to verified addresses only. */
async function signUpVerified() {
  const user = await signUp(service);
  await query(databaseUrl, 'update users set email_verified = true where id = $1', [user.id]);
  return user;
}

describe('changing the password', () => {
  const change = (token: string, currentPassword: string, newPassword: string) =>
    call(service, 'PUT', '/api/v1/me/password', { token, body: { currentPassword, newPassword } });

  it('needs the current one, and ends all other sessions at once', async () => {
    const { id, email, token } = await signUpVerified();
    const elsewhere = (await logIn(other, email)).body.token;
    expect(statusAndCode(await change(token, 'not that one', 'staple battery horse'))).toEqual([401, 'UNAUTHORIZED']);
    expect((await readMe(elsewhere, other)).status).toBe(200);

    expect((await change(token, PASSWORD, 'staple battery horse')).status).toBe(204);
    expect([(await readMe(token)).status, (await readMe(token, other)).status]).toEqual([200, 200]);
    expect([(await readMe(elsewhere)).status, (await readMe(elsewhere, other)).status]).toEqual([401, 401]);
    expect((await logIn(other, email)).status).toBe(401);
    expect((await logIn(other, email, 'staple battery horse')).status).toBe(200);
    expect(await eventsOf(id)).toEqual(['account.password_changed']);
    expect(await noticesTo(email)).toEqual(['password-changed']);
  });

  it.each([
    ['short', 'too short'],
    ['common', 'manchester'],
    ['a sequence', '0987654321'],
    ['the name', 'Grace Hopper 99'],
  ])('to one that is %s is refused with 400, and changes nothing', async (_, newPassword) => {
    const { token, email } = await signUp(service, { name: 'Grace Hopper' });
    const refused = await change(token, PASSWORD, newPassword);
    expect(statusAndCode(refused)).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.problems).toEqual([{ path: '/newPassword', message: expect.any(String) }]);
    expect((await logIn(service, email)).status).toBe(200);
  });

  it('is not needed by accounts whose password is common today', async () => {
    const { id, email } = await signUp(service);
    const hash = await scryptPasswords({ cost: { N: 1024, r: 8, p: 1 } }).hash('qwertyuiop');
    await query(databaseUrl, 'update users set password_hash = $2 where id = $1', [id, hash]);
    expect((await logIn(service, email, 'qwertyuiop')).status).toBe(200);
    expect((await logIn(service, email, 'qwertyuiop')).status).toBe(200);
  });
});

describe('changing the name', () => {
  const rename = (token: string, name: unknown) => call(service, 'PATCH', '/api/v1/me', { token, body: { name } });

  it('shows the new one everywhere', async () => {
    const { token } = await signUp(service);
    const mark = await createMark(service, { token });
    const { status, body } = await rename(token, 'Ada King');
    expect([status, body.user.name]).toEqual([200, 'Ada King']);
    expect((await readMe(token, other)).body.user.name).toBe('Ada King');
    const { admin } = (await call(service, 'GET', `/api/v1/marks/${mark.body.id}`, { token })).body;
    expect(admin.name).toBe('Ada King');
  });

  it('to none is refused with 400', async () => {
    const { token, name } = await signUp(service);
    expect(statusAndCode(await rename(token, ' '))).toEqual([400, 'BAD_REQUEST']);
    expect((await readMe(token)).body.user.name).toBe(name);
  });
});

it('API keys can neither read nor change the account of their owner', async () => {
  const owner = await createUser(service, 'enterprise');
  const { token } = (await createApiKey(service, owner, await createOrganization(service, owner))).body;
  const attempts = [
    call(service, 'PUT', '/api/v1/me/password', { token, body: { currentPassword: 'x', newPassword: PASSWORD } }),
    call(service, 'PATCH', '/api/v1/me', { token, body: { name: 'X' } }),
    call(service, 'POST', '/api/v1/me/totp', { token, body: { password: PASSWORD } }),
    call(service, 'POST', '/api/v1/me/totp/confirm', { token, body: { code: '123456' } }),
    call(service, 'DELETE', '/api/v1/me/totp', { token, body: { password: PASSWORD } }),
    call(service, 'GET', '/api/v1/me/export', { token }),
    call(service, 'DELETE', '/api/v1/me', { token, body: { password: PASSWORD } }),
  ];
  const refused = (await Promise.all(attempts)).map(statusAndCode);
  expect(refused).toEqual(attempts.map(() => [403, 'FORBIDDEN']));
});

describe('a second factor', () => {
  const start = (token: string, password = PASSWORD) =>
    call(service, 'POST', '/api/v1/me/totp', { token, body: { password } });
  const confirm = (token: string, code: string) =>
    call(other, 'POST', '/api/v1/me/totp/confirm', { token, body: { code } });
  const remove = (token: string, password = PASSWORD) =>
    call(service, 'DELETE', '/api/v1/me/totp', { token, body: { password } });

  /** With `stepsAhead` 1, a later code than that of now, which is accepted too. */
  const codeOf = (secret: string, stepsAhead = 0) =>
    new TOTP({ secret }).generate({ timestamp: Date.now() + stepsAhead * 30_000 });

  /** Of no step that is accepted, also a minute later. */
  function wrongCodeOf(secret: string): string {
    const right = [-2, -1, 0, 1, 2, 3].map((stepsAhead) => codeOf(secret, stepsAhead));
    return ['000000', '111111', '222222', '333333', '444444', '555555', '666666'].find(
      (code) => !right.includes(code),
    ) as string;
  }

  async function createProtectedUser() {
    const user = await signUpVerified();
    const secret = String((await start(user.token)).body.secret);
    const { recoveryCodes } = (await confirm(user.token, codeOf(secret))).body;
    return { ...user, secret, recoveryCodes: recoveryCodes as string[] };
  }

  it('is needed for logging in once it is confirmed', async () => {
    const { id, token, email } = await signUp(service);
    expect(statusAndCode(await start(token, 'not that one'))).toEqual([401, 'UNAUTHORIZED']);
    const first = await start(token);
    expect(first.status).toBe(200);
    const { secret, url } = (await start(token)).body;
    expect(secret).not.toBe(first.body.secret);
    expect(new URL(url).searchParams.get('secret')).toBe(secret);
    expect(new URL(url).searchParams.get('issuer')).toBe('Registry of this test');
    expect((await logIn(service, email)).status).toBe(200);

    const wrong = await confirm(token, wrongCodeOf(secret));
    expect(statusAndCode(wrong)).toEqual([400, 'BAD_REQUEST']);
    expect(wrong.body.problems).toMatchObject([{ path: '/code' }]);
    const confirmed = await confirm(token, codeOf(secret));
    expect(confirmed.status).toBe(200);
    expect(new Set(confirmed.body.recoveryCodes).size).toBe(10);
    expect((await readMe(token)).body.user.hasTotp).toBe(true);
    expect(statusAndCode(await confirm(token, codeOf(secret, 1)))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await start(token))).toEqual([409, 'CONFLICT']);

    expect(statusAndCode(await logIn(service, email))).toEqual([401, 'TOTP_REQUIRED']);
    expect(statusAndCode(await logIn(service, email, 'not that one'))).toEqual([401, 'UNAUTHORIZED']);
    expect(statusAndCode(await logIn(service, email, 'not that one', codeOf(secret, 1)))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    expect(statusAndCode(await logIn(service, email, PASSWORD, wrongCodeOf(secret)))).toEqual([401, 'UNAUTHORIZED']);
    const code = codeOf(secret, 1);
    const loggedIn = await logIn(other, email, PASSWORD, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect([loggedIn.status, loggedIn.body.user.hasTotp]).toEqual([200, true]);
    expect(await eventsOf(id)).toEqual(['account.totp_enabled']);
  });

  it('is stored encrypted, its recovery codes as hashes', async () => {
    const { id, secret, recoveryCodes } = await createProtectedUser();
    const [row] = await query<{ secret: Buffer; recovery_code_hashes: Buffer[] }>(
      databaseUrl,
      'select secret, recovery_code_hashes from second_factors where user_id = $1',
      [id],
    );
    expect(row?.secret.includes(Buffer.from(new TOTP({ secret }).secret.bytes))).toBe(false);
    expect(row?.recovery_code_hashes.map(({ length }) => length)).toEqual(Array(10).fill(32));
    expect(recoveryCodes[0]).toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/);
  });

  it.each([
    ['a code', ({ secret }: { secret: string }) => codeOf(secret, 1)],
    ['a recovery code', ({ recoveryCodes }: { recoveryCodes: string[] }) => recoveryCodes[3] as string],
  ])('accepts %s once, also in concurrent requests to two processes', async (_, choose) => {
    const user = await createProtectedUser();
    const code = choose(user);
    const attempts = await Promise.all(
      Array.from({ length: 6 }, (_, index) => logIn(index % 2 === 0 ? service : other, user.email, PASSWORD, code)),
    );
    expect(attempts.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
    expect((await logIn(service, user.email, PASSWORD, code)).status).toBe(401);
  });

  it('does not accept the code again that confirmed it', async () => {
    const user = await signUp(service);
    const { secret } = (await start(user.token)).body;
    const code = codeOf(secret);
    expect((await confirm(user.token, code)).status).toBe(200);
    expect((await logIn(service, user.email, PASSWORD, code)).status).toBe(401);
  });

  it('refuses codes for 15 minutes after ten wrong ones, but no recovery codes', async () => {
    const { id, email, secret, recoveryCodes } = await createProtectedUser();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await logIn(attempt % 2 === 0 ? service : other, email, PASSWORD, wrongCodeOf(secret))).status).toBe(401);
    }
    const blocked = await logIn(service, email, PASSWORD, codeOf(secret, 1));
    expect(statusAndCode(blocked)).toEqual([401, 'UNAUTHORIZED']);
    expect(blocked.body.error).toBe('Too many wrong codes. Use a recovery code, or try again in 15 minutes.');
    expect((await logIn(service, email, PASSWORD, recoveryCodes[0]?.toUpperCase())).status).toBe(200);
    expect((await logIn(service, email, PASSWORD, codeOf(secret, 1))).status).toBe(401);

    const [row] = await query<{ minutes: number }>(
      databaseUrl,
      'select extract(epoch from blocked_until - now())::float8 / 60 as minutes from second_factors where user_id = $1',
      [id],
    );
    expect(row?.minutes).toBeGreaterThan(10);
    expect(row?.minutes).toBeLessThanOrEqual(15);
    expect(await noticesTo(email)).toEqual(['totp-enabled', 'codes-blocked', 'recovery-code-used']);
    await query(databaseUrl, 'update second_factors set blocked_until = now() where user_id = $1', [id]);
    expect((await logIn(service, email, PASSWORD, wrongCodeOf(secret))).status).toBe(401);
    expect((await logIn(service, email, PASSWORD, codeOf(secret, 1))).body.error).toContain('Too many wrong codes');
    await query(databaseUrl, 'update second_factors set blocked_until = now() where user_id = $1', [id]);
    expect((await logIn(service, email, PASSWORD, codeOf(secret, 1))).status).toBe(200);
  });

  it('that is removed is not needed any more, nor are its recovery codes', async () => {
    const { id, token, email, recoveryCodes } = await createProtectedUser();
    expect(statusAndCode(await remove(token, 'not that one'))).toEqual([401, 'UNAUTHORIZED']);
    expect((await remove(token)).status).toBe(204);
    expect((await logIn(service, email)).body.user.hasTotp).toBe(false);
    expect(statusAndCode(await remove(token))).toEqual([404, 'NOT_FOUND']);
    expect(await query(databaseUrl, 'select 1 from second_factors where user_id = $1', [id])).toEqual([]);
    const { secret } = (await start(token)).body;
    expect((await confirm(token, codeOf(secret))).status).toBe(200);
    expect((await logIn(service, email, PASSWORD, recoveryCodes[0])).status).toBe(401);
    expect(await eventsOf(id)).toEqual(['account.totp_enabled', 'account.totp_disabled', 'account.totp_enabled']);
    expect(await noticesTo(email)).toEqual(['totp-enabled', 'totp-disabled', 'totp-enabled']);
  });
});
