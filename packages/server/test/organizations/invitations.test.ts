// Invitations to organizations and Marks, through HTTP, with and without a mail server. Concurrent ones, and
// those of a process that is killed: races.long.test.ts.

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  acceptInvitation,
  addMarkMember,
  addMember,
  changeTier,
  createMark,
  createOrganization,
  createUser,
  expectInvitationGone,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { type MailServer, startMailServer } from '../../../../test/support/mailServer.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, startService } from '../../../../test/support/service.js';

const JWT_SECRET = 'shared by the processes of this test';
const DAY_MS = 24 * 60 * 60 * 1000;

type Credential = Pick<TestUser, 'token'>;

let databaseUrl: string;
let mailServer: MailServer;
/** Sends no mail. */
let service: Service;
/** On the same database. */
let mailingService: Service;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  mailServer = await startMailServer();
  const shared = { DATABASE_URL: databaseUrl, JWT_SECRET };
  [service, mailingService] = await Promise.all([
    startService(shared),
    startService({ ...shared, ...mailServer.settings }),
  ]);
});

const ofOrganization = (id: string) => `/api/v1/organizations/${id}/invitations`;
const ofMark = (id: string) => `/api/v1/marks/${id}/invitations`;
const get = ({ token }: Credential, path: string) => call(service, 'GET', path, { token });
const invite = ({ token }: Credential, path: string, body: object = {}, at = service) =>
  call(at, 'POST', path, { token, body });
const withdraw = ({ token }: Credential, path: string, id: string) =>
  call(service, 'DELETE', `${path}/${id}`, { token });
const decline = ({ token }: Credential, invitation: string) =>
  call(service, 'POST', '/api/v1/invitations/decline', { token, body: { token: invitation } });
const preview = (invitation: string) =>
  call(service, 'POST', '/api/v1/invitations/preview', { body: { token: invitation } });
const received = async ({ token }: Credential, at = service) =>
  (await call(at, 'GET', '/api/v1/me/invitations', { token })).body;
const setUnits = ({ token }: Credential, id: string, purchased: number) =>
  call(service, 'PUT', `/api/v1/organizations/${id}/usage-units`, { token, body: { purchased } });
const usedUnits = async (user: Credential, id: string) =>
  (await get(user, `/api/v1/organizations/${id}`)).body.usageUnits.used;
const expire = (id: string) =>
  query(databaseUrl, `update invitations set expires_at = now() - interval '1 second' where id = $1`, [id]);
const events = (id: string) =>
  query<{ type: string; actor_id: string | null; user_id: string | null }>(
    databaseUrl,
    `select type, actor_id, user_id from events where data->>'invitationId' = $1 order by id`,
    [id],
  );

async function createStudio(units = 5): Promise<{ owner: TestUser; studio: string }> {
  const owner = await createUser(service, 'enterprise');
  await query(databaseUrl, 'update users set email_verified = true where id = $1', [owner.id]);
  return { owner, studio: await createOrganization(service, owner, units) };
}

describe('an invitation', () => {
  it('is a link with a secret that is shown once, of which only the hash is kept', async () => {
    const { owner, studio } = await createStudio();
    const before = Date.now();
    const { status, body, headers } = await invite(owner, ofOrganization(studio), { isAdmin: true });
    const { token, url, ...listed } = body;
    expect([status, listed]).toEqual([
      201,
      { id: expect.any(String), email: null, isAdmin: true, expiresAt: expect.any(String), requiresEmail: false },
    ]);
    expect(url).toBe(`${service.url}/invitation#${token}`);
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect(headers.get('location')).toBe(`${service.url}${ofOrganization(studio)}/${body.id}`);
    const lifetime = Date.parse(body.expiresAt) - before;
    expect([lifetime >= 7 * DAY_MS, lifetime < 7 * DAY_MS + 600_000]).toEqual([true, true]);
    expect((await get(owner, ofOrganization(studio))).body).toEqual([listed]);
    const [row] = await query<{ token_hash: Buffer; row: string }>(
      databaseUrl,
      'select token_hash, invitations::text as row from invitations where id = $1',
      [body.id],
    );
    expect(row?.token_hash).toEqual(createHash('sha256').update(token).digest());
    expect(row?.row).not.toContain(token);
  });

  it('shows what it is to, and by whom, to anyone with its token, without an account', async () => {
    const { owner, studio } = await createStudio();
    const { token, url: _, ...invitation } = (await invite(owner, ofOrganization(studio))).body;
    expect((await preview(token)).body).toEqual({
      ...invitation,
      kind: 'organization',
      organization: { id: studio, name: 'Studio' },
      mark: null,
      invitedBy: { id: owner.id, name: owner.name },
    });
    expect(statusAndCode(await preview(`${token}x`))).toEqual([404, 'NOT_FOUND']);
  });

  it('makes the account that accepts it a member, once', async () => {
    const { owner, studio } = await createStudio();
    const [ada, bea] = [await createUser(service), await createUser(service)];
    const { id, token } = (await invite(owner, ofOrganization(studio), { isAdmin: true })).body;
    const { status, body } = await acceptInvitation(service, ada, token);
    expect([status, body]).toEqual([200, { organization: expect.objectContaining({ id: studio, role: 'member' }) }]);
    expect((await get(owner, `/api/v1/organizations/${studio}/members`)).body[1]).toMatchObject({
      id: ada.id,
      isAdmin: true,
    });
    expect(statusAndCode(await acceptInvitation(service, bea, token))).toEqual([404, 'NOT_FOUND']);
    await expectInvitationGone(service, token);
    expect(await events(id)).toEqual([
      { type: 'invitation.created', actor_id: owner.id, user_id: null },
      { type: 'invitation.accepted', actor_id: ada.id, user_id: ada.id },
    ]);
  });

  it('that a member opens stays open for others: 409', async () => {
    const { owner, studio } = await createStudio();
    const ada = await createUser(service);
    const { token } = (await invite(owner, ofOrganization(studio))).body;
    await addMember(service, owner, studio, ada);
    for (const member of [owner, ada]) {
      expect(statusAndCode(await acceptInvitation(service, member, token))).toEqual([409, 'CONFLICT']);
    }
    expect((await acceptInvitation(service, await createUser(service), token)).status).toBe(200);
  });

  it('is withdrawn through its own organization or Mark only', async () => {
    const [{ owner, studio }, other] = [await createStudio(), await createStudio()];
    const mark = (await createMark(service, owner, { organizationId: studio })).body.id;
    const { id, token } = (await invite(owner, ofOrganization(studio))).body;
    for (const [user, path] of [
      [other.owner, ofOrganization(other.studio)],
      [owner, ofMark(mark)],
    ] as const) {
      expect(statusAndCode(await withdraw(user, path, id))).toEqual([404, 'NOT_FOUND']);
    }
    expect((await preview(token)).status).toBe(200);
  });
});

describe('a usage unit', () => {
  it.each<[string, (owner: TestUser, studio: string, invitation: { id: string; token: string }) => Promise<unknown>]>([
    ['declined', async (_owner, _studio, { token }) => decline(await createUser(service), token)],
    ['withdrawn', (owner, studio, { id }) => withdraw(owner, ofOrganization(studio), id)],
    ['expired', (_owner, _studio, { id }) => expire(id)],
  ])('is taken by an invitation until that is %s', async (end, endInvitation) => {
    const { owner, studio } = await createStudio(1);
    const { body: invitation } = await invite(owner, ofOrganization(studio));
    expect(await usedUnits(owner, studio)).toBe(2);
    expect(statusAndCode(await invite(owner, ofOrganization(studio)))).toEqual([403, 'USAGE_UNIT_LIMIT_REACHED']);
    expect(statusAndCode(await setUnits(owner, studio, 0))).toEqual([400, 'BAD_REQUEST']);
    await endInvitation(owner, studio, invitation);
    expect(await usedUnits(owner, studio)).toBe(1);
    await expectInvitationGone(service, invitation.token);
    expect((await get(owner, ofOrganization(studio))).body).toEqual([]);
    expect((await invite(owner, ofOrganization(studio))).status).toBe(201);
    if (end === 'expired') return;
    // The inviter does not learn which account declined.
    expect((await events(invitation.id))[1]).toEqual({
      type: `invitation.${end}`,
      actor_id: end === 'declined' ? null : owner.id,
      user_id: null,
    });
  });

  it('passes from the invitation to the member who accepts it', async () => {
    const { owner, studio } = await createStudio(1);
    expect((await addMember(service, owner, studio, await createUser(service))).status).toBe(200);
    expect(await usedUnits(owner, studio)).toBe(2);
    expect(statusAndCode(await invite(owner, ofOrganization(studio)))).toEqual([403, 'USAGE_UNIT_LIMIT_REACHED']);
  });

  it('is not enough: the tier limits members and invitations together, also when one is accepted', async () => {
    const owner = await createUser(service, 'creator');
    const studio = await createOrganization(service, owner, 10);
    await addMember(service, owner, studio, await createUser(service));
    const open = [];
    for (let count = 0; count < 4; count += 1) open.push((await invite(owner, ofOrganization(studio))).body.token);
    expect(statusAndCode(await invite(owner, ofOrganization(studio)))).toEqual([403, 'TIER_LIMIT_REACHED']);
    await changeTier(service, owner, 'free');
    const user = await createUser(service);
    expect(statusAndCode(await acceptInvitation(service, user, open[0]))).toEqual([403, 'TIER_LIMIT_REACHED']);
    await changeTier(service, owner, 'creator');
    expect((await acceptInvitation(service, user, open[0])).status).toBe(200);
  });
});

describe('an invitation that names an address', () => {
  it('tells in no response whether the address has an account', async () => {
    const { owner, studio } = await createStudio();
    const known = await createUser(service);
    for (const at of [service, mailingService]) {
      const responses = [];
      for (const email of [known.email, `unknown-${at === service}@example.com`]) {
        const { status, body } = await invite(owner, ofOrganization(studio), { email: email.toUpperCase() }, at);
        expect(body.email).toBe(email);
        responses.push({ status, body: { ...body, id: '', token: '', url: '', email: '', expiresAt: '' } });
      }
      expect(responses[0]).toEqual(responses[1]);
    }
    expect(await received(known)).toEqual([]);
  });

  it('is accepted by anyone with its link while the service sends no mail', async () => {
    const { owner, studio } = await createStudio();
    const { token, requiresEmail } = (await invite(owner, ofOrganization(studio), { email: 'ada@example.com' })).body;
    expect(requiresEmail).toBe(false);
    expect((await acceptInvitation(service, await createUser(service), token)).status).toBe(200);
  });

  it('is mailed, and then for the account with that verified address only', async () => {
    const { owner, studio } = await createStudio();
    const ada = await createUser(mailingService);
    const verification = await mailServer.nextMail(ada.email);
    const { body } = await invite(owner, ofOrganization(studio), { email: ada.email }, mailingService);
    expect(body.requiresEmail).toBe(true);
    const mail = await mailServer.nextMail(ada.email);
    expect([mail.link, mail.token]).toEqual([body.url, body.token]);
    expect(mail.text).toContain('Studio');
    expect(mail.html).toContain(body.url);

    const stranger = await createUser(service);
    for (const [user, error] of [
      [stranger, /another email address/],
      [ada, /Verify your email address first/],
    ] as const) {
      for (const response of [await acceptInvitation(service, user, body.token), await decline(user, body.token)]) {
        expect([statusAndCode(response), response.body.error]).toEqual([
          [403, 'FORBIDDEN'],
          expect.stringMatching(error),
        ]);
      }
      expect(await received(user)).toEqual([]);
    }

    const proof = { body: { token: verification.token } };
    expect((await call(mailingService, 'POST', '/api/v1/auth/verify-email', proof)).status).toBe(204);
    // The processes compute the same token.
    for (const at of [service, mailingService]) {
      expect(await received(ada, at)).toEqual([{ ...(await preview(body.token)).body, token: body.token }]);
    }
    expect((await acceptInvitation(service, ada, body.token)).status).toBe(200);
    expect(await received(ada)).toEqual([]);
  });

  it('can be declined by the account that it names', async () => {
    const { owner, studio } = await createStudio(1);
    const ada = await createUser(service);
    await query(databaseUrl, 'update users set email_verified = true where id = $1', [ada.id]);
    await invite(owner, ofOrganization(studio), { email: ada.email }, mailingService);
    const [invitation] = await received(ada);
    expect((await decline(ada, invitation.token)).status).toBe(204);
    expect(await usedUnits(owner, studio)).toBe(1);
  });

  it.each(['', 'nobody', 'a@b@c', `${'a'.repeat(400)}@example.com`, 7])('refuses %j with 400', async (email) => {
    const { owner, studio } = await createStudio();
    expect(statusAndCode(await invite(owner, ofOrganization(studio), { email }))).toEqual([400, 'BAD_REQUEST']);
    expect(await usedUnits(owner, studio)).toBe(1);
  });
});

describe('an invitation to a Mark', () => {
  it('takes no usage unit, and gives write access to the Mark alone', async () => {
    const { owner, studio } = await createStudio(0);
    const guest = await createUser(service);
    const mark = (await createMark(service, owner, { organizationId: studio, visibility: 'private' })).body.id;
    const { id, token } = (await invite(owner, ofMark(mark))).body;
    expect((await preview(token)).body).toMatchObject({ kind: 'mark', isAdmin: false, mark: { id: mark } });
    expect((await get(owner, ofMark(mark))).body).toMatchObject([{ id, email: null }]);
    expect(statusAndCode(await get(guest, `/api/v1/marks/${mark}`))).toEqual([403, 'FORBIDDEN']);
    const { status, body } = await acceptInvitation(service, guest, token);
    expect([status, body]).toEqual([
      200,
      { mark: expect.objectContaining({ id: mark, members: [{ id: guest.id, name: guest.name }] }) },
    ]);
    expect((await get(guest, `/api/v1/marks/${mark}`)).status).toBe(200);
    expect((await get(guest, `/api/v1/organizations/${studio}`)).status).toBe(404);
    expect(await usedUnits(owner, studio)).toBe(1);
    await expectInvitationGone(service, token);
  });

  it('is for users who cannot write under it yet: 409, and it stays open', async () => {
    const { owner, studio } = await createStudio();
    const [colleague, guest] = [await createUser(service), await createUser(service)];
    await addMember(service, owner, studio, colleague);
    const mark = (await createMark(service, owner, { organizationId: studio })).body.id;
    await addMarkMember(service, owner, mark, guest);
    const { token } = (await invite(owner, ofMark(mark))).body;
    for (const user of [owner, colleague, guest]) {
      expect(statusAndCode(await acceptInvitation(service, user, token))).toEqual([409, 'CONFLICT']);
    }
    expect((await acceptInvitation(service, await createUser(service), token)).status).toBe(200);
  });

  it.each<[string, (owner: TestUser, mark: string, invitation: { id: string; token: string }) => Promise<unknown>]>([
    ['declined', async (_owner, _mark, { token }) => decline(await createUser(service), token)],
    ['withdrawn', (owner, mark, { id }) => withdraw(owner, ofMark(mark), id)],
    ['expired', (_owner, _mark, { id }) => expire(id)],
  ])('is gone when it is %s', async (_end, endInvitation) => {
    const owner = await createUser(service);
    const mark = (await createMark(service, owner)).body.id;
    const { body: invitation } = await invite(owner, ofMark(mark));
    await endInvitation(owner, mark, invitation);
    await expectInvitationGone(service, invitation.token);
    expect((await get(owner, ofMark(mark))).body).toEqual([]);
  });

  it('is one of at most 100 that are open: 409', async () => {
    const owner = await createUser(service);
    const mark = (await createMark(service, owner)).body.id;
    await invite(owner, ofMark(mark));
    await query(
      databaseUrl,
      `insert into invitations (id, mark_id, token_hash, requires_email, invited_by, expires_at)
      select gen_random_uuid(), mark_id, sha256(number::text::bytea || token_hash), false, invited_by, expires_at
      from invitations cross join generate_series(1, 99) number where mark_id = $1`,
      [mark],
    );
    expect(statusAndCode(await invite(owner, ofMark(mark)))).toEqual([409, 'CONFLICT']);
  });
});

describe('open invitations are withdrawn', () => {
  it('by a freeze: those to the organization and to its Marks', async () => {
    const { owner, studio } = await createStudio();
    const [mark, personal] = [
      (await createMark(service, owner, { organizationId: studio })).body.id,
      (await createMark(service, owner)).body.id,
    ];
    const paths = [ofOrganization(studio), ofMark(mark)];
    const tokens = [];
    for (const path of paths) tokens.push((await invite(owner, path)).body.token);
    const { token: kept } = (await invite(owner, ofMark(personal))).body;
    await changeTier(service, owner, 'creator');
    for (const token of tokens) await expectInvitationGone(service, token);
    for (const path of paths) expect(statusAndCode(await invite(owner, path))).toEqual([403, 'TIER_RESTRICTION']);
    await changeTier(service, owner, 'enterprise');
    for (const token of tokens) await expectInvitationGone(service, token);
    expect(await usedUnits(owner, studio)).toBe(1);
    expect((await preview(kept)).status).toBe(200);
  });

  it('when their maker leaves: those to Marks of the organization', async () => {
    const { owner, studio } = await createStudio();
    const admin = await createUser(service);
    await addMember(service, owner, studio, admin, true);
    const [mark, owners] = [
      (await createMark(service, admin, { organizationId: studio })).body.id,
      (await createMark(service, owner, { organizationId: studio })).body.id,
    ];
    const { token } = (await invite(admin, ofMark(mark))).body;
    const { token: kept } = (await invite(owner, ofMark(owners))).body;
    const path = `/api/v1/organizations/${studio}/members/${admin.id}`;
    expect((await call(service, 'DELETE', path, { token: admin.token })).status).toBe(204);
    await expectInvitationGone(service, token);
    expect((await preview(kept)).status).toBe(200);
    expect(statusAndCode(await invite(admin, ofMark(mark)))).toEqual([403, 'FORBIDDEN']);
  });

  it('when the account of their maker is closed', async () => {
    const { owner, studio } = await createStudio();
    const mark = (await createMark(service, owner)).body.id;
    const tokens = [];
    for (const path of [ofOrganization(studio), ofMark(mark)]) tokens.push((await invite(owner, path)).body.token);
    const password = 'correct horse battery';
    expect((await call(service, 'DELETE', '/api/v1/me', { token: owner.token, body: { password } })).status).toBe(204);
    for (const token of tokens) await expectInvitationGone(service, token);
  });
});
