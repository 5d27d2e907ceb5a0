// Exporting and closing an account, through HTTP to two processes that share a database.

import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  addMember,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  filePart,
  getArtifact,
  listPublishedFiles,
  newArtifact,
  newFingerprint,
  type Registry,
  type RegistryProcess,
  restartRegistryProcess,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../../test/support/domains.js';
import { query } from '../../../../test/support/postgres.js';
import { call, type Service, signUp } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { actOnClaim, contest, registerUnderNewMark } from '../support/claims.js';
import { findViolations } from '../support/invariants.js';

const PASSWORD = 'correct horse battery';

let service: Registry;
let other: RegistryProcess;

beforeAll(async () => {
  // Mails are queued and not sent, Artifacts wait for the chain: this test reads what is stored.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'registry@example.com' };
  service = await startRegistry({ ...(await unreachableChain()), ...mail });
  other = await restartRegistryProcess(service.settings);
});

const close = ({ token }: Pick<TestUser, 'token'>, at: Service = service, body: unknown = { password: PASSWORD }) =>
  call(at, 'DELETE', '/api/v1/me', { token, body });
const logIn = (email: string) => call(service, 'POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
const readMark = ({ token }: TestUser, id: string) => call(service, 'GET', `/api/v1/marks/${id}`, { token });
const exportOf = async ({ token }: Pick<TestUser, 'token'>) =>
  (await call(service, 'GET', '/api/v1/me/export', { token })).body;
const rows = <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
  query<Row>(service.databaseUrl, sql, values);

/** The tables with a row that contains the text. */
async function findTablesWith(text: string): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const matching = await rows(`select 1 from "${name}" t where position(lower($1) in lower(t::text)) > 0 limit 1`, [
        text,
      ]);
      return matching.length === 0 ? [] : [name];
    }),
  );
  return found.flat();
}

/** Everything that an account can have. */
async function createRichAccount(name: string) {
  const account = await signUp(service, { name });
  const { id, email, token } = account;
  const ada: TestUser = { id, email, name, token };
  await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
  await rows('update users set email_verified = true where id = $1', [id]);
  await call(service, 'POST', '/api/v1/me/totp', { token, body: { password: PASSWORD } });
  // As the worker does for a request to reset the password.
  await rows(
    `insert into one_time_tokens (id, token_hash, user_id, purpose, expires_at)
     values (gen_random_uuid(), sha256($1::uuid::text::bytea), $1::uuid, 'reset-password', now() + interval '1 hour')`,
    [id],
  );
  await rows(
    `insert into mails (id, recipient, template, data, expires_at)
     values (gen_random_uuid(), $1, 'password-reset', '{}', now() + interval '1 hour')`,
    [email],
  );
  const [bea, carl] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];

  const markId: string = (await createMark(service, ada)).body.id;
  await addVerifiedDomain(service, markId, 'edna.example');
  await addMarkMember(service, ada, markId, bea);
  // Its admin is another user.
  const handedOverId: string = (await createMark(service, ada)).body.id;
  await addMarkMember(service, ada, handedOverId, bea);
  const handOver = { token, body: { userId: bea.id } };
  expect((await call(service, 'PUT', `/api/v1/marks/${handedOverId}/admin`, handOver)).status).toBe(200);
  const artifact = newArtifact({ markId });
  expect((await createArtifact(service, ada, artifact, { key: 'first' })).status).toBe(201);

  const studio = await createOrganization(service, ada, 1);
  const studioMarkId: string = (await createMark(service, ada, { organizationId: studio })).body.id;
  const key: string = (await createApiKey(service, ada, studio)).body.token;
  const url = 'https://hooks.example/';
  for (const body of [{ url }, { url, organizationId: studio }]) {
    expect((await call(service, 'POST', '/api/v1/webhooks', { token, body })).status).toBe(201);
  }
  const invited = await call(service, 'POST', `/api/v1/organizations/${studio}/invitations`, { token, body: {} });

  const byMail = { token, body: { email: 'invited@example.com' } };
  expect((await call(service, 'POST', `/api/v1/marks/${markId}/invitations`, byMail)).status).toBe(201);

  const guild = await createOrganization(service, carl, 2);
  await addMember(service, carl, guild, ada, true);
  const guildMarkId: string = (await createMark(service, ada, { organizationId: guild })).body.id;
  const carlsMarkId: string = (await createMark(service, carl)).body.id;
  await addMarkMember(service, carl, carlsMarkId, ada);
  const contested = await registerUnderNewMark(service, carl);
  const claimId: string = (await contest(service, ada, contested.fingerprint)).body.id;
  expect((await actOnClaim(service, ada, claimId, 'withdraw')).status).toBe(200);
  const invitation: string = invited.body.token;
  return {
    handedOverId,
    ada,
    bea,
    carl,
    markId,
    artifact,
    studio,
    studioMarkId,
    key,
    invitation,
    guild,
    guildMarkId,
    carlsMarkId,
  };
}

describe('the export of an account', () => {
  /** Where the export shows what refers to the user. A new reference belongs here, and into the export. */
  const sectionOf = {
    'api_keys.created_by': 'apiKeys',
    'artifacts.created_by': 'artifacts',
    'claim_entries.author_id': 'claimEntries',
    'claims.claimant_id': 'claims',
    'invitations.invited_by': 'invitations',
    'mailed_addresses.user_id': 'mailedAddresses',
    'mark_domains.claimed_by': 'domains',
    'mark_domains.ended_by': 'domains',
    'mark_members.user_id': 'marks',
    'marks.admin_id': 'marks',
    'marks.owner_id': 'marks',
    'one_time_tokens.user_id': 'oneTimeLinks',
    'organization_members.user_id': 'organizations',
    'organizations.owner_id': 'organizations',
    'second_factors.user_id': 'secondFactor',
    'sessions.user_id': 'sessions',
    'webhooks.created_by': 'webhooks',
    'webhooks.user_id': 'webhooks',
  };

  it('has something of every table that refers to the user', async () => {
    const { ada, markId, artifact, studio, guild, guildMarkId, carlsMarkId } = await createRichAccount('Edna Export');
    const references = await rows<{ reference: string }>(
      `select conrelid::regclass || '.' || attname as reference
       from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
       where contype = 'f' and confrelid = 'users'::regclass order by 1`,
    );
    expect(references.map(({ reference }) => reference)).toEqual(Object.keys(sectionOf));

    const response = await fetch(`${service.url}/api/v1/me/export`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await response.text();
    const data = JSON.parse(text);
    for (const section of Object.values(sectionOf)) expect([section, data[section]?.length]).not.toEqual([section, 0]);
    expect(data.user).toMatchObject({ id: ada.id, email: ada.email, name: 'Edna Export', emailVerified: true });
    expect(data.secondFactor).toMatchObject({ confirmedAt: null });
    expect(data.artifacts).toMatchObject([
      { markId, fingerprint: artifact.fingerprint, status: 'pending', metadata: { filename: 'sunrise.jpg' } },
    ]);
    expect(data.organizations).toMatchObject([
      { id: studio, role: 'owner' },
      { id: guild, role: 'member', isAdmin: true },
    ]);
    const marks = data.marks.map(({ id }: { id: string }) => id);
    expect(marks).toEqual(expect.arrayContaining([markId, guildMarkId, carlsMarkId]));
    expect(data.domains).toMatchObject([{ domain: 'edna.example', markId, isClaimedByYou: true, endedAt: null }]);
    expect(data.idempotencyKeys).toMatchObject([{ key: 'first' }]);
    expect(data.oneTimeLinks).toContainEqual(expect.objectContaining({ purpose: 'reset-password' }));
    expect(data.mails).toContainEqual(expect.objectContaining({ template: 'password-reset' }));
    expect(data.apiKeys).toMatchObject([{ organizationId: studio, revokedAt: null }]);
    expect(data.webhooks).toMatchObject([
      { organizationId: null, url: 'https://hooks.example/' },
      { organizationId: studio },
    ]);
    expect(data.events.map(({ type }: { type: string }) => type)).toContain('mark.created');
    expect(data.onClosing.erased.join(' ')).toContain('email address');
    expect(data.onClosing.kept.join(' ')).toContain('Artifacts');
    expect(text).not.toMatch(/hash":"scrypt|token_?hash|\\\\x/i);
  });

  it('has mails and invitations to an address only once it is verified', async () => {
    const [owner, user] = [await createUser(service), await createUser(service)];
    const markId: string = (await createMark(service, owner)).body.id;
    await rows('update users set email_verified = true where id = $1', [owner.id]);
    const invite = { token: owner.token, body: { email: user.email } };
    expect((await call(service, 'POST', `/api/v1/marks/${markId}/invitations`, invite)).status).toBe(201);
    const unverified = await exportOf(user);
    expect([unverified.invitations, unverified.mails]).toMatchObject([[], [{ template: 'verify-email' }]]);
    await rows('update users set email_verified = true where id = $1', [user.id]);
    const verified = await exportOf(user);
    expect([verified.invitations, verified.mails]).toMatchObject([
      [{ markId }],
      [{ template: 'verify-email' }, { template: 'invitation' }],
    ]);
  });

  it('has all Artifacts and events, however many there are', async () => {
    const user = await createUser(service);
    const markId = (await createMark(service, user)).body.id;
    await rows(
      `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
       select gen_random_uuid(), $1, $2, sha256(gen_random_uuid()::text::bytea), sha256('x'), '{}'
       from generate_series(1, 450)`,
      [markId, user.id],
    );
    await rows(
      `insert into events (type, actor_id, user_id) select 'account.sessions_ended', $1, $1 from generate_series(1, 400)`,
      [user.id],
    );
    const data = await exportOf(user);
    expect(new Set(data.artifacts.map(({ id }: { id: string }) => id)).size).toBe(450);
    expect(data.artifacts).toHaveLength(450);
    const events: string[] = data.events.map(({ id }: { id: string }) => id);
    expect([events.length, new Set(events).size]).toEqual([401, 401]);
    await rows(`delete from artifacts where mark_id = $1`, [markId]);
  });
});

describe('closing an account', () => {
  it('needs the right password', async () => {
    const user = await createUser(service);
    const refused = [await close(user, service, {}), await close(user, service, { password: 'not that one' })];
    expect(refused.map(statusAndCode)).toEqual([
      [400, 'BAD_REQUEST'],
      [401, 'UNAUTHORIZED'],
    ]);
    expect(refused[0]?.body.problems).toMatchObject([{ path: '/password' }]);
    expect((await logIn(user.email)).status).toBe(200);
  });

  it('is refused to the owner of an organization with other members', async () => {
    const [owner, member] = [await createUser(service, 'enterprise'), await createUser(service)];
    const id = await createOrganization(service, owner, 1);
    await addMember(service, owner, id, member);
    expect(statusAndCode(await close(owner))).toEqual([409, 'CONFLICT']);
    expect((await logIn(owner.email)).status).toBe(200);
    expect((await close(member)).status).toBe(204);
    expect((await close(owner)).status).toBe(204);
    expect(await findViolations(service.databaseUrl)).toEqual([]);
  });

  it('erases the user and ends all access, and keeps what was registered', async () => {
    const name = 'Orlando Oneoff';
    const rich = await createRichAccount(name);
    const { ada, bea, carl, markId, artifact, studio, studioMarkId, key, guild, guildMarkId, carlsMarkId } = rich;
    const elsewhere: string = (await logIn(ada.email)).body.token;
    expect((await call(service, 'GET', '/api/v1/marks', { token: key })).status).toBe(200);
    expect((await close(ada)).status).toBe(204);

    // No access is left, on any process.
    expect(statusAndCode(await logIn(ada.email))).toEqual([401, 'UNAUTHORIZED']);
    for (const token of [ada.token, elsewhere, key]) {
      const statuses = [service, other].map(async (at) => (await call(at, 'GET', '/api/v1/marks', { token })).status);
      expect(await Promise.all(statuses)).toEqual([401, 401]);
    }
    expect(statusAndCode(await close(ada, other))).toEqual([401, 'UNAUTHORIZED']);
    const accepting = { token: bea.token, body: { token: rich.invitation } };
    expect((await call(service, 'POST', '/api/v1/invitations/accept', accepting)).status).toBe(404);

    // Nothing of the user is left but the signed name, and the last notice until it is sent.
    expect(await findTablesWith(name)).toEqual(['artifacts']);
    expect(await findTablesWith(ada.email)).toEqual(['mails']);
    expect(await rows('select template, data from mails where recipient = $1', [ada.email])).toMatchObject([
      { template: 'security-notice', data: { kind: 'account-closed' } },
    ]);
    expect(
      await rows('select 1 from sessions where user_id = $1 and (ended_at is null or user_agent is not null)', [
        ada.id,
      ]),
    ).toEqual([]);
    for (const table of ['second_factors', 'one_time_tokens']) {
      expect(await rows(`select 1 from ${table} where user_id = $1`, [ada.id])).toEqual([]);
    }
    expect(await rows('select 1 from idempotency_keys where caller_id = $1', [ada.id])).toEqual([]);
    expect(await rows('select 1 from webhooks where created_by = $1', [ada.id])).toEqual([]);
    const [last] = await rows('select type from events where user_id = $1 order by id desc limit 1', [ada.id]);
    expect(last).toEqual({ type: 'account.closed' });

    // Personal Marks stay readable, and are closed.
    const closed = { id: ada.id, name: 'Closed account' };
    expect((await readMark(bea, markId)).body).toMatchObject({ admin: closed, owner: closed, isClosed: true });
    const { metadata, createdBy } = (await getArtifact(service, bea, artifact.fingerprint)).body;
    expect([metadata.author.name, createdBy]).toEqual([name, closed]);
    for (const path of ['/api/v1/artifacts', '/api/c2pa/manifests'] as const) {
      expect(statusAndCode(await createArtifact(other, bea, newArtifact({ markId }), { path }))).toEqual([
        403,
        'FORBIDDEN',
      ]);
    }
    const copyPath = `/api/v1/artifacts/${artifact.fingerprint}/signed-copy` as '/api/v1/artifacts';
    expect(statusAndCode(await sendForm(service, bea, [filePart('x')], { path: copyPath }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    const [asAdmin, path] = [{ token: bea.token }, `/api/v1/marks/${rich.handedOverId}`];
    for (const attempt of [
      call(service, 'PUT', path, { ...asAdmin, body: { name: 'Mine' } }),
      call(service, 'POST', `${path}/invitations`, { ...asAdmin, body: {} }),
      call(service, 'PUT', `${path}/admin`, { ...asAdmin, body: { userId: bea.id } }),
      createArtifact(service, bea, newArtifact({ markId: rich.handedOverId })),
    ]) {
      expect(statusAndCode(await attempt)).toEqual([403, 'FORBIDDEN']);
    }
    const { isClosed } = (await readMark(carl, studioMarkId)).body;
    expect(isClosed).toBe(true);

    // In organizations and Marks of others, the user is gone, and the owner has the admin role.
    const members = await call(service, 'GET', `/api/v1/organizations/${guild}/members`, { token: carl.token });
    expect(members.body.map(({ id }: { id: string }) => id)).toEqual([carl.id]);
    expect((await readMark(carl, guildMarkId)).body).toMatchObject({ admin: { id: carl.id }, isClosed: false });
    expect((await createArtifact(service, carl, newArtifact({ markId: guildMarkId }))).status).toBe(201);
    expect((await readMark(carl, carlsMarkId)).body.members).toEqual([]);
    expect(await rows('select 1 from invitations where organization_id = $1', [studio])).toEqual([]);
    expect(await findViolations(service.databaseUrl)).toEqual([]);

    // The address is free: its next account is another one.
    const next = await signUp(service, { email: ada.email });
    expect(next.response.status).toBe(201);
    expect(next.id).not.toBe(ada.id);
    const { artifacts, marks, organizations, events } = await exportOf(next);
    expect([artifacts, marks, organizations, events]).toEqual([[], [], [], []]);
    expect(statusAndCode(await createArtifact(service, next, newArtifact({ markId })))).toEqual([403, 'FORBIDDEN']);
  });

  it.each([
    ['the owner', (ada: TestUser, _bea: TestUser) => ada],
    ['a member of the Mark', (_ada: TestUser, bea: TestUser) => bea],
  ])('refuses a registration by %s that is under way on another process', async (_, choose) => {
    const [ada, bea] = [await createUser(service), await createUser(service)];
    const markId = (await createMark(service, ada)).body.id;
    await addMarkMember(service, ada, markId, bea);
    const filesBefore = await listPublishedFiles(service);
    const fingerprint = newFingerprint();

    // The creation is authorized, and waits before it signs.
    const gate = new pg.Client(service.databaseUrl);
    await gate.connect();
    await gate.query('begin; lock table drafts in exclusive mode');
    const creation = createArtifact(other, choose(ada, bea), newArtifact({ markId, fingerprint }));
    await waitUntil(
      async () => (await rows(`select 1 from pg_locks where relation = 'drafts'::regclass and not granted`)).length > 0,
      'the creation waits',
    );
    expect((await close(ada)).status).toBe(204);
    await gate.query('commit');
    await gate.end();

    expect(statusAndCode(await creation)).toEqual([403, 'FORBIDDEN']);
    expect((await getArtifact(service, bea, fingerprint)).status).toBe(404);
    expect(await listPublishedFiles(service)).toEqual(filesBefore);
    expect(await rows('select 1 from drafts')).toEqual([]);
  });

  it('twice at once on two processes closes it once', async () => {
    const user = await createUser(service);
    const responses = await Promise.all([close(user), close(user, other), close(user), close(user, other)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401]);
    expect(await rows(`select 1 from events where type = 'account.closed' and user_id = $1`, [user.id])).toHaveLength(
      1,
    );
  });

  it('lasts when the process is killed right after its response', async () => {
    const user = await createUser(service);
    expect((await close(user, other)).status).toBe(204);
    await other.end('SIGKILL');
    expect((await logIn(user.email)).status).toBe(401);
    expect((await call(service, 'GET', '/api/v1/me', { token: user.token })).status).toBe(401);
    expect(await findTablesWith(user.email)).toEqual([]);
  });
});
