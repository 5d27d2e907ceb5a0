// The rules about API keys, one by one, through HTTP.

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  addMember,
  changeTier,
  createApiKey,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, startService, type TestResponse } from '../../../../test/support/service.js';

const JWT_SECRET = 'shared by the processes of this test';

let databaseUrl: string;
let service: Service;
let owner: TestUser;
let studio: string;

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  service = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET });
  owner = await createUser(service, 'enterprise');
  studio = await createOrganization(service, owner, 5);
});

const list = (who: { token: string }, organizationId?: string): Promise<TestResponse> =>
  call(service, 'GET', `/api/v1/api-keys${organizationId ? `?organizationId=${organizationId}` : ''}`, {
    token: who.token,
  });
const revoke = (who: { token: string }, keyId: string, organizationId?: string): Promise<TestResponse> =>
  call(service, 'DELETE', `/api/v1/api-keys/${keyId}${organizationId ? `?organizationId=${organizationId}` : ''}`, {
    token: who.token,
  });

describe('making an API key', () => {
  it('answers 201 with everything about it, and the token this once', async () => {
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
    });
    expect((await list(owner, id)).body).toEqual([
      {
        id: body.id,
        name: 'build server',
        prefix: body.prefix,
        last4: body.last4,
        createdAt: body.createdAt,
        lastUsedAt: null,
      },
    ]);
  });

  it('keeps only a SHA-256 of the token', async () => {
    const { token, id } = (await createApiKey(service, owner, await createOrganization(service, owner))).body;
    const rows = await query<Record<string, unknown>>(databaseUrl, 'select * from api_keys where id = $1', [id]);
    expect(rows[0]?.['token_hash']).toEqual(createHash('sha256').update(token).digest());
    expect(JSON.stringify(rows)).not.toContain(token.slice(12, -4));
  });

  it('is for the owner alone: 403, the same for an organization that does not exist', async () => {
    const [admin, stranger] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
    await addMember(service, owner, studio, admin, true);
    const answers = [
      await createApiKey(service, admin, studio),
      await createApiKey(service, stranger, studio),
      await createApiKey(service, owner, crypto.randomUUID()),
      await list(admin, studio),
      await list(stranger, studio),
      await list(owner, crypto.randomUUID()),
      await revoke(admin, crypto.randomUUID(), studio),
    ];
    for (const answer of answers) expect(statusAndCode(answer)).toEqual([403, 'FORBIDDEN']);
    expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1);
  });

  it('needs the enterprise tier: 403 TIER_LIMIT_REACHED', async () => {
    const who = await createUser(service, 'creator');
    expect(statusAndCode(await createApiKey(service, who, await createOrganization(service, who)))).toEqual([
      403,
      'TIER_LIMIT_REACHED',
    ]);
  });

  it('stops at five active ones, and goes on when one is revoked', async () => {
    const id = await createOrganization(service, owner);
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push((await createApiKey(service, owner, id)).body.id);
    expect(statusAndCode(await createApiKey(service, owner, id))).toEqual([403, 'TIER_LIMIT_REACHED']);
    expect((await revoke(owner, made[0], id)).status).toBe(204);
    expect((await createApiKey(service, owner, id)).status).toBe(201);
    expect(statusAndCode(await createApiKey(service, owner, id))).toEqual([403, 'TIER_LIMIT_REACHED']);
  });

  it('makes exactly five of twelve that are asked for at once', async () => {
    const id = await createOrganization(service, owner);
    const answers = await Promise.all(Array.from({ length: 12 }, () => createApiKey(service, owner, id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ body }) => body.code === 'TIER_LIMIT_REACHED')).toHaveLength(7);
    expect((await list(owner, id)).body).toHaveLength(5);
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name of 65 characters', { name: 'a'.repeat(65) }],
    ['a name with a control character', { name: 'a\nb' }],
    ['no organization', { organizationId: undefined }],
    ['an organization that is no id', { organizationId: 'studio' }],
  ])('refuses %s with 400', async (_, fields) => {
    const body = { organizationId: studio, name: 'key', ...fields };
    const answer = await call(service, 'POST', '/api/v1/api-keys', { token: owner.token, body });
    expect(statusAndCode(answer)).toEqual([400, 'BAD_REQUEST']);
  });

  it('takes a name of 64 characters', async () => {
    const id = await createOrganization(service, owner);
    expect((await createApiKey(service, owner, id, 'a'.repeat(64))).status).toBe(201);
  });
});

describe('a user who manages keys', () => {
  it('has to say which organization: 400 MISSING_ORGANIZATION_ID', async () => {
    expect(statusAndCode(await list(owner))).toEqual([400, 'MISSING_ORGANIZATION_ID']);
    expect(statusAndCode(await revoke(owner, crypto.randomUUID()))).toEqual([400, 'MISSING_ORGANIZATION_ID']);
  });

  it('gets 404 for a key that is unknown, revoked, of another organization, or no id at all', async () => {
    const other = await createOrganization(service, owner);
    const { id } = (await createApiKey(service, owner, other)).body;
    expect(statusAndCode(await revoke(owner, id, studio))).toEqual([404, 'NOT_FOUND']);
    expect((await revoke(owner, id, other)).status).toBe(204);
    expect(statusAndCode(await revoke(owner, id, other))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await revoke(owner, crypto.randomUUID(), studio))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await revoke(owner, 'my-key', studio))).toEqual([404, 'NOT_FOUND']);
  });

  it('revokes with 204 and no body', async () => {
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    const { status, body } = await revoke(owner, key.id, id);
    expect([status, body]).toEqual([204, '']);
    expect((await list(owner, id)).body).toEqual([]);
  });
});

describe('a key that manages keys', () => {
  let own: string;
  let other: string;
  let key: { id: string; token: string };
  let sibling: { id: string; token: string };

  beforeAll(async () => {
    [own, other] = [await createOrganization(service, owner), await createOrganization(service, owner)];
    key = (await createApiKey(service, owner, own)).body;
    sibling = (await createApiKey(service, owner, own)).body;
  });

  it('needs not say which organization, and may say its own', async () => {
    for (const organizationId of [undefined, own]) {
      const ids = (await list(key, organizationId)).body.map(({ id }: { id: string }) => id);
      expect(ids).toEqual([key.id, sibling.id]);
    }
  });

  it('may write the id of its organization in upper case: in a path, a query and a body', async () => {
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

  it('may not say another: 403 API_KEY_ORG_MISMATCH', async () => {
    for (const answer of [
      await list(key, other),
      await revoke(key, sibling.id, other),
      await createApiKey(service, key, other),
      await createApiKey(service, key, crypto.randomUUID()),
    ]) {
      expect(statusAndCode(answer)).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    }
  });

  it('makes no keys: those are made by the owner in person', async () => {
    expect(statusAndCode(await createApiKey(service, key, own))).toEqual([403, 'FORBIDDEN']);
  });

  it('revokes its siblings, and not keys of others: 404', async () => {
    const foreign = (await createApiKey(service, owner, other)).body;
    expect(statusAndCode(await revoke(key, foreign.id))).toEqual([404, 'NOT_FOUND']);
    expect((await revoke(key, sibling.id)).status).toBe(204);
    expect(statusAndCode(await list(sibling))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('using a key', () => {
  it('is noted: lastUsedAt is null before and a time after', async () => {
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    expect((await list(owner, id)).body[0].lastUsedAt).toBeNull();
    await call(service, 'GET', '/api/v1/me', { token: key.token });
    const [{ lastUsedAt, createdAt }] = (await list(owner, id)).body;
    expect(lastUsedAt >= createdAt).toBe(true);
  });

  it('is noted also when another process is asked, once that has been written down', async () => {
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    const other = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET });
    await call(other, 'GET', '/api/v1/me', { token: key.token });
    await other.end('SIGTERM');
    expect((await list(owner, id)).body[0].lastUsedAt).not.toBeNull();
  });

  it('that is revoked gives 401 at once, on every process, also in the middle of many requests', async () => {
    const other = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET });
    const id = await createOrganization(service, owner);
    const key = (await createApiKey(service, owner, id)).body;
    const use = async (at: Service) => (await call(at, 'GET', '/api/v1/me', { token: key.token })).status;
    expect([await use(service), await use(other)]).toEqual([200, 200]);
    let revoked = false;
    const users = [service, other, service, other].map(async (at) => {
      while (!revoked) expect([200, 401]).toContain(await use(at));
      return [await use(at), await use(at), await use(at)];
    });
    const answer = await revoke(owner, key.id, id).finally(() => {
      revoked = true;
    });
    expect(answer.status).toBe(204);
    expect(await Promise.all(users)).toEqual(users.map(() => [401, 401, 401]));
  });

  it('of nobody gives 401', async () => {
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

  it('of a frozen organization gives 401 WORKSPACE_FROZEN, and works again when it thaws; a revoked one stays revoked', async () => {
    const who = await createUser(service, 'enterprise');
    const id = await createOrganization(service, who);
    const [kept, gone] = [(await createApiKey(service, who, id)).body, (await createApiKey(service, who, id)).body];
    await revoke(who, gone.id, id);
    const use = async (key: { token: string }) =>
      statusAndCode(await call(service, 'GET', '/api/v1/marks', { token: key.token }));
    await changeTier(service, who, 'free');
    expect([await use(kept), await use(gone)]).toEqual([
      [401, 'WORKSPACE_FROZEN'],
      [401, 'UNAUTHORIZED'],
    ]);
    await changeTier(service, who, 'enterprise');
    expect((await call(service, 'GET', '/api/v1/marks', { token: kept.token })).status).toBe(200);
    expect(await use(gone)).toEqual([401, 'UNAUTHORIZED']);
  });
});
