// Email verification, changes of the address, password resets and notices, through mails that a real server receives.
// Without a mail server: accounts.test.ts.

import { TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
  type Tier,
} from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact } from '../../../../test/support/artifacts.js';
import { type MailServer, startMailServer, type TestMail } from '../../../../test/support/mailServer.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import {
  call,
  newDataFolder,
  type ServiceProcess,
  signUp,
  startServiceProcess,
} from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';

const newPassword = 'staple battery horse';
let databaseUrl: string;
let dataDir: string;
let service: ServiceProcess;
let mail: MailServer;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  dataDir = await newDataFolder();
  mail = await startMailServer({ tls: 'implicit' });
  service = await startServiceProcess({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...mail.settings });
});

let addressCount = 0;
function newAddress(): string {
  addressCount += 1;
  return `new-${addressCount}@example.com`;
}

const verify = (token: string) => call(service, 'POST', '/api/v1/auth/verify-email', { body: { token } });
const resend = ({ token }: Pick<TestUser, 'token'>) =>
  call(service, 'POST', '/api/v1/me/email/verification', { token });
const changeEmail = ({ token }: Pick<TestUser, 'token'>, email: string, password = 'correct horse battery') =>
  call(service, 'PUT', '/api/v1/me/email', { token, body: { email, password } });
const requestReset = (email: string) => call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } });
const confirmReset = (token: string, password = newPassword) =>
  call(service, 'POST', '/api/v1/auth/password-reset/confirm', { body: { token, newPassword: password } });
const logIn = (email: string, password: string) =>
  call(service, 'POST', '/api/v1/auth/login', { body: { email, password } });
const me = async ({ token }: Pick<TestUser, 'token'>) =>
  (await call(service, 'GET', '/api/v1/me', { token })).body.user;

/** Resolves when nothing is left to be sent: a mail that is not there by now does not arrive. */
async function waitUntilAllSent(): Promise<void> {
  await expect
    .poll(async () => (await query(databaseUrl, 'select id from mails where sent_at is null')).length, {
      timeout: 60_000,
    })
    .toBe(0);
}

async function createVerifiedUser(tier?: Tier): Promise<TestUser> {
  const user = await createUser(service, tier);
  expect((await verify((await mail.nextMail(user.email)).token)).status).toBe(204);
  return user;
}

async function enableTotp({ token }: TestUser): Promise<void> {
  const body = { password: 'correct horse battery' };
  const { secret } = (await call(service, 'POST', '/api/v1/me/totp', { token, body })).body;
  const code = new TOTP({ secret }).generate();
  expect((await call(service, 'POST', '/api/v1/me/totp/confirm', { token, body: { code } })).status).toBe(200);
}

async function resetLink(email: string): Promise<TestMail> {
  expect((await requestReset(email)).status).toBe(202);
  return mail.nextMail(email);
}

describe('verification', () => {
  it('is mailed on sign-up, and its link works once', async () => {
    const user = await createUser(service);
    expect(await me(user)).toMatchObject({ emailVerified: false });
    const message = await mail.nextMail(user.email);
    expect(message).toMatchObject({
      subject: 'Verify your email address',
      from: { name: 'Test registry', address: 'registry@mail.example' },
      to: [user.email],
      isEncrypted: true,
    });
    expect(message.link).toBe(`${service.url}/verify-email#${message.token}`);
    expect(message.html).toContain(`href="${message.link}"`);
    expect(message.messageId).toMatch(/^<[0-9a-f-]{36}@mail\.example>$/);

    expect((await verify(message.token)).status).toBe(204);
    expect(await me(user)).toMatchObject({ email: user.email, emailVerified: true });
    expect(statusAndCode(await verify(message.token))).toEqual([404, 'NOT_FOUND']);
    expect((await resend(user)).status).toBe(202);
    await waitUntilAllSent();
    expect(mail.count(user.email)).toBe(1);
  });

  it('is mailed again on request, but not in quick succession', async () => {
    const user = await createUser(service);
    const first = await mail.nextMail(user.email);
    expect((await resend(user)).status).toBe(202);
    await waitUntilAllSent();
    expect(mail.count(user.email)).toBe(1);
    await query(
      databaseUrl,
      "update one_time_tokens set expires_at = expires_at - interval '11 minutes' where email = $1",
      [user.email],
    );
    expect((await resend(user)).status).toBe(202);
    const second = await mail.nextMail(user.email);
    expect(statusAndCode(await verify(first.token))).toEqual([404, 'NOT_FOUND']);
    expect((await verify(second.token)).status).toBe(204);
  });

  it.each(['no token at all', 'x'.repeat(43)])('refuses an unknown token: %s', async (token) => {
    expect(statusAndCode(await verify(token))).toEqual([404, 'NOT_FOUND']);
  });

  it('refuses an expired link, and the link of a password reset', async () => {
    const user = await createUser(service);
    const { token } = await mail.nextMail(user.email);
    const reset = await resetLink(user.email);
    await query(databaseUrl, 'update one_time_tokens set expires_at = now() where email = $1 and purpose = $2', [
      user.email,
      'verify-email',
    ]);
    for (const wrong of [token, reset.token]) expect(statusAndCode(await verify(wrong))).toEqual([404, 'NOT_FOUND']);
    expect(await me(user)).toMatchObject({ emailVerified: false });
  });
});

describe('a change of the address', () => {
  it('takes effect when the new address is verified, and the old address is told', async () => {
    const user = await createVerifiedUser();
    const reset = await resetLink(user.email);
    const email = newAddress();
    expect((await changeEmail(user, email.toUpperCase())).status).toBe(202);
    const { token } = await mail.nextMail(email);
    expect(await me(user)).toMatchObject({ email: user.email, emailVerified: true });
    expect((await verify(token)).status).toBe(204);
    expect(await me(user)).toMatchObject({ email, emailVerified: true });
    const notice = await mail.nextMail(user.email);
    expect(notice.subject).toBe('Your email address was changed');
    expect(notice.text).not.toContain(email);
    expect((await logIn(email, 'correct horse battery')).status).toBe(200);
    expect((await logIn(user.email, 'correct horse battery')).status).toBe(401);
    // A link in the mailbox that is no longer the user's.
    expect(statusAndCode(await confirmReset(reset.token))).toEqual([404, 'NOT_FOUND']);
  });

  it('needs the password, and an address', async () => {
    const user = await createUser(service);
    expect(statusAndCode(await changeEmail(user, newAddress(), 'wrong password'))).toEqual([401, 'UNAUTHORIZED']);
    for (const email of ['nowhere', 'a@b\r\nBcc: c@d.example', 'a@b.example, c@d.example']) {
      expect(statusAndCode(await changeEmail(user, email))).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('is only possible with the link of the address that was requested last', async () => {
    const user = await createUser(service);
    const [mistyped, right] = [newAddress(), newAddress()];
    await changeEmail(user, mistyped);
    const old = await mail.nextMail(mistyped);
    await changeEmail(user, right);
    const { token } = await mail.nextMail(right);
    expect(statusAndCode(await verify(old.token))).toEqual([404, 'NOT_FOUND']);
    expect((await verify(token)).status).toBe(204);
    expect(await me(user)).toMatchObject({ email: right });
  });

  it.each(['change', 'reset'])('that is not verified yet is canceled by a password %s', async (way) => {
    const user = await createVerifiedUser();
    const address = newAddress();
    expect((await changeEmail(user, address)).status).toBe(202);
    const { token } = await mail.nextMail(address);
    const body = { currentPassword: 'correct horse battery', newPassword };
    const changed =
      way === 'change'
        ? await call(service, 'PUT', '/api/v1/me/password', { token: user.token, body })
        : await confirmReset((await resetLink(user.email)).token);
    expect(changed.status).toBe(204);
    expect(statusAndCode(await verify(token))).toEqual([404, 'NOT_FOUND']);
    expect((await logIn(user.email, newPassword)).status).toBe(200);
  });

  it('answers the same for an address that has an account, and mails nothing to it', async () => {
    const [user, other] = [await createUser(service), await createVerifiedUser()];
    expect((await changeEmail(user, other.email)).status).toBe(202);
    await waitUntilAllSent();
    expect(mail.count(other.email)).toBe(1);
    expect(await me(user)).toMatchObject({ email: user.email });
  });

  it('is refused when another account has taken the address in the meantime', async () => {
    const user = await createUser(service);
    const email = newAddress();
    await changeEmail(user, email);
    const { token } = await mail.nextMail(email);
    await signUp(service, { email });
    expect(statusAndCode(await verify(token))).toEqual([409, 'CONFLICT']);
    expect(await me(user)).toMatchObject({ email: user.email });
  });
});

describe('a password reset', () => {
  it('sets the password, ends all sessions and proves the address', async () => {
    const user = await createUser(service);
    await mail.nextMail(user.email);
    const message = await resetLink(user.email);
    expect(message.subject).toBe('Reset your password');
    expect(message.link).toBe(`${service.url}/reset-password#${message.token}`);

    const weak = await confirmReset(message.token, '1234567890');
    expect(statusAndCode(weak)).toEqual([400, 'BAD_REQUEST']);
    expect(weak.body.problems).toMatchObject([{ path: '/newPassword' }]);
    expect((await confirmReset(message.token)).status).toBe(204);
    expect(statusAndCode(await confirmReset(message.token))).toEqual([404, 'NOT_FOUND']);

    expect((await call(service, 'GET', '/api/v1/me', user)).status).toBe(401);
    expect((await logIn(user.email, 'correct horse battery')).status).toBe(401);
    const session = await logIn(user.email, newPassword);
    expect(session.body.user).toMatchObject({ emailVerified: true });
    expect((await mail.nextMail(user.email)).subject).toBe('Your password was reset');
  });

  it('of an account that was never verified leaves its address and nothing else, as the mail has said', async () => {
    const [user, member] = [await createUser(service, 'enterprise'), await createUser(service)];
    const organizationId = await createOrganization(service, user, 2);
    await addMember(service, user, organizationId, member, true);
    const create = async (creator: TestUser, fields = {}): Promise<string> =>
      (await createMark(service, creator, fields)).body.id;
    const ofOrganization = { organizationId };
    const used = [await create(user), await create(user, ofOrganization), await create(member, ofOrganization)];
    const unused = [await create(user), await create(user, ofOrganization), await create(member, ofOrganization)];
    for (const markId of used) {
      const creator = markId === used[2] ? member : user;
      expect((await createArtifact(service, creator, newArtifact({ markId }))).status).toBe(201);
    }
    const elsewhere = await create(member);
    const path = `/api/v1/marks/${elsewhere}/represented-by`;
    const representative = { token: member.token, body: { representativeId: unused[2] } };
    expect((await call(service, 'PUT', path, representative)).status).toBe(200);
    await mail.nextMail(user.email);
    const message = await resetLink(user.email);
    expect(message.text).toContain('closes the account that was opened with it, for good, and opens an empty one');
    expect((await confirmReset(message.token)).status).toBe(204);

    const { body } = await logIn(user.email, newPassword);
    expect(body.user).toMatchObject({ email: user.email, name: 'Unnamed', tier: 'free', emailVerified: true });
    expect(body.user.id).not.toBe(user.id);
    const exported = (await call(service, 'GET', '/api/v1/me/export', body)).body;
    expect(exported).toMatchObject({ organizations: [], marks: [], artifacts: [], apiKeys: [], webhooks: [] });
    expect(exported.events.map(({ type }: { type: string }) => type)).toEqual(['account.password_changed']);
    const closed = { admin: { name: 'Closed account' }, isClosed: true, artifactCount: 1 };
    for (const id of used)
      expect((await call(service, 'GET', `/api/v1/marks/${id}`, member)).body).toMatchObject(closed);
    for (const id of unused) expect((await call(service, 'GET', `/api/v1/marks/${id}`, member)).status).toBe(404);
    expect((await call(service, 'GET', `/api/v1/marks/${elsewhere}`, member)).body.representedBy).toBeNull();
    expect((await call(service, 'GET', `/api/v1/organizations/${organizationId}`, member)).status).toBe(404);
    for (const markId of used) {
      for (const caller of [member, body]) {
        const refused = await createArtifact(service, caller, newArtifact({ markId }));
        expect(statusAndCode(refused)).toEqual([403, 'FORBIDDEN']);
      }
    }
    expect(await findViolations(databaseUrl)).toEqual([]);
    expect((await mail.nextMail(user.email)).subject).toBe('Your password was reset');
    const next = await resetLink(user.email);
    expect(next.text).not.toContain('closes the account');
    expect((await confirmReset(next.token, 'horse staple battery')).status).toBe(204);
    expect((await logIn(user.email, 'horse staple battery')).body.user.id).toBe(body.user.id);
  });

  it('of a verified account leaves its second factor and its API keys', async () => {
    const user = await createVerifiedUser('enterprise');
    const organizationId = await createOrganization(service, user);
    const key = (await createApiKey(service, user, organizationId)).body.token;
    await enableTotp(user);
    for (const _ of ['key created', 'second factor']) await mail.nextMail(user.email);
    expect((await confirmReset((await resetLink(user.email)).token)).status).toBe(204);
    expect(statusAndCode(await logIn(user.email, newPassword))).toEqual([401, 'TOTP_REQUIRED']);
    expect((await call(service, 'GET', '/api/v1/api-keys', { token: key })).status).toBe(200);
  });

  it('is mailed once for requests in quick succession, and again after it was used', async () => {
    const user = await createVerifiedUser();
    const responses = await Promise.all([1, 2, 3].map(() => requestReset(user.email)));
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202]);
    const { token } = await mail.nextMail(user.email);
    await waitUntilAllSent();
    expect(mail.count(user.email)).toBe(2);
    expect((await confirmReset(token)).status).toBe(204);
    expect((await mail.nextMail(user.email)).subject).toBe('Your password was reset');
    expect((await resetLink(user.email)).token).not.toBe(token);
  });

  it('answers the same for an address without an account, and mails nothing', async () => {
    const user = await createVerifiedUser();
    const [known, unknown] = [await requestReset(user.email), await requestReset('nobody@example.com')];
    const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(known.headers);
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(Object.fromEntries(unknown.headers)).toMatchObject(headers);
    await mail.nextMail(user.email);
    await waitUntilAllSent();
    expect(mail.count('nobody@example.com')).toBe(0);
    for (const email of ['not an address', '']) expect((await requestReset(email)).status).toBe(202);
  });

  it('refuses an expired link, and the link of a verification', async () => {
    const user = await createUser(service);
    const verification = await mail.nextMail(user.email);
    const { token } = await resetLink(user.email);
    await query(
      databaseUrl,
      "update one_time_tokens set expires_at = now() where email = $1 and purpose = 'reset-password'",
      [user.email],
    );
    for (const wrong of [token, verification.token, 'x']) {
      expect(statusAndCode(await confirmReset(wrong))).toEqual([404, 'NOT_FOUND']);
    }
    expect((await logIn(user.email, 'correct horse battery')).status).toBe(200);
  });

  it('stores no token', async () => {
    const user = await createVerifiedUser();
    const { token } = await resetLink(user.email);
    const [row] = await query<{ text: string }>(
      databaseUrl,
      "select (select string_agg(m::text, '') from mails m) || (select string_agg(t::text, '') from one_time_tokens t) as text",
    );
    expect(row?.text).toContain(user.id);
    expect(row?.text).not.toContain(token);
    expect(service.output().log).not.toContain(token);
    expect(service.output().log).not.toContain(user.email);
  });
});

it('Mail is reported, but not required for readiness', async () => {
  await createVerifiedUser();
  await waitUntilAllSent();
  await expect
    .poll(() => call(service, 'GET', '/readyz'), { timeout: 60_000 })
    .toMatchObject({ status: 200, body: { checks: { mail: 'ok' } } });
  const metrics = String((await call(service, 'GET', '/metrics')).body);
  expect(metrics).toMatch(/^mails_total\{outcome="sent"\} [1-9]/m);
  expect(metrics).toMatch(/^mails_waiting 0$/m);
});

it('A mail that was requested before the service was killed arrives after the restart, here over STARTTLS', async () => {
  const user = await createUser(service);
  await mail.nextMail(user.email);
  // Otherwise the service may not know yet that it was sent, and sends it again.
  await waitUntilAllSent();
  await mail.stop();
  await service.end();
  const killed = await startServiceProcess({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...mail.settings });
  expect((await call(killed, 'POST', '/api/v1/auth/password-reset', { body: { email: user.email } })).status).toBe(202);
  await killed.end('SIGKILL');
  mail = await startMailServer({ tls: 'starttls', host: '0.0.0.0' });
  service = await startServiceProcess({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...mail.settings });
  const message = await mail.nextMail(user.email);
  expect(message.isEncrypted).toBe(true);
  expect((await confirmReset(message.token)).status).toBe(204);
});
