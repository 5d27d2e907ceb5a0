// Marks: creation, reading, changes, members and lists, through HTTP.

import { aiPreferencesOf } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  acceptInvitation,
  addMarkMember,
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, withoutChain } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, startService } from '../../../../test/support/service.js';

let service: Service;
let owner: TestUser;
let stranger: TestUser;
let admin: TestUser;
let member: TestUser;
let studio: string;
let key: { token: string };

beforeAll(async () => {
  service = await startService(await withoutChain());
  owner = await createUser(service, 'enterprise');
  stranger = await createUser(service, 'creator');
  admin = await createUser(service, 'creator');
  member = await createUser(service);
  studio = await createOrganization(service, owner, 10);
  await addMember(service, owner, studio, admin, true);
  await addMember(service, owner, studio, member);
  key = { token: (await createApiKey(service, owner, studio)).body.token };
});

const get = (user: { token: string }, path: string) => call(service, 'GET', path, { token: user.token });
const update = (user: { token: string }, id: string, body: Record<string, unknown>) =>
  call(service, 'PUT', `/api/v1/marks/${id}`, { token: user.token, body });
const remove = (user: { token: string }, id: string, userId: string) =>
  call(service, 'DELETE', `/api/v1/marks/${id}/members/${userId}`, { token: user.token });

const write = (user: { token: string }, markId: string) => createArtifact(service, user, newArtifact({ markId }));

describe('creating a Mark', () => {
  it('returns 201 with defaults: public, no license specified, AI training allowed', async () => {
    const user = await createUser(service);
    const { status, body } = await createMark(service, user, { name: 'Ada’s photos' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Ada’s photos',
      visibility: 'public',
      license: { name: 'None specified', url: null },
      licenseKey: 'NONE_SPECIFIED',
      allowAiTraining: true,
      aiPreferences: aiPreferencesOf({ allowAiTraining: true }),
      admin: { id: user.id, name: user.name },
      owner: { id: user.id, name: user.name },
      organization: null,
      members: [],
      createdAt: expect.stringMatching(/Z$/),
      isClosed: false,
      verifiedDomains: [],
      artifactCount: 0,
      namesakeCount: 0,
      representedBy: null,
    });
  });

  it.each([
    ['MIT', 'MIT License'],
    ['Apache-2.0', 'Apache License 2.0'],
    ['GPL-3.0', 'GNU General Public License v3.0'],
    ['BSD-3-Clause', 'BSD 3-Clause "New" or "Revised" License'],
    ['CC-BY-4.0', 'Creative Commons Attribution 4.0 International'],
    ['CC-BY-SA-4.0', 'Creative Commons Attribution Share Alike 4.0 International'],
    ['CC-BY-NC-4.0', 'Creative Commons Attribution Non Commercial 4.0 International'],
    ['CC-BY-NC-SA-4.0', 'Creative Commons Attribution Non Commercial Share Alike 4.0 International'],
    ['CC0-1.0', 'Creative Commons Zero v1.0 Universal'],
    ['NONE_SPECIFIED', 'None specified'],
    ['UNLICENSED', 'Unlicensed: all rights reserved'],
  ])('accepts the license %s and shows its name and URL', async (license, name) => {
    const { body } = await createMark(service, owner, { license });
    const unnamed = ['NONE_SPECIFIED', 'UNLICENSED'].includes(license);
    expect(body.licenseKey).toBe(license);
    expect(body.license).toEqual({ name, url: unnamed ? null : expect.stringMatching(/^https:\/\//) });
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name of 121 characters', { name: 'a'.repeat(121) }],
    ['a name of 10,000 characters', { name: 'a'.repeat(10_000) }],
    ['a name with a control character', { name: 'a\u0000b' }],
    ['a name with a right-to-left override', { name: 'photo\u202Egnp.exe' }],
    ['an unknown license', { license: 'WTFPL' }],
    ['a license object', { license: { name: 'MIT', url: null } }],
    ['an unknown visibility', { visibility: 'secret' }],
    ['a preference that is a string', { allowAiTraining: 'true' }],
    ['an invalid organization id', { organizationId: 'studio' }],
  ])('refuses %s with 400', async (_, fields) => {
    expect(statusAndCode(await createMark(service, owner, fields))).toEqual([400, 'BAD_REQUEST']);
  });

  it('accepts a name in a right-to-left script, but not with an invisible mark', async () => {
    const name = 'שלום!';
    expect((await createMark(service, owner, { name })).body.name).toBe(name);
    expect(statusAndCode(await createMark(service, owner, { name: `${name}\u200F` }))).toEqual([400, 'BAD_REQUEST']);
  });

  it('requires the creator tier for a private Mark', async () => {
    const [free, creator] = [await createUser(service), await createUser(service, 'creator')];
    expect(statusAndCode(await createMark(service, free, { visibility: 'private' }))).toEqual([
      403,
      'TIER_RESTRICTION',
    ]);
    expect((await createMark(service, creator, { visibility: 'private' })).body.visibility).toBe('private');
  });

  it('stops at the limit of the tier, and continues after an upgrade', async () => {
    const user = await createUser(service);
    for (let count = 0; count < 3; count += 1) expect((await createMark(service, user)).status).toBe(201);
    expect(statusAndCode(await createMark(service, user))).toEqual([403, 'TIER_LIMIT_REACHED']);
    await changeTier(service, user, 'creator');
    expect((await createMark(service, user)).status).toBe(201);
    await changeTier(service, user, 'free');
    expect((await get(user, '/api/v1/marks')).body).toHaveLength(4);
    expect(statusAndCode(await createMark(service, user))).toEqual([403, 'TIER_LIMIT_REACHED']);
  });

  it('in an organization is for its owner and admin members', async () => {
    for (const user of [owner, admin]) {
      const { status, body } = await createMark(service, user, { organizationId: studio });
      expect(status).toBe(201);
      expect(body).toMatchObject({ admin: { id: user.id }, owner: null, organization: { id: studio, name: 'Studio' } });
    }
    for (const user of [member, stranger]) {
      expect(statusAndCode(await createMark(service, user, { organizationId: studio }))).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('does not reveal to strangers which organizations exist', async () => {
    const existing = await createMark(service, stranger, { organizationId: studio });
    const unknown = await createMark(service, stranger, { organizationId: randomUUID() });
    expect([existing.status, existing.body]).toEqual([unknown.status, unknown.body]);
  });

  it('counts an organization’s Marks for the organization, not for their creators', async () => {
    const limits = async () => (await get(admin, '/api/tier/limits')).body.usage.marks;
    const before = await limits();
    await createMark(service, admin, { organizationId: studio });
    expect(await limits()).toBe(before);
  });
});

describe('an API key', () => {
  it('always creates Marks in its own organization, with the owner as admin', async () => {
    for (const fields of [{}, { organizationId: studio }]) {
      const { status, body } = await createMark(service, key, fields);
      expect(status).toBe(201);
      expect(body).toMatchObject({ admin: { id: owner.id }, owner: null, organization: { id: studio } });
    }
  });

  it('cannot use another organization: 403 API_KEY_ORG_MISMATCH, whether it exists or not', async () => {
    const other = await createOrganization(service, owner);
    for (const organizationId of [other, randomUUID()]) {
      expect(statusAndCode(await createMark(service, key, { organizationId }))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    }
  });

  it('lists the Marks of its organization and no others', async () => {
    const personal = (await createMark(service, owner)).body.id;
    const { body } = await get(key, '/api/v1/marks');
    expect(body.length).toBeGreaterThan(0);
    expect(body.every((mark: { organization: { id: string } }) => mark.organization.id === studio)).toBe(true);
    expect(body.map(({ id }: { id: string }) => id)).not.toContain(personal);
  });

  it('may change Marks whose admin is the owner, but not those of other admins or outside the organization', async () => {
    const [own, admins, personal] = [
      (await createMark(service, key)).body.id,
      (await createMark(service, admin, { organizationId: studio })).body.id,
      (await createMark(service, owner)).body.id,
    ];
    expect((await update(key, own, { name: 'Changed' })).body.name).toBe('Changed');
    expect(statusAndCode(await update(key, admins, { name: 'Changed' }))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await update(key, personal, { name: 'Changed' }))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    expect(statusAndCode(await addMarkMember(service, key, personal, member))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
  });
});

describe('reading a Mark', () => {
  it('that is public is possible with any token; without one it is 401', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect((await get(stranger, `/api/v1/marks/${id}`)).body.id).toBe(id);
    expect((await get(key, `/api/v1/marks/${id}`)).status).toBe(200);
    expect(statusAndCode(await call(service, 'GET', `/api/v1/marks/${id}`))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('that is private is for its admin, owner and members, and for all members of the organization', async () => {
    const { id } = (await createMark(service, admin, { organizationId: studio, visibility: 'private' })).body;
    const invited = await createUser(service);
    await addMarkMember(service, admin, id, invited);
    for (const user of [admin, owner, member, invited, key]) {
      expect((await get(user, `/api/v1/marks/${id}`)).status).toBe(200);
    }
    expect(statusAndCode(await get(stranger, `/api/v1/marks/${id}`))).toEqual([403, 'FORBIDDEN']);
  });

  it('by its id in upper case returns the same Mark', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect((await get(owner, `/api/v1/marks/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  it('that does not exist, or by an invalid id, is 404', async () => {
    for (const id of [randomUUID(), 'mine', '..%2F..', 'a'.repeat(100), '%00']) {
      expect(statusAndCode(await get(owner, `/api/v1/marks/${id}`))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('reveals no email address', async () => {
    const { id } = (await createMark(service, owner)).body;
    await addMarkMember(service, owner, id, member);
    const { body } = await get(stranger, `/api/v1/marks/${id}`);
    expect(body.members).toEqual([{ id: member.id, name: member.name }]);
    expect(JSON.stringify(body)).not.toContain('@');
  });
});

describe('changing a Mark', () => {
  it('changes only what is sent, and never the owner', async () => {
    const { body: before } = await createMark(service, owner, {
      name: 'Before',
      license: 'MIT',
      allowAiTraining: false,
    });
    const { status, body } = await update(owner, before.id, { allowAiTraining: null, organizationId: studio });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      allowAiTraining: null,
      aiPreferences: aiPreferencesOf({ allowAiTraining: null }),
    });
    const all = { name: 'After', visibility: 'private', license: 'CC0-1.0', allowAiTraining: true };
    const { body: after } = await update(owner, before.id, all);
    expect(after).toMatchObject({ name: 'After', visibility: 'private', licenseKey: 'CC0-1.0', allowAiTraining: true });
    expect((await update(owner, before.id, {})).body).toEqual(after);
  });

  it('is for its admin only, also within the organization', async () => {
    const { id } = (await createMark(service, admin, { organizationId: studio })).body;
    for (const user of [owner, member, stranger]) {
      expect(statusAndCode(await update(user, id, { name: 'Mine' }))).toEqual([403, 'FORBIDDEN']);
    }
    expect((await update(admin, id, { name: 'Mine' })).status).toBe(200);
  });

  it('requires its owner to be on the creator tier', async () => {
    const user = await createUser(service);
    const { id } = (await createMark(service, user)).body;
    expect(statusAndCode(await update(user, id, { name: 'New' }))).toEqual([403, 'TIER_RESTRICTION']);
    await changeTier(service, user, 'creator');
    expect((await update(user, id, { name: 'New' })).status).toBe(200);
  });

  it('refuses what creation refuses, and does not change the Mark', async () => {
    const { body: before } = await createMark(service, owner);
    for (const body of [{ name: '' }, { license: 'WTFPL' }, { visibility: 'secret' }, { allowAiTraining: 1 }]) {
      expect(statusAndCode(await update(owner, before.id, { ...body, name: body.name ?? 'x' }))).toEqual([
        400,
        'BAD_REQUEST',
      ]);
    }
    expect((await get(owner, `/api/v1/marks/${before.id}`)).body).toEqual(before);
  });

  it('that does not exist is 404', async () => {
    expect(statusAndCode(await update(owner, randomUUID(), { name: 'x' }))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('members of a Mark', () => {
  it('are added and removed by its admin, and can write in between', async () => {
    const { id } = (await createMark(service, owner, { visibility: 'private' })).body;
    const guest = await createUser(service);
    const { status, body } = await addMarkMember(service, owner, id, guest);
    expect([status, body.mark.members]).toEqual([200, [{ id: guest.id, name: guest.name }]]);
    expect((await get(guest, '/api/v1/marks')).body.map((mark: { id: string }) => mark.id)).toEqual([id]);
    expect((await remove(owner, id, guest.id)).status).toBe(204);
    expect(statusAndCode(await get(guest, `/api/v1/marks/${id}`))).toEqual([403, 'FORBIDDEN']);
  });

  it('cannot be added twice, and the admin cannot be added: 409', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect((await addMarkMember(service, owner, id, member)).status).toBe(200);
    expect(statusAndCode(await addMarkMember(service, owner, id, member))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await addMarkMember(service, owner, id, owner))).toEqual([409, 'CONFLICT']);
    expect((await get(owner, `/api/v1/marks/${id}`)).body.members).toHaveLength(1);
  });

  it('that do not exist are 404', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect(statusAndCode(await remove(owner, id, member.id))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await remove(owner, id, 'not-an-id'))).toEqual([404, 'NOT_FOUND']);
  });

  it('are managed by the admin only: 403', async () => {
    const { id } = (await createMark(service, owner)).body;
    await addMarkMember(service, owner, id, member);
    for (const user of [member, stranger]) {
      expect(statusAndCode(await addMarkMember(service, user, id, stranger))).toEqual([403, 'FORBIDDEN']);
      expect(statusAndCode(await remove(user, id, admin.id))).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('leave, or are removed by its admin or the owner of its organization, but not while they are the admin', async () => {
    const [guest, bea, carl] = [await createUser(service), await createUser(service), await createUser(service)];
    const mark = (await createMark(service, admin, { organizationId: studio })).body.id;
    for (const user of [guest, bea, carl]) await addMarkMember(service, admin, mark, user);
    expect(statusAndCode(await remove(guest, mark, bea.id))).toEqual([403, 'FORBIDDEN']);
    expect((await remove(guest, mark, guest.id)).status).toBe(204);
    expect((await remove(owner, mark, bea.id)).status).toBe(204);
    expect((await remove(admin, mark, carl.id)).status).toBe(204);
    for (const user of [guest, bea, carl]) expect(statusAndCode(await write(user, mark))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await remove(guest, mark, guest.id))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await remove(admin, mark, admin.id))).toEqual([400, 'BAD_REQUEST']);
    expect(statusAndCode(await remove(owner, mark, admin.id))).toEqual([400, 'BAD_REQUEST']);
  });

  it('who have left can write again only after another invitation', async () => {
    const mark = (await createMark(service, admin, { organizationId: studio })).body.id;
    const guest = await createUser(service);
    const path = `/api/v1/marks/${mark}/invitations`;
    const invitation = (await call(service, 'POST', path, { token: admin.token, body: {} })).body.token;
    expect((await acceptInvitation(service, guest, invitation)).status).toBe(200);
    await remove(guest, mark, guest.id);
    expect(statusAndCode(await acceptInvitation(service, guest, invitation))).toEqual([404, 'NOT_FOUND']);
    expect((await addMarkMember(service, admin, mark, guest)).status).toBe(200);
    expect((await write(guest, mark)).status).toBe(201);
  });
});

describe('the list of writable Marks', () => {
  it('has the Marks that the user is admin, owner or member of, and those of the user’s organizations', async () => {
    const user = await createUser(service);
    const [own, invited, elsewhere] = [
      (await createMark(service, user)).body.id,
      (await createMark(service, owner)).body.id,
      (await createMark(service, stranger)).body.id,
    ];
    await addMarkMember(service, owner, invited, user);
    const organization = await createOrganization(service, owner, 1);
    const shared = (await createMark(service, owner, { organizationId: organization })).body.id;
    await addMember(service, owner, organization, user);
    const ids = (await get(user, '/api/v1/marks')).body.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([own, invited, shared].sort());
    expect(ids).not.toContain(elsewhere);
  });

  it('is cached for a user, until the user writes', async () => {
    const [user, friend] = [await createUser(service, 'creator'), await createUser(service, 'creator')];
    const list = async () => (await get(user, '/api/v1/marks')).body.map(({ name }: { name: string }) => name);
    expect(await list()).toEqual([]);
    const { id } = (await createMark(service, friend, { name: 'Friend’s' })).body;
    await addMarkMember(service, friend, id, user);
    expect(await list()).toEqual(['Friend’s']);
    await update(friend, id, { name: 'Renamed' });
    expect(await list()).toEqual(['Friend’s']);
    await createMark(service, user, { name: 'Own' });
    expect((await list()).sort()).toEqual(['Own', 'Renamed']);
    await remove(friend, id, user.id);
    expect((await list()).sort()).toEqual(['Own', 'Renamed']);
    await changeTier(service, user, 'enterprise');
    expect(await list()).toEqual(['Own']);
  });
});

it('A Mark states which other one represents it, while that is public', async () => {
  const marks = [owner, owner, stranger].map(async (user) => String((await createMark(service, user)).body.id));
  const [id = '', otherId = '', foreignId = ''] = await Promise.all(marks);
  const put = (markId: string, representativeId: string | null) =>
    call(service, 'PUT', `/api/v1/marks/${markId}/represented-by`, { ...owner, body: { representativeId } });
  expect((await put(id, id)).status).toBe(400);
  expect((await put(id, foreignId)).status).toBe(403);
  expect((await put(foreignId, id)).status).toBe(403);
  expect((await put(id, owner.id)).status).toBe(404);
  const { status, body } = await put(id, otherId);
  expect([status, body.representedBy.id]).toEqual([200, otherId]);
  await update(owner, otherId, { visibility: 'private' });
  expect((await get(stranger, `/api/v1/marks/${id}`)).body.representedBy).toBeNull();
  expect((await put(id, otherId)).status).toBe(400);
  expect((await put(id, null)).status).toBe(200);
});
