// Organizations, usage units, freezing and limits, through HTTP.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
} from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, startService, temporaryFolder } from '../../../../test/support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService(await withoutChain());
});

const get = (user: { token: string }, path: string) => call(service, 'GET', path, { token: user.token });
const setUnits = (user: { token: string }, id: string, purchased: unknown) =>
  call(service, 'PUT', `/api/v1/organizations/${id}/usage-units`, { token: user.token, body: { purchased } });
const setAdmin = (user: { token: string }, id: string, userId: string, isAdmin: unknown = true) =>
  call(service, 'PATCH', `/api/v1/organizations/${id}/members/${userId}`, { token: user.token, body: { isAdmin } });
const remove = (user: { token: string }, id: string, userId: string) =>
  call(service, 'DELETE', `/api/v1/organizations/${id}/members/${userId}`, { token: user.token });
const create = (user: { token: string }, name: unknown = 'Studio') =>
  call(service, 'POST', '/api/v1/organizations', { token: user.token, body: { name } });
const members = async (user: { token: string }, id: string) =>
  (await get(user, `/api/v1/organizations/${id}/members`)).body;

describe('creating an organization', () => {
  it('returns 201 with the organization, owned by the caller', async () => {
    const owner = await createUser(service, 'enterprise');
    const { status, body } = await create(owner, 'Analytical Engines');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Analytical Engines',
      role: 'owner',
      tier: 'enterprise',
      status: 'active',
      usageUnits: { total: 1, used: 1 },
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await members(owner, body.id)).toEqual([
      { id: owner.id, name: owner.name, role: 'owner', isAdmin: true, joinedAt: expect.stringMatching(/Z$/) },
    ]);
  });

  it.each([
    ['free', 0],
    ['creator', 1],
  ] as const)('on the %s tier is allowed %i times: then 403 TIER_LIMIT_REACHED', async (tier, allowed) => {
    const user = await createUser(service, tier);
    for (let count = 0; count < allowed; count += 1) expect((await create(user)).status).toBe(201);
    expect(statusAndCode(await create(user))).toEqual([403, 'TIER_LIMIT_REACHED']);
  });

  it.each([undefined, '', 'a'.repeat(121), 'a\u0007', 7])('refuses the name %j with 400', async (name) => {
    const user = await createUser(service, 'enterprise');
    const response = await call(service, 'POST', '/api/v1/organizations', { token: user.token, body: { name } });
    expect(statusAndCode(response)).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('reading an organization', () => {
  it('is for its members; for others it does not exist', async () => {
    const [owner, member, stranger] = [
      await createUser(service, 'enterprise'),
      await createUser(service),
      await createUser(service),
    ];
    const id = await createOrganization(service, owner, 1);
    await addMember(service, owner, id, member);
    expect((await get(member, `/api/v1/organizations/${id}`)).body).toMatchObject({
      id,
      role: 'member',
      tier: 'enterprise',
    });
    expect((await get(member, '/api/v1/organizations')).body).toMatchObject([{ id, role: 'member' }]);
    expect((await get(stranger, '/api/v1/organizations')).body).toEqual([]);
    for (const path of ['', '/members']) {
      const existing = await get(stranger, `/api/v1/organizations/${id}${path}`);
      const unknown = await get(stranger, `/api/v1/organizations/${randomUUID()}${path}`);
      const invalid = await get(stranger, `/api/v1/organizations/invalid${path}`);
      expect(statusAndCode(existing)).toEqual([404, 'NOT_FOUND']);
      expect(existing.body).toEqual(unknown.body);
      expect(invalid.status).toBe(404);
    }
  });

  it('and changing it are 404 for strangers; changing it is forbidden to members', async () => {
    const [owner, member, stranger] = [
      await createUser(service, 'enterprise'),
      await createUser(service),
      await createUser(service),
    ];
    const id = await createOrganization(service, owner, 3);
    await addMember(service, owner, id, member, true);
    for (const [user, status, code] of [
      [member, 403, 'FORBIDDEN'],
      [stranger, 404, 'NOT_FOUND'],
    ] as const) {
      expect(statusAndCode(await addMember(service, user, id, stranger))).toEqual([status, code]);
      expect(statusAndCode(await setAdmin(user, id, member.id, false))).toEqual([status, code]);
      expect(statusAndCode(await remove(user, id, owner.id))).toEqual([status, code]);
      expect(statusAndCode(await setUnits(user, id, 9))).toEqual([status, code]);
    }
    expect((await get(owner, `/api/v1/organizations/${id}`)).body.usageUnits).toEqual({ total: 4, used: 2 });
  });
});

describe('members', () => {
  it('use one unit each, which is free again after their removal', async () => {
    const [owner, ada, bea] = [
      await createUser(service, 'enterprise'),
      await createUser(service),
      await createUser(service),
    ];
    const id = await createOrganization(service, owner);
    expect(statusAndCode(await addMember(service, owner, id, ada))).toEqual([403, 'USAGE_UNIT_LIMIT_REACHED']);
    await setUnits(owner, id, 1);
    const added = await addMember(service, owner, id, ada);
    expect(added.status).toBe(200);
    expect(added.body.organization).toMatchObject({ id, role: 'member', usageUnits: { total: 2, used: 2 } });
    expect(await members(owner, id)).toContainEqual({
      id: ada.id,
      name: ada.name,
      role: 'member',
      isAdmin: false,
      joinedAt: expect.any(String),
    });
    expect(statusAndCode(await addMember(service, owner, id, bea))).toEqual([403, 'USAGE_UNIT_LIMIT_REACHED']);
    expect((await remove(owner, id, ada.id)).status).toBe(204);
    expect((await addMember(service, owner, id, bea)).status).toBe(200);
    expect((await members(owner, id)).map((member: { id: string }) => member.id)).toEqual([owner.id, bea.id]);
  });

  it('are limited by the tier, which does not count the owner', async () => {
    const owner = await createUser(service, 'creator');
    const id = await createOrganization(service, owner, 10);
    for (let added = 0; added < 5; added += 1) {
      expect((await addMember(service, owner, id, await createUser(service))).status).toBe(200);
    }
    expect(statusAndCode(await addMember(service, owner, id, await createUser(service)))).toEqual([
      403,
      'TIER_LIMIT_REACHED',
    ]);
  });

  it('can become admins and be demoted again; other users are 404', async () => {
    const [owner, ada] = [await createUser(service, 'enterprise'), await createUser(service)];
    const id = await createOrganization(service, owner, 1);
    await addMember(service, owner, id, ada);
    expect((await setAdmin(owner, id, ada.id)).body).toMatchObject({ id: ada.id, isAdmin: true });
    expect((await createMark(service, ada, { organizationId: id })).status).toBe(201);
    expect((await setAdmin(owner, id, ada.id, false)).body.isAdmin).toBe(false);
    expect(statusAndCode(await createMark(service, ada, { organizationId: id }))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await setAdmin(owner, id, ada.id, 'yes'))).toEqual([400, 'BAD_REQUEST']);
    for (const userId of [randomUUID(), 'not-an-id']) {
      expect(statusAndCode(await setAdmin(owner, id, userId))).toEqual([404, 'NOT_FOUND']);
      expect(statusAndCode(await remove(owner, id, userId))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('include the owner, who can be neither removed nor demoted: 400', async () => {
    const owner = await createUser(service, 'enterprise');
    const id = await createOrganization(service, owner);
    expect(statusAndCode(await remove(owner, id, owner.id))).toEqual([400, 'BAD_REQUEST']);
    expect(statusAndCode(await setAdmin(owner, id, owner.id, false))).toEqual([400, 'BAD_REQUEST']);
    expect(await members(owner, id)).toHaveLength(1);
  });
});

describe('usage units', () => {
  it('are set to a number, never below those in use', async () => {
    const [owner, ada] = [await createUser(service, 'enterprise'), await createUser(service)];
    const id = await createOrganization(service, owner, 2);
    await addMember(service, owner, id, ada);
    expect(statusAndCode(await setUnits(owner, id, 0))).toEqual([400, 'BAD_REQUEST']);
    expect((await setUnits(owner, id, 1)).body.usageUnits).toEqual({ total: 2, used: 2 });
    for (const wrong of [-1, 1.5, '2', null, 1e12]) {
      expect(statusAndCode(await setUnits(owner, id, wrong))).toEqual([400, 'BAD_REQUEST']);
    }
  });
});

describe('after the owner leaves enterprise', () => {
  it.each(['creator', 'free'] as const)(
    'for %s, the organization is frozen: one unit, no members, keys 401',
    async (tier) => {
      const [owner, ada] = [await createUser(service, 'enterprise'), await createUser(service)];
      const id = await createOrganization(service, owner, 3);
      await addMember(service, owner, id, ada, true);
      const key = (await createApiKey(service, owner, id)).body.token;
      expect((await get({ token: key }, '/api/v1/me')).status).toBe(200);

      await changeTier(service, owner, tier);
      expect((await get(owner, `/api/v1/organizations/${id}`)).body).toMatchObject({
        status: 'frozen',
        tier,
        usageUnits: { total: 1, used: 1 },
      });
      expect((await members(owner, id)).map((member: { id: string }) => member.id)).toEqual([owner.id]);
      expect((await get(ada, `/api/v1/organizations/${id}`)).status).toBe(404);
      expect(statusAndCode(await get({ token: key }, '/api/v1/me'))).toEqual([401, 'WORKSPACE_FROZEN']);
      expect(statusAndCode(await addMember(service, owner, id, ada))).toEqual([403, 'TIER_RESTRICTION']);
      expect(statusAndCode(await setUnits(owner, id, 5))).toEqual([403, 'TIER_RESTRICTION']);
      expect(statusAndCode(await createApiKey(service, owner, id))).toEqual([403, 'TIER_LIMIT_REACHED']);
    },
  );

  it('and returns, the organization is active: keys work again, units and members are not restored', async () => {
    const [owner, ada] = [await createUser(service, 'enterprise'), await createUser(service)];
    const id = await createOrganization(service, owner, 3);
    await addMember(service, owner, id, ada);
    const key = (await createApiKey(service, owner, id)).body.token;
    await changeTier(service, owner, 'creator');
    await changeTier(service, owner, 'free');
    await changeTier(service, owner, 'enterprise');
    expect((await get(owner, `/api/v1/organizations/${id}`)).body).toMatchObject({
      status: 'active',
      usageUnits: { total: 1, used: 1 },
    });
    expect((await get({ token: key }, '/api/v1/me')).status).toBe(200);
    expect((await get(ada, '/api/v1/organizations')).body).toEqual([]);
  });

  it('an organization created on the creator tier stays active on creator and free', async () => {
    const owner = await createUser(service, 'creator');
    const id = await createOrganization(service, owner);
    await changeTier(service, owner, 'free');
    expect((await get(owner, `/api/v1/organizations/${id}`)).body.status).toBe('active');
  });

  it('its Marks stay readable, and count for the lower tier', async () => {
    const owner = await createUser(service, 'enterprise');
    const id = await createOrganization(service, owner);
    const marks = [];
    for (let count = 0; count < 4; count += 1)
      marks.push((await createMark(service, owner, { organizationId: id })).body.id);
    await changeTier(service, owner, 'free');
    for (const mark of marks) expect((await get(owner, `/api/v1/marks/${mark}`)).status).toBe(200);
    expect(statusAndCode(await createMark(service, owner, { organizationId: id }))).toEqual([
      403,
      'TIER_LIMIT_REACHED',
    ]);
  });
});

describe('an API key', () => {
  it('acts as the owner of its organization, and nowhere else', async () => {
    const [owner, ada] = [await createUser(service, 'enterprise'), await createUser(service)];
    const [id, other] = [await createOrganization(service, owner, 1), await createOrganization(service, owner, 1)];
    const key = { token: (await createApiKey(service, owner, id)).body.token };
    expect((await get(key, '/api/v1/me')).body).toMatchObject({
      user: { id: owner.id },
      organizations: [{ id, role: 'owner' }],
    });
    expect((await get(key, '/api/v1/organizations')).body).toMatchObject([{ id }]);
    expect((await addMember(service, key, id, ada)).status).toBe(200);
    for (const outside of [other, randomUUID()]) {
      for (const response of [
        await get(key, `/api/v1/organizations/${outside}`),
        await get(key, `/api/v1/organizations/${outside}/members`),
        await addMember(service, key, outside, ada),
        await setUnits(key, outside, 1),
        await get(key, `/api/tier/limits?organizationId=${outside}`),
      ]) {
        expect(statusAndCode(response)).toEqual([403, 'API_KEY_ORG_MISMATCH']);
      }
    }
    expect(statusAndCode(await create(key))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    const tier = await call(service, 'PUT', '/api/v1/subscription', { token: key.token, body: { tier: 'free' } });
    expect(statusAndCode(tier)).toEqual([403, 'FORBIDDEN']);
  });
});

describe('limits', () => {
  it('are those of the tier, with the usage and the next UTC midnight', async () => {
    const table = {
      free: [25, 250, 3, 0, 0],
      creator: [500, 25_000, 50, 1, 5],
      enterprise: [-1, -1, -1, -1, -1],
    };
    const user = await createUser(service);
    await createMark(service, user);
    for (const [tier, [daily, lifetime, marks, organizations, perOrganization]] of Object.entries(table)) {
      await call(service, 'PUT', '/api/v1/subscription', { token: user.token, body: { tier } });
      const { status, body } = await get(user, '/api/tier/limits');
      expect(status).toBe(200);
      expect(body).toEqual({
        tier,
        dailyArtifactLimit: daily,
        lifetimeArtifactLimit: lifetime,
        maxMarks: marks,
        maxOrganizations: organizations,
        maxOrganizationMembers: perOrganization,
        usage: { dailyArtifacts: 0, lifetimeArtifacts: 0, marks: 1, organizations: 0 },
        resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
      });
      const wait = new Date(body.resetsAt).getTime() - Date.now();
      expect(wait).toBeGreaterThan(-1000);
      expect(wait).toBeLessThanOrEqual(24 * 60 * 60 * 1000);
    }
  });

  it('of an organization are shown to its members and API keys only', async () => {
    const [owner, member, stranger] = [
      await createUser(service, 'enterprise'),
      await createUser(service),
      await createUser(service),
    ];
    const id = await createOrganization(service, owner, 1);
    await addMember(service, owner, id, member);
    await createMark(service, owner, { organizationId: id });
    const key = { token: (await createApiKey(service, owner, id)).body.token };
    const expected = { tier: 'enterprise', maxMarks: -1, usage: { marks: 1, organizations: 0 } };
    expect((await get(member, `/api/tier/limits?organizationId=${id}`)).body).toMatchObject(expected);
    expect((await get(key, '/api/tier/limits')).body).toMatchObject(expected);
    expect((await get(owner, '/api/tier/limits')).body.usage).toMatchObject({ marks: 0, organizations: 1 });
    const existing = await get(stranger, `/api/tier/limits?organizationId=${id}`);
    const unknown = await get(stranger, `/api/tier/limits?organizationId=${randomUUID()}`);
    expect(statusAndCode(existing)).toEqual([404, 'NOT_FOUND']);
    expect(existing.body).toEqual(unknown.body);
    expect(statusAndCode(await call(service, 'GET', '/api/tier/limits'))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('are read from TIERS_FILE', async () => {
    const path = join(await temporaryFolder(), 'tiers.json');
    await writeFile(
      path,
      JSON.stringify({ free: { maxMarks: 1, maxOrganizations: 1, privateMarks: true, markEditing: true } }),
    );
    const other = await startService({ ...(await withoutChain()), TIERS_FILE: path });
    const user = await createUser(other);
    const { status, body } = await createMark(other, user, { visibility: 'private' });
    expect(status).toBe(201);
    expect(statusAndCode(await createMark(other, user))).toEqual([403, 'TIER_LIMIT_REACHED']);
    const change = await call(other, 'PUT', `/api/v1/marks/${body.id}`, { token: user.token, body: { name: 'New' } });
    expect(change.status).toBe(200);
    expect((await call(other, 'GET', '/api/tier/limits', { token: user.token })).body).toMatchObject({
      maxMarks: 1,
      dailyArtifactLimit: 25,
    });
    expect((await call(other, 'GET', '/api/tiers')).body).toMatchObject({
      selfServe: true,
      sendsMail: false,
      tiers: { free: { maxMarks: 1, privateMarks: true, dailyArtifactLimit: 25 }, creator: { maxMarks: 50 } },
    });
    expect(
      (await call(other, 'POST', '/api/v1/organizations', { token: user.token, body: { name: 'Org' } })).status,
    ).toBe(201);
  });
});
