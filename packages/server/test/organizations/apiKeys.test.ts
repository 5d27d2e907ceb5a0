// API keys, through HTTP: creation, management and scopes. Use and expiry: apiKeyUse.test.ts.

import { createHash } from 'node:crypto';
import { api, apiKeyScopes, type Operation } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { newFingerprint, withoutChain } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, startService, type TestResponse } from '../../../../test/support/service.js';

const JWT_SECRET = 'shared by the processes of this test';

let databaseUrl: string;
let service: Service;
let owner: TestUser;
let studio: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  service = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await withoutChain()) });
  owner = await createUser(service, 'enterprise');
  studio = await createOrganization(service, owner, 5);
});

const list = (user: { token: string }, organizationId?: string): Promise<TestResponse> =>
  call(service, 'GET', `/api/v1/api-keys${organizationId ? `?organizationId=${organizationId}` : ''}`, {
    token: user.token,
  });
const revoke = (user: { token: string }, keyId: string, organizationId?: string): Promise<TestResponse> =>
  call(service, 'DELETE', `/api/v1/api-keys/${keyId}${organizationId ? `?organizationId=${organizationId}` : ''}`, {
    token: user.token,
  });

describe('creating an API key', () => {
  it('returns 201 with the key, and its token this one time', async () => {
    const id = await createOrganization(service, owner);
    const { status, body } = await createApiKey(service, owner, id, 'build server');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'build server',
      token: expect.stringMatching(/^svc_[0-9A-Za-z]{22}$/),
      prefix: body.token.slice(0, 'svc_'.length + 8),
      last4: body.token.slice(-4),
      createdAt: expect.stringMatching(/Z$/),
      scope: null,
      expiresAt: null,
    });
    expect((await list(owner, id)).body).toEqual([
      {
        id: body.id,
        name: 'build server',
        prefix: body.prefix,
        last4: body.last4,
        createdAt: body.createdAt,
        scope: null,
        expiresAt: null,
        lastUsedAt: null,
        lastUsedAddress: null,
        lastUsedAgent: null,
      },
    ]);
  });

  it('stores only the SHA-256 of the token', async () => {
    const { token, id } = (await createApiKey(service, owner, await createOrganization(service, owner))).body;
    const rows = await query<Record<string, unknown>>(databaseUrl, 'select * from api_keys where id = $1', [id]);
    expect(rows[0]?.['token_hash']).toEqual(createHash('sha256').update(token).digest());
    expect(JSON.stringify(rows)).not.toContain(token.slice(12, -4));
  });

  it('is for the owner only: 403, the same for an organization that does not exist', async () => {
    const [admin, stranger] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
    await addMember(service, owner, studio, admin, true);
    const responses = [
      await createApiKey(service, admin, studio),
      await createApiKey(service, stranger, studio),
      await createApiKey(service, owner, randomUUID()),
      await list(admin, studio),
      await list(stranger, studio),
      await list(owner, randomUUID()),
      await revoke(admin, randomUUID(), studio),
    ];
    for (const response of responses) expect(statusAndCode(response)).toEqual([403, 'FORBIDDEN']);
    expect(new Set(responses.map(({ body }) => body.error)).size).toBe(1);
  });

  it('needs the enterprise tier: 403 TIER_LIMIT_REACHED', async () => {
    const user = await createUser(service, 'creator');
    expect(statusAndCode(await createApiKey(service, user, await createOrganization(service, user)))).toEqual([
      403,
      'TIER_LIMIT_REACHED',
    ]);
  });

  it('is refused with five active keys, and possible again after one is revoked', async () => {
    const id = await createOrganization(service, owner);
    const keyIds = [];
    for (let count = 0; count < 5; count += 1) keyIds.push((await createApiKey(service, owner, id)).body.id);
    expect(statusAndCode(await createApiKey(service, owner, id))).toEqual([403, 'TIER_LIMIT_REACHED']);
    expect((await revoke(owner, keyIds[0], id)).status).toBe(204);
    expect((await createApiKey(service, owner, id)).status).toBe(201);
    expect(statusAndCode(await createApiKey(service, owner, id))).toEqual([403, 'TIER_LIMIT_REACHED']);
  });

  it('creates exactly five keys for twelve concurrent requests', async () => {
    const id = await createOrganization(service, owner);
    const responses = await Promise.all(Array.from({ length: 12 }, () => createApiKey(service, owner, id)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(responses.filter(({ body }) => body.code === 'TIER_LIMIT_REACHED')).toHaveLength(7);
    expect((await list(owner, id)).body).toHaveLength(5);
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name of 65 characters', { name: 'a'.repeat(65) }],
    ['a name with a control character', { name: 'a\nb' }],
    ['no organization', { organizationId: undefined }],
    ['an invalid organization id', { organizationId: 'studio' }],
    ['an unknown scope', { scope: 'admin' }],
    ['the scope null', { scope: null }],
    ['a time of expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['a time of expiry that is a leap second', { expiresAt: '2099-12-31T23:59:60Z' }],
    ['a day of expiry', { expiresAt: '2099-12-31' }],
    ['an expiry in seconds', { expiresAt: 4102444800 }],
  ])('refuses %s with 400', async (_, fields) => {
    const body = { organizationId: studio, name: 'key', ...fields };
    const response = await call(service, 'POST', '/api/v1/api-keys', { token: owner.token, body });
    expect(statusAndCode(response)).toEqual([400, 'BAD_REQUEST']);
  });

  it('accepts a name of 64 characters', async () => {
    const id = await createOrganization(service, owner);
    expect((await createApiKey(service, owner, id, 'a'.repeat(64))).status).toBe(201);
  });
});

describe('managing keys as a user', () => {
  it('requires an organization id: 400 MISSING_ORGANIZATION_ID', async () => {
    expect(statusAndCode(await list(owner))).toEqual([400, 'MISSING_ORGANIZATION_ID']);
    expect(statusAndCode(await revoke(owner, randomUUID()))).toEqual([400, 'MISSING_ORGANIZATION_ID']);
  });

  it('returns 404 for a key that is unknown, revoked or of another organization, and for an invalid id', async () => {
    const other = await createOrganization(service, owner);
    const { id } = (await createApiKey(service, owner, other)).body;
    expect(statusAndCode(await revoke(owner, id, studio))).toEqual([404, 'NOT_FOUND']);
    expect((await revoke(owner, id, other)).status).toBe(204);
    expect(statusAndCode(await revoke(owner, id, other))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await revoke(owner, randomUUID(), studio))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await revoke(owner, 'my-key', studio))).toEqual([404, 'NOT_FOUND']);
  });

  it('revokes a key with 204 and no body', async () => {
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    const { status, body } = await revoke(owner, key.id, id);
    expect([status, body]).toEqual([204, '']);
    expect((await list(owner, id)).body).toEqual([]);
  });
});

describe('managing keys with a key', () => {
  let own: string;
  let other: string;
  let key: { id: string; token: string };
  let sibling: { id: string; token: string };

  beforeAll(async () => {
    [own, other] = [await createOrganization(service, owner), await createOrganization(service, owner)];
    key = (await createApiKey(service, owner, own)).body;
    sibling = (await createApiKey(service, owner, own)).body;
  });

  it('uses its own organization, with or without its id', async () => {
    for (const organizationId of [undefined, own]) {
      const ids = (await list(key, organizationId)).body.map(({ id }: { id: string }) => id);
      expect(ids).toEqual([key.id, sibling.id]);
    }
  });

  it('accepts the id of its organization in upper case: in a path, a query and a body', async () => {
    const id = own.toUpperCase();
    expect((await list(key, id)).status).toBe(200);
    const organization = await call(service, 'GET', `/api/v1/organizations/${id}`, { token: key.token });
    expect([organization.status, organization.body.id]).toEqual([200, own]);
    const body = { name: 'Upper case', organizationId: id };
    const mark = await call(service, 'POST', '/api/v1/marks', { token: key.token, body });
    expect([mark.status, mark.body.organization?.id]).toEqual([201, own]);
    const artifact = await call(service, 'POST', '/api/v1/artifacts', {
      token: key.token,
      body: { markId: mark.body.id.toUpperCase(), fingerprint: newFingerprint(), filename: 'a.jpg' },
    });
    expect([artifact.status, artifact.body.mark?.id]).toEqual([201, mark.body.id]);
  });

  it('refuses another organization: 403 API_KEY_ORG_MISMATCH', async () => {
    for (const response of [
      await list(key, other),
      await revoke(key, sibling.id, other),
      await createApiKey(service, key, other),
      await createApiKey(service, key, randomUUID()),
    ]) {
      expect(statusAndCode(response)).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    }
  });

  it('creates no keys: only the owner does, with a user token', async () => {
    expect(statusAndCode(await createApiKey(service, key, own))).toEqual([403, 'FORBIDDEN']);
  });

  it('revokes other keys of its organization, but not those of another: 404', async () => {
    const foreign = (await createApiKey(service, owner, other)).body;
    expect(statusAndCode(await revoke(key, foreign.id))).toEqual([404, 'NOT_FOUND']);
    expect((await revoke(key, sibling.id)).status).toBe(204);
    expect(statusAndCode(await list(sibling))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('a key and the admin members of its organization', () => {
  let own: string;
  let keys: { token: string }[];
  let admin: TestUser;
  let member: TestUser;

  beforeAll(async () => {
    own = await createOrganization(service, owner, 5);
    [admin, member] = [await createUser(service), await createUser(service)];
    await addMember(service, owner, own, admin, true);
    await addMember(service, owner, own, member);
    const create = (fields: object) =>
      call(service, 'POST', '/api/v1/api-keys', {
        token: owner.token,
        body: { organizationId: own, name: 'key', ...fields },
      });
    keys = [(await create({})).body, (await create({ scope: 'manage' })).body];
  });

  const atMember = (method: string, { token }: { token: string }, { id }: TestUser, body?: object) =>
    call(service, method, `/api/v1/organizations/${own}/members/${id}`, { token, body });
  const invite = ({ token }: { token: string }, body: object) =>
    call(service, 'POST', `/api/v1/organizations/${own}/invitations`, { token, body });
  const state = async () => {
    const read = async (path: string) =>
      (await call(service, 'GET', `/api/v1/organizations/${own}/${path}`, { token: owner.token })).body;
    return [await read('members'), await read('invitations'), await read('events')];
  };

  it('neither invites, promotes, demotes nor removes them, nor hands over a Mark, which changes nothing', async () => {
    const mark = (await createMark(service, owner, { organizationId: own })).body.id;
    const before = await state();
    for (const key of keys) {
      for (const response of [
        await call(service, 'PUT', `/api/v1/marks/${mark}/admin`, { token: key.token, body: { userId: member.id } }),
        await invite(key, { isAdmin: true }),
        await invite(key, { isAdmin: true, email: 'bea@example.com' }),
        await atMember('PATCH', key, member, { isAdmin: true }),
        await atMember('PATCH', key, admin, { isAdmin: false }),
        await atMember('DELETE', key, admin),
      ]) {
        expect(statusAndCode(response)).toEqual([403, 'FORBIDDEN']);
        expect(response.body.error).toMatch(/^An API key cannot invite, promote, demote or remove admin members/);
      }
    }
    expect(await state()).toEqual(before);
    expect((await call(service, 'GET', `/api/v1/marks/${mark}`, owner)).body.admin.id).toBe(owner.id);
  });

  it('invites and removes members who are no admins, as its owner may do with admins', async () => {
    const [key = { token: '' }] = keys;
    for (const body of [{}, { isAdmin: false }]) {
      const { status, body: invitation } = await invite(key, body);
      expect([status, invitation.isAdmin]).toEqual([201, false]);
    }
    expect((await atMember('DELETE', key, member)).status).toBe(204);
    expect((await invite(owner, { isAdmin: true })).status).toBe(201);
    expect((await atMember('PATCH', owner, admin, { isAdmin: false })).body.isAdmin).toBe(false);
    expect((await atMember('DELETE', key, admin)).status).toBe(204);
  });
});

describe('a key with a scope', () => {
  const operations = Object.values<Operation>(api).filter(({ auth }) => auth === 'bearer');
  const registering = ['createArtifact', 'createArtifacts', 'createManifest', 'createSignedCopy'];
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    const organizationId = await createOrganization(service, owner);
    for (const scope of [undefined, ...apiKeyScopes]) {
      const body = { organizationId, name: 'key', ...(scope && { scope }) };
      const key = await call(service, 'POST', '/api/v1/api-keys', { token: owner.token, body });
      tokens[String(scope)] = key.body.token;
    }
  });

  /** Refused by the scope, whatever else is wrong with the request. */
  async function isOutsideScope(operation: Operation, scope: string): Promise<boolean> {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
      name === 'fingerprint' ? newFingerprint() : randomUUID(),
    );
    const body = operation.method === 'GET' ? undefined : {};
    // A stream of events would not end.
    const headers = { 'last-event-id': 'none' };
    const response = await call(service, operation.method, path, { token: tokens[scope] ?? '', body, headers });
    expect(response.status).toBeLessThan(500);
    return response.status === 403 && response.body.code === 'FORBIDDEN' && /scope/.test(response.body.error);
  }

  it.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    const isRead = operation.method === 'GET';
    const refused = await Promise.all(['undefined', ...apiKeyScopes].map((scope) => isOutsideScope(operation, scope)));
    expect(refused).toEqual([
      false,
      !isRead,
      !isRead && !registering.includes(id),
      !isRead && registering.includes(id),
    ]);
  });

  it('registers a file, or creates a Mark, as its scope says', async () => {
    const create = (scope: string, path: string, body: object) =>
      call(service, 'POST', path, { token: tokens[scope] ?? '', body });
    const mark = await create('manage', '/api/v1/marks', { name: 'Managed' });
    expect(mark.status).toBe(201);
    const artifact = { markId: mark.body.id, fingerprint: newFingerprint(), filename: 'a.jpg' };
    expect((await create('register', '/api/v1/artifacts', artifact)).status).toBe(201);
    const read = await call(service, 'GET', `/api/v1/artifacts/${artifact.fingerprint}`, {
      token: tokens['read'] ?? '',
    });
    expect(read.status).toBe(200);
  });

  it('and one without are refused what concerns the account: 403', async () => {
    for (const [method, path] of [
      ['POST', '/api/v1/auth/logout'],
      ['GET', '/api/v1/me/sessions'],
      ['DELETE', '/api/v1/me/sessions'],
      ['DELETE', `/api/v1/me/sessions/${randomUUID()}`],
    ] as const) {
      for (const token of [tokens['undefined'] ?? '', tokens['manage'] ?? '']) {
        expect(statusAndCode(await call(service, method, path, { token }))).toEqual([403, 'FORBIDDEN']);
      }
    }
  });
});
