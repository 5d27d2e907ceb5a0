// Use, expiry and revocation of API keys, through HTTP to processes that share a database.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  changeTier,
  createApiKey,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { freePort } from '../../../../test/support/ports.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, startService, type TestResponse } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';

const JWT_SECRET = 'shared by the processes of this test';

let databaseUrl: string;
let service: Service;
/** Others on the same database; the second one is behind a proxy and queues mails. */
let other: Service;
let proxied: Service;
let owner: TestUser;
/** Two keys, of which one had expired when the others started. */
let swept: { organizationId: string; expired: { id: string }; kept: { id: string } };

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  const settings = { DATABASE_URL: databaseUrl, JWT_SECRET, ...(await withoutChain()) };
  service = await startService(settings);
  owner = await createUser(service, 'enterprise');
  const organizationId = await createOrganization(service, owner);
  const expired = await createWith(organizationId, { expiresAt: inMs(3_600_000) });
  swept = { organizationId, expired, kept: await createWith(organizationId, {}) };
  await query(databaseUrl, `update api_keys set expires_at = now() - interval '1 second' where id = $1`, [expired.id]);
  [other, proxied] = await Promise.all([
    startService(settings),
    startService({
      ...settings,
      TRUSTED_PROXIES: '127.0.0.1',
      SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
      MAIL_FROM: 'registry@example.com',
    }),
  ]);
});

const list = (user: { token: string }, organizationId?: string): Promise<TestResponse> =>
  call(service, 'GET', `/api/v1/api-keys${organizationId ? `?organizationId=${organizationId}` : ''}`, {
    token: user.token,
  });
const revoke = (user: { token: string }, keyId: string, organizationId?: string): Promise<TestResponse> =>
  call(service, 'DELETE', `/api/v1/api-keys/${keyId}${organizationId ? `?organizationId=${organizationId}` : ''}`, {
    token: user.token,
  });

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const createWith = async (organizationId: string, fields: object) =>
  (
    await call(service, 'POST', '/api/v1/api-keys', {
      token: owner.token,
      body: { organizationId, name: 'key', ...fields },
    })
  ).body;
const eventsOf = (organizationId: string) =>
  query<{ type: string; key_id: string; actor_id: string | null; data: unknown }>(
    databaseUrl,
    `select type, key_id, actor_id, data from events where organization_id = $1 and type like 'key.%' order by id`,
    [organizationId],
  );
const countOf = async (organizationId: string) =>
  (
    await query<{ api_keys: number }>(databaseUrl, 'select api_keys from counters where owner_id = $1', [
      organizationId,
    ])
  )[0]?.api_keys;

/** The owner's verified address gets a notice. */
async function createNoticed(withMail: Service, organizationId: string): Promise<{ token: string }> {
  await query(databaseUrl, 'update users set email_verified = true where id = $1', [owner.id]);
  const { body } = await createApiKey(withMail, owner, organizationId);
  const mails = await query(databaseUrl, 'select template, data from mails where recipient = $1', [owner.email]);
  expect(mails).toEqual([
    { template: 'security-notice', data: { kind: 'key-created', organizationId, at: expect.any(String) } },
  ]);
  return body;
}

describe('using a key', () => {
  it('sets time, address and agent of its last use, which are null before', async () => {
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    expect((await list(owner, id)).body[0].lastUsedAt).toBeNull();
    const headers = { 'user-agent': `build/1 ${'x'.repeat(300)}`, 'x-forwarded-for': '203.0.113.7' };
    await call(service, 'GET', '/api/v1/me', { token: key.token, headers });
    const [{ createdAt, lastUsedAt, lastUsedAddress, lastUsedAgent }] = (await list(owner, id)).body;
    expect(lastUsedAt >= createdAt).toBe(true);
    expect([lastUsedAddress, lastUsedAgent]).toEqual(['127.0.0.1', headers['user-agent'].slice(0, 255)]);
  });

  it('sets them also when another process served the request, with the address that a trusted proxy states', async () => {
    const id = await createOrganization(service, owner);
    const key = await createNoticed(proxied, id);
    const headers = { 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' };
    await call(proxied, 'GET', '/api/v1/me', { token: key.token, headers });
    await proxied.end();
    const [{ lastUsedAt, lastUsedAddress }] = (await list(owner, id)).body;
    expect([lastUsedAt, lastUsedAddress]).toEqual([expect.any(String), '2001:db8:1:2:3:4:5:6']);
  });

  it('that is revoked returns 401 immediately, on every process, also during many requests', async () => {
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    const use = async (at: Service) => (await call(at, 'GET', '/api/v1/me', { token: key.token })).status;
    expect([await use(service), await use(other)]).toEqual([200, 200]);
    let revoked = false;
    const users = [service, other, service, other].map(async (at) => {
      while (!revoked) expect([200, 401]).toContain(await use(at));
      return [await use(at), await use(at), await use(at)];
    });
    const response = await revoke(owner, key.id, id).finally(() => {
      revoked = true;
    });
    expect(response.status).toBe(204);
    expect(await Promise.all(users)).toEqual(users.map(() => [401, 401, 401]));
  });

  it('that does not exist returns 401', async () => {
    for (const token of [
      `svc_${'a'.repeat(22)}`,
      `svc_${'a'.repeat(21)}`,
      `svc_${'a'.repeat(23)}`,
      'svc_',
      `SVC_${'a'.repeat(22)}`,
    ]) {
      expect(statusAndCode(await call(service, 'GET', '/api/v1/me', { token }))).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  it('of a frozen organization returns 401 WORKSPACE_FROZEN until it is unfrozen; a revoked key stays revoked', async () => {
    const user = await createUser(service, 'enterprise');
    const id = await createOrganization(service, user);
    const [kept, revoked] = [
      (await createApiKey(service, user, id)).body,
      (await createApiKey(service, user, id)).body,
    ];
    await revoke(user, revoked.id, id);
    const use = async (key: { token: string }) =>
      statusAndCode(await call(service, 'GET', '/api/v1/marks', { token: key.token }));
    await changeTier(service, user, 'free');
    expect([await use(kept), await use(revoked)]).toEqual([
      [401, 'WORKSPACE_FROZEN'],
      [401, 'UNAUTHORIZED'],
    ]);
    await changeTier(service, user, 'enterprise');
    expect((await call(service, 'GET', '/api/v1/marks', { token: kept.token })).status).toBe(200);
    expect(await use(revoked)).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('a key with a time of expiry', () => {
  it('works until then, is not listed afterwards, and makes room for another', async () => {
    const id = await createOrganization(service, owner);
    const keys = [await createWith(id, { expiresAt: inMs(3_600_000), scope: 'read' })];
    while (keys.length < 5) keys.push(await createWith(id, { expiresAt: inMs(3_600_000) }));
    const [expiring] = keys;
    expect((await list(owner, id)).body[0]).toMatchObject({ scope: 'read', expiresAt: expiring.expiresAt });
    const use = async () => statusAndCode(await call(service, 'GET', '/api/v1/me', { token: expiring.token }));
    expect((await use())[0]).toBe(200);
    await query(databaseUrl, 'update api_keys set expires_at = now() where id = $1', [expiring.id]);
    expect(await use()).toEqual([401, 'UNAUTHORIZED']);
    expect((await list(owner, id)).body.map((key: { id: string }) => key.id)).toEqual(
      keys.slice(1).map((key) => key.id),
    );
    const sixth = await createApiKey(service, owner, id);
    expect(sixth.status).toBe(201);
    expect(await countOf(id)).toBe(5);
    expect(await eventsOf(id)).toEqual([
      ...keys.map((key) => ({
        type: 'key.created',
        key_id: key.id,
        actor_id: owner.id,
        data: { scope: key.scope, expiresAt: key.expiresAt },
      })),
      { type: 'key.expired', key_id: expiring.id, actor_id: null, data: null },
      { type: 'key.created', key_id: sixth.body.id, actor_id: owner.id, data: { scope: null, expiresAt: null } },
    ]);
  });

  it('is revoked by the service when it has expired, once, with its unit of the limit released', async () => {
    // Each process sweeps when it starts.
    const { organizationId: id, expired, kept } = swept;
    await waitUntil(async () => (await countOf(id)) === 1, 'the key is revoked');
    expect((await revoke(owner, kept.id, id)).status).toBe(204);
    expect((await eventsOf(id)).map(({ type, key_id, actor_id }) => [type, key_id, actor_id])).toEqual([
      ['key.created', expired.id, owner.id],
      ['key.created', kept.id, owner.id],
      ['key.expired', expired.id, null],
      ['key.revoked', kept.id, owner.id],
    ]);
    expect(statusAndCode(await revoke(owner, expired.id, id))).toEqual([404, 'NOT_FOUND']);
    expect(await countOf(id)).toBe(0);
  });
});
