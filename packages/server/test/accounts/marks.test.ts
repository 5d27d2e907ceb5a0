// The rules about Marks, one by one, through HTTP.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { call, type Service, startService } from '../../../../test/support/service.js';

let service: Service;
let owner: TestUser;
let stranger: TestUser;
let admin: TestUser;
let member: TestUser;
let studio: string;
let key: { token: string };

beforeAll(async () => {
  service = await startService();
  owner = await createUser(service, 'enterprise');
  stranger = await createUser(service, 'creator');
  admin = await createUser(service, 'creator');
  member = await createUser(service);
  studio = await createOrganization(service, owner, 10);
  await addMember(service, owner, studio, admin, true);
  await addMember(service, owner, studio, member);
  key = { token: (await createApiKey(service, owner, studio)).body.token };
});

const get = (who: { token: string }, path: string) => call(service, 'GET', path, { token: who.token });
const update = (who: { token: string }, id: string, body: Record<string, unknown>) =>
  call(service, 'PUT', `/api/v1/marks/${id}`, { token: who.token, body });
const invite = (who: { token: string }, id: string, email: string) =>
  call(service, 'POST', `/api/v1/marks/${id}/members`, { token: who.token, body: { email } });
const uninvite = (who: { token: string }, id: string, userId: string) =>
  call(service, 'DELETE', `/api/v1/marks/${id}/members/${userId}`, { token: who.token });

describe('making a Mark', () => {
  it('answers 201 with defaults: public, no licence specified, AI training allowed', async () => {
    const who = await createUser(service);
    const { status, body } = await createMark(service, who, { name: 'Ada’s photos' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Ada’s photos',
      visibility: 'public',
      license: { name: 'None specified', url: null },
      licenseKey: 'NONE_SPECIFIED',
      allowAiTraining: true,
      admin: { id: who.id, name: who.name },
      owner: { id: who.id, name: who.name },
      organization: null,
      members: [],
      createdAt: expect.stringMatching(/Z$/),
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
  ])('takes the licence %s and shows its name and address', async (license, name) => {
    const { body } = await createMark(service, owner, { license });
    const unnamed = ['NONE_SPECIFIED', 'UNLICENSED'].includes(license);
    expect(body.licenseKey).toBe(license);
    expect(body.license).toEqual({ name, url: unnamed ? null : expect.stringMatching(/^https:\/\//) });
  });

  it.each([true, false, null])('keeps allowAiTraining = %s', async (allowAiTraining) => {
    expect((await createMark(service, owner, { allowAiTraining })).body.allowAiTraining).toBe(allowAiTraining);
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name of 121 characters', { name: 'a'.repeat(121) }],
    ['a name of 10,000 characters', { name: 'a'.repeat(10_000) }],
    ['a name with a control character', { name: 'a\u0000b' }],
    ['a name with an override of direction', { name: 'photo\u202Egnp.exe' }],
    ['an unknown licence', { license: 'WTFPL' }],
    ['a licence object', { license: { name: 'MIT', url: null } }],
    ['an unknown visibility', { visibility: 'secret' }],
    ['a preference that is text', { allowAiTraining: 'true' }],
    ['an organization that is no id', { organizationId: 'studio' }],
  ])('refuses %s with 400', async (_, fields) => {
    expect(statusAndCode(await createMark(service, owner, fields))).toEqual([400, 'BAD_REQUEST']);
  });

  it('takes a name with a right-to-left mark of a script that needs it', async () => {
    const name = 'שלום\u200F!';
    expect((await createMark(service, owner, { name })).body.name).toBe(name);
  });

  it('needs the creator tier to be private', async () => {
    const [free, creator] = [await createUser(service), await createUser(service, 'creator')];
    expect(statusAndCode(await createMark(service, free, { visibility: 'private' }))).toEqual([
      403,
      'TIER_RESTRICTION',
    ]);
    expect((await createMark(service, creator, { visibility: 'private' })).body.visibility).toBe('private');
  });

  it('stops at the cap of the tier, and goes on after an upgrade', async () => {
    const who = await createUser(service);
    for (let made = 0; made < 3; made += 1) expect((await createMark(service, who)).status).toBe(201);
    expect(statusAndCode(await createMark(service, who))).toEqual([403, 'TIER_LIMIT_REACHED']);
    await changeTier(service, who, 'creator');
    expect((await createMark(service, who)).status).toBe(201);
    await changeTier(service, who, 'free');
    expect((await get(who, '/api/v1/marks')).body).toHaveLength(4);
    expect(statusAndCode(await createMark(service, who))).toEqual([403, 'TIER_LIMIT_REACHED']);
  });

  it('for an organization is for its owner and admin members', async () => {
    for (const who of [owner, admin]) {
      const { status, body } = await createMark(service, who, { organizationId: studio });
      expect(status).toBe(201);
      expect(body).toMatchObject({ admin: { id: who.id }, owner: null, organization: { id: studio, name: 'Studio' } });
    }
    for (const who of [member, stranger]) {
      expect(statusAndCode(await createMark(service, who, { organizationId: studio }))).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('tells a stranger nothing about which organizations exist', async () => {
    const theirs = await createMark(service, stranger, { organizationId: studio });
    const nobodys = await createMark(service, stranger, { organizationId: crypto.randomUUID() });
    expect([theirs.status, theirs.body]).toEqual([nobodys.status, nobodys.body]);
  });

  it('counts an organization’s Marks against the organization, not against who made them', async () => {
    const limits = async () => (await get(admin, '/api/tier/limits')).body.usage.marks;
    const before = await limits();
    await createMark(service, admin, { organizationId: studio });
    expect(await limits()).toBe(before);
  });
});

describe('an API key', () => {
  it('always makes Marks in its own organization, with the owner as admin', async () => {
    for (const fields of [{}, { organizationId: studio }]) {
      const { status, body } = await createMark(service, key, fields);
      expect(status).toBe(201);
      expect(body).toMatchObject({ admin: { id: owner.id }, owner: null, organization: { id: studio } });
    }
  });

  it('cannot name another organization: 403 API_KEY_ORG_MISMATCH, whether that exists or not', async () => {
    const other = await createOrganization(service, owner);
    for (const organizationId of [other, crypto.randomUUID()]) {
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

  it('may change Marks of which the owner is admin, not those of other admins, and none outside', async () => {
    const [own, admins, personal] = [
      (await createMark(service, key)).body.id,
      (await createMark(service, admin, { organizationId: studio })).body.id,
      (await createMark(service, owner)).body.id,
    ];
    expect((await update(key, own, { name: 'Changed' })).body.name).toBe('Changed');
    expect(statusAndCode(await update(key, admins, { name: 'Changed' }))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await update(key, personal, { name: 'Changed' }))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    expect(statusAndCode(await invite(key, personal, member.email))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
  });
});

describe('reading a Mark', () => {
  it('that is public is for everybody with a token; without one it is 401', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect((await get(stranger, `/api/v1/marks/${id}`)).body.id).toBe(id);
    expect((await get(key, `/api/v1/marks/${id}`)).status).toBe(200);
    expect(statusAndCode(await call(service, 'GET', `/api/v1/marks/${id}`))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('that is private is for admin, owner, members, and everybody in the organization', async () => {
    const { id } = (await createMark(service, admin, { organizationId: studio, visibility: 'private' })).body;
    const invited = await createUser(service);
    await invite(admin, id, invited.email);
    for (const who of [admin, owner, member, invited, key]) {
      expect((await get(who, `/api/v1/marks/${id}`)).status).toBe(200);
    }
    expect(statusAndCode(await get(stranger, `/api/v1/marks/${id}`))).toEqual([403, 'FORBIDDEN']);
  });

  it('by its id in upper case gives the same Mark', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect((await get(owner, `/api/v1/marks/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  it('that does not exist, or by an id that is none, is 404', async () => {
    for (const id of [crypto.randomUUID(), 'mine', '..%2F..', 'a'.repeat(100), '%00']) {
      expect(statusAndCode(await get(owner, `/api/v1/marks/${id}`))).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('shows nobody’s email address', async () => {
    const { id } = (await createMark(service, owner)).body;
    await invite(owner, id, member.email);
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
    expect(body).toEqual({ ...before, allowAiTraining: null });
    const all = { name: 'After', visibility: 'private', license: 'CC0-1.0', allowAiTraining: true };
    const { body: after } = await update(owner, before.id, all);
    expect(after).toMatchObject({ name: 'After', visibility: 'private', licenseKey: 'CC0-1.0', allowAiTraining: true });
    expect((await update(owner, before.id, {})).body).toEqual(after);
  });

  it('is for its admin alone, also within the organization', async () => {
    const { id } = (await createMark(service, admin, { organizationId: studio })).body;
    for (const who of [owner, member, stranger]) {
      expect(statusAndCode(await update(who, id, { name: 'Mine' }))).toEqual([403, 'FORBIDDEN']);
    }
    expect((await update(admin, id, { name: 'Mine' })).status).toBe(200);
  });

  it('needs the creator tier of whoever owns it', async () => {
    const who = await createUser(service);
    const { id } = (await createMark(service, who)).body;
    expect(statusAndCode(await update(who, id, { name: 'New' }))).toEqual([403, 'TIER_RESTRICTION']);
    await changeTier(service, who, 'creator');
    expect((await update(who, id, { name: 'New' })).status).toBe(200);
  });

  it('refuses what creation refuses, and leaves the Mark as it was', async () => {
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
    expect(statusAndCode(await update(owner, crypto.randomUUID(), { name: 'x' }))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('members of a Mark', () => {
  it('are added and removed by its admin, and may then write, and no longer', async () => {
    const { id } = (await createMark(service, owner, { visibility: 'private' })).body;
    const guest = await createUser(service);
    const added = await invite(owner, id, guest.email.toUpperCase());
    expect([added.status, added.body]).toEqual([201, { id: guest.id, name: guest.name }]);
    expect((await get(guest, '/api/v1/marks')).body.map((mark: { id: string }) => mark.id)).toEqual([id]);
    expect((await uninvite(owner, id, guest.id)).status).toBe(204);
    expect(statusAndCode(await get(guest, `/api/v1/marks/${id}`))).toEqual([403, 'FORBIDDEN']);
  });

  it('cannot be added twice, nor the admin at all: 409', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect((await invite(owner, id, member.email)).status).toBe(201);
    expect(statusAndCode(await invite(owner, id, member.email))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await invite(owner, id, owner.email))).toEqual([409, 'CONFLICT']);
    expect((await get(owner, `/api/v1/marks/${id}`)).body.members).toHaveLength(1);
  });

  it('that nobody knows are 404', async () => {
    const { id } = (await createMark(service, owner)).body;
    expect(statusAndCode(await invite(owner, id, 'nobody@example.com'))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await uninvite(owner, id, member.id))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await uninvite(owner, id, 'not-an-id'))).toEqual([404, 'NOT_FOUND']);
  });

  it('are nobody else’s business: 403', async () => {
    const { id } = (await createMark(service, owner)).body;
    await invite(owner, id, member.email);
    for (const who of [member, stranger]) {
      expect(statusAndCode(await invite(who, id, stranger.email))).toEqual([403, 'FORBIDDEN']);
      expect(statusAndCode(await uninvite(who, id, member.id))).toEqual([403, 'FORBIDDEN']);
    }
  });
});

describe('the list of Marks I can write to', () => {
  it('has those I am admin, owner or member of, and those of my organizations', async () => {
    const who = await createUser(service);
    const [own, invited, elsewhere] = [
      (await createMark(service, who)).body.id,
      (await createMark(service, owner)).body.id,
      (await createMark(service, stranger)).body.id,
    ];
    await invite(owner, invited, who.email);
    const house = await createOrganization(service, owner, 1);
    const shared = (await createMark(service, owner, { organizationId: house })).body.id;
    await addMember(service, owner, house, who);
    const ids = (await get(who, '/api/v1/marks')).body.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([own, invited, shared].sort());
    expect(ids).not.toContain(elsewhere);
  });

  it('is remembered for a user, until the user writes', async () => {
    const [who, friend] = [await createUser(service, 'creator'), await createUser(service)];
    const list = async () => (await get(who, '/api/v1/marks')).body.map(({ name }: { name: string }) => name);
    expect(await list()).toEqual([]);
    const { id } = (await createMark(service, friend, { name: 'Friend’s' })).body;
    await invite(friend, id, who.email);
    expect(await list()).toEqual([]);
    const own = (await createMark(service, who, { name: 'Own' })).body.id;
    expect((await list()).sort()).toEqual(['Friend’s', 'Own']);
    const another = (await createMark(service, friend, { name: 'Another' })).body.id;
    await invite(friend, another, who.email);
    expect((await list()).sort()).toEqual(['Friend’s', 'Own']);
    await changeTier(service, who, 'enterprise');
    expect((await list()).sort()).toEqual(['Another', 'Friend’s', 'Own']);
    await uninvite(friend, another, who.id);
    await update(who, own, { name: 'Renamed' });
    expect((await list()).sort()).toEqual(['Friend’s', 'Renamed']);
  });
});

describe('the gallery', () => {
  let gallery: Service;
  const page = async (query: string) => {
    const { status, body } = await call(gallery, 'GET', `/api/v1/gallery/marks${query}`);
    return { status, body, names: body.marks?.map(({ name }: { name: string }) => name) };
  };

  beforeAll(async () => {
    gallery = await startService();
    const who = await createUser(gallery, 'creator');
    for (let number = 1; number <= 7; number += 1) await createMark(gallery, who, { name: `Photo ${number}` });
    await createMark(gallery, who, { name: 'Hidden photo', visibility: 'private' });
    for (const name of ['100% wool', 'under_score', 'back\\slash', 'ÉTÉ']) await createMark(gallery, who, { name });
    const { id } = (await createMark(gallery, who, { name: 'With a member' })).body;
    await call(gallery, 'POST', `/api/v1/marks/${id}/members`, {
      token: who.token,
      body: { email: (await createUser(gallery)).email },
    });
  });

  it('shows public Marks, newest first, to anybody, without members and addresses', async () => {
    const { status, names, body } = await page('');
    expect(status).toBe(200);
    expect(names).toEqual([
      'With a member',
      'ÉTÉ',
      'back\\slash',
      'under_score',
      '100% wool',
      ...[7, 6, 5, 4, 3, 2, 1].map((n) => `Photo ${n}`),
    ]);
    expect(body.nextCursor).toBeNull();
    expect(JSON.stringify(body)).not.toMatch(/@|members/);
  });

  it.each([
    ['photo', 7],
    ['PHOTO 3', 1],
    ['%', 1],
    ['_', 1],
    ['\\', 1],
    ['été', 1],
    ['hidden', 0],
    ["'; drop table marks; --", 0],
  ])('finds %j: %i', async (query, count) => {
    expect((await page(`?query=${encodeURIComponent(query)}`)).names).toHaveLength(count);
  });

  it('comes in pages that leave nothing out and repeat nothing, also while Marks are added', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    const newcomer = await createUser(gallery);
    do {
      const { body, names } = await page(`?query=photo&limit=3${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...names);
      cursor = body.nextCursor;
      await createMark(gallery, newcomer, { name: 'Photo added meanwhile' });
    } while (cursor);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `Photo ${n}`));
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'cursor=x',
    'query=%00',
    `query=${'a'.repeat(121)}`,
  ])('refuses ?%s with 400', async (query) => {
    expect(await page(`?${query}`)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });
});
