// Leaving, removal, hand-over and transfer: what the user loses, what passes to whom, and what the history shows.

import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
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
import {
  createArtifact,
  expectConsistentStorage,
  filePart,
  fingerprintOf,
  newArtifact,
  type Registry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type TestResponse } from '../../../../test/support/service.js';
import { draw } from '../support/pictures.js';
import { whileLocked } from '../support/whileLocked.js';

let service: Registry;
let owner: TestUser;
let ada: TestUser;
let guest: TestUser;
let studio: string;

beforeAll(async () => {
  service = await startRegistry(await unreachableChain());
});

/** An organization with an admin member, and a user outside of it. */
beforeEach(async () => {
  [owner, ada, guest] = await Promise.all([
    createUser(service, 'enterprise'),
    createUser(service, 'enterprise'),
    createUser(service),
  ]);
  studio = await createOrganization(service, owner, 3);
  expect((await addMember(service, owner, studio, ada, true)).status).toBe(200);
});

const get = (user: { token: string }, path: string) => call(service, 'GET', path, { token: user.token });
const remove = (user: { token: string }, userId: string) =>
  call(service, 'DELETE', `/api/v1/organizations/${studio}/members/${userId}`, { token: user.token });
const removeFromMark = (user: { token: string }, markId: string, userId: string) =>
  call(service, 'DELETE', `/api/v1/marks/${markId}/members/${userId}`, { token: user.token });
const transfer = (user: { token: string }, userId: string) =>
  call(service, 'PUT', `/api/v1/organizations/${studio}/owner`, { token: user.token, body: { userId } });
const handOver = (user: { token: string }, markId: string, userId: string) =>
  call(service, 'PUT', `/api/v1/marks/${markId}/admin`, { token: user.token, body: { userId } });
const rename = (user: { token: string }, markId: string) =>
  call(service, 'PUT', `/api/v1/marks/${markId}`, { token: user.token, body: { name: 'Renamed' } });
const write = (user: { token: string }, markId: string) => createArtifact(service, user, newArtifact({ markId }));
const newMark = async (user: TestUser, fields = {}): Promise<string> =>
  (await createMark(service, user, { organizationId: studio, ...fields })).body.id;
const inviteToMark = async (user: TestUser, markId: string): Promise<string> =>
  (await call(service, 'POST', `/api/v1/marks/${markId}/invitations`, { token: user.token, body: {} })).body.token;
const accept = (user: TestUser, token: string) =>
  call(service, 'POST', '/api/v1/invitations/accept', { token: user.token, body: { token } });
const list = async (user: TestUser, path = '') =>
  (await get(user, `/api/v1/organizations/${studio}/events${path}`)).body;
const adminOf = async (markId: string) => (await get(owner, `/api/v1/marks/${markId}`)).body.admin.id;

describe('a member loses all access to the organization', () => {
  it.each([
    ['when removed by the owner', () => remove(owner, ada.id)],
    ['by leaving', () => remove(ada, ada.id)],
    ['when the organization freezes, also after that has ended', () => refreeze()],
  ])('%s', async (_, lose) => {
    // A member of this Mark before joining the organization.
    const joined = await newMark(owner, { visibility: 'private' });
    const late = await createUser(service);
    await addMarkMember(service, owner, joined, late);
    await addMember(service, owner, studio, late);
    const own = await newMark(ada, { visibility: 'private' });
    await addMarkMember(service, ada, own, guest);
    const invitation = await inviteToMark(ada, own);
    expect((await write(ada, own)).status).toBe(201);

    expect([200, 204]).toContain((await lose()).status);
    await remove(owner, late.id);
    for (const [user, markId] of [
      [ada, own],
      [late, joined],
    ] as const) {
      expect(statusAndCode(await get(user, `/api/v1/organizations/${studio}`))).toEqual([404, 'NOT_FOUND']);
      expect(statusAndCode(await get(user, `/api/v1/marks/${markId}`))).toEqual([403, 'FORBIDDEN']);
      expect(statusAndCode(await write(user, markId))).toEqual([403, 'FORBIDDEN']);
      expect(statusAndCode(await rename(user, markId))).toEqual([403, 'FORBIDDEN']);
      expect(statusAndCode(await handOver(user, markId, user.id))).toEqual([403, 'FORBIDDEN']);
      const marks = (await get(await createSession(user), '/api/v1/marks')).body;
      expect(marks.map(({ id }: { id: string }) => id)).not.toContain(markId);
    }
    expect(statusAndCode(await accept(late, invitation))).toEqual([404, 'NOT_FOUND']);
    // The Mark has an admin who may act, and its other members stay.
    expect(await adminOf(own)).toBe(owner.id);
    expect((await rename(owner, own)).status).toBe(200);
    expect((await write(guest, own)).status).toBe(201);
    expect((await get(owner, `/api/v1/organizations/${studio}`)).body.usageUnits.used).toBe(1);
  });

  async function refreeze(): Promise<TestResponse> {
    await changeTier(service, owner, 'free');
    return call(service, 'PUT', '/api/v1/subscription', { token: owner.token, body: { tier: 'enterprise' } });
  }

  /** The list of Marks is cached until the user writes. */
  async function createSession(user: TestUser): Promise<TestUser> {
    await call(service, 'POST', '/api/v1/marks', { token: user.token, body: { name: 'Own' } });
    return user;
  }

  it('except the owner, who transfers the organization first; other members remove no one', async () => {
    await addMember(service, owner, studio, guest);
    expect(statusAndCode(await remove(owner, owner.id))).toEqual([400, 'BAD_REQUEST']);
    expect(statusAndCode(await remove(ada, guest.id))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await remove(ada, owner.id))).toEqual([403, 'FORBIDDEN']);
    expect((await remove(guest, guest.id)).status).toBe(204);
    expect(statusAndCode(await remove(guest, guest.id))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await remove(owner, guest.id))).toEqual([404, 'NOT_FOUND']);
  });
});

describe('handing over a Mark', () => {
  it('of an organization is for its admin and the owner of the organization, to a member of the organization', async () => {
    const mark = await newMark(ada);
    const bea = await createUser(service);
    await addMember(service, owner, studio, bea);
    await addMarkMember(service, ada, mark, guest);
    // A member of the Mark alone is no member of the organization.
    expect(statusAndCode(await handOver(ada, mark, guest.id))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await handOver(guest, mark, bea.id))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await handOver(bea, mark, bea.id))).toEqual([403, 'FORBIDDEN']);
    const handed = await handOver(ada, mark, bea.id);
    expect([handed.status, handed.body.admin, handed.body.members]).toEqual([
      200,
      { id: bea.id, name: bea.name },
      [{ id: guest.id, name: guest.name }],
    ]);
    expect(statusAndCode(await rename(ada, mark))).toEqual([403, 'FORBIDDEN']);
    expect((await rename(bea, mark)).status).toBe(200);
    expect((await handOver(owner, mark, owner.id)).body.admin.id).toBe(owner.id);
    expect(statusAndCode(await handOver(owner, randomUUID(), owner.id))).toEqual([404, 'NOT_FOUND']);
  });

  it('of a user goes to one of its members and back to the owner, who keep their access', async () => {
    const { id: mark } = (await createMark(service, owner)).body;
    await addMarkMember(service, owner, mark, guest);
    expect(statusAndCode(await handOver(owner, mark, ada.id))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await handOver(guest, mark, guest.id))).toEqual([403, 'FORBIDDEN']);
    expect((await handOver(owner, mark, guest.id)).body).toMatchObject({ admin: { id: guest.id }, members: [] });
    expect(statusAndCode(await rename(owner, mark))).toEqual([403, 'FORBIDDEN']);
    expect((await write(owner, mark)).status).toBe(201);
    expect((await handOver(owner, mark, owner.id)).body).toMatchObject({ members: [{ id: guest.id }] });
    expect((await write(guest, mark)).status).toBe(201);
  });
});

describe('transferring an organization', () => {
  it('makes a member the owner; the former owner stays as an admin member, and API keys end', async () => {
    const mark = await newMark(owner);
    const key = (await createApiKey(service, owner, studio)).body;
    expect((await get(key, '/api/v1/me')).body.user.id).toBe(owner.id);
    const usage = async (user: TestUser) => (await get(user, '/api/tier/limits')).body.usage.organizations;
    const { status, body } = await transfer(owner, ada.id);
    expect([status, body]).toMatchObject([200, { id: studio, role: 'member', status: 'active' }]);
    expect([await usage(owner), await usage(ada)]).toEqual([0, 1]);
    const members = (await get(owner, `/api/v1/organizations/${studio}/members`)).body;
    expect(members).toMatchObject([
      { id: ada.id, role: 'owner', isAdmin: true },
      { id: owner.id, role: 'member', isAdmin: true },
    ]);
    expect(statusAndCode(await transfer(owner, owner.id))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await get(key, '/api/v1/me'))).toEqual([401, 'UNAUTHORIZED']);
    // Its place among the five is free.
    for (let count = 0; count < 5; count += 1) expect((await createApiKey(service, ada, studio)).status).toBe(201);
    const [revoked] = (await list(ada)).events.filter(({ type }: { type: string }) => type === 'key.revoked');
    expect(revoked).toMatchObject({ actor: { id: owner.id }, key: { id: key.id } });
    // The former owner is the admin of the Mark still, and may leave.
    expect((await rename(owner, mark)).status).toBe(200);
    expect((await remove(owner, owner.id)).status).toBe(204);
    expect((await get(ada, `/api/v1/marks/${mark}`)).body.admin.id).toBe(ada.id);
  });

  it('is refused for others than the owner, to others than members, and without room in the tier', async () => {
    await addMember(service, owner, studio, guest);
    const key = (await createApiKey(service, owner, studio)).body;
    expect(statusAndCode(await transfer(ada, ada.id))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await transfer(key, ada.id))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await transfer(owner, owner.id))).toEqual([400, 'BAD_REQUEST']);
    expect(statusAndCode(await transfer(owner, guest.id))).toEqual([403, 'TIER_LIMIT_REACHED']);
    const stranger = await createUser(service, 'enterprise');
    for (const userId of [stranger.id, randomUUID()]) {
      expect(statusAndCode(await transfer(owner, userId))).toEqual([404, 'NOT_FOUND']);
    }
    expect(statusAndCode(await transfer(stranger, stranger.id))).toEqual([404, 'NOT_FOUND']);
  });

  it('to an owner on another tier than enterprise freezes it, which removes the former owner too', async () => {
    await changeTier(service, ada, 'creator');
    const mark = await newMark(owner);
    const { status, body } = await transfer(owner, ada.id);
    expect([status, body]).toMatchObject([
      200,
      { tier: 'creator', status: 'frozen', usageUnits: { total: 1, used: 1 } },
    ]);
    expect((await get(owner, `/api/v1/organizations/${studio}`)).status).toBe(404);
    expect(statusAndCode(await write(owner, mark))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await write(ada, mark))).toEqual([403, 'TIER_RESTRICTION']);
    await changeTier(service, ada, 'enterprise');
    expect((await write(ada, mark)).status).toBe(201);
    expect((await get(ada, `/api/v1/marks/${mark}`)).body.admin.id).toBe(ada.id);
  });
});

describe('a registration that was authorized before', () => {
  const beforeDraft = 'lock table drafts in exclusive mode';

  it.each([
    ['a member is removed', 'FORBIDDEN', () => remove(owner, ada.id)],
    ['the organization freezes', 'TIER_RESTRICTION', () => changeTier(service, owner, 'free')],
    ['a member of the Mark is removed', 'FORBIDDEN', (mark: string) => removeFromMark(owner, mark, guest.id)],
  ])('is refused when it would be recorded after %s, and leaves nothing', async (what, code, change) => {
    const mark = await newMark(owner);
    await addMarkMember(service, owner, mark, guest);
    const caller = what === 'a member of the Mark is removed' ? guest : ada;
    const artifact = newArtifact({ markId: mark });
    const create = () => createArtifact(service, caller, artifact, { key: mark });
    expect(statusAndCode(await whileLocked(service, beforeDraft, create, () => change(mark)))).toEqual([403, code]);
    expect((await get(owner, `/api/v1/artifacts/${artifact.fingerprint}`)).status).toBe(404);
    await expectConsistentStorage(service);
  });

  it('with an API key is refused when the organization has another owner by then', async () => {
    const mark = await newMark(owner);
    const key = (await createApiKey(service, owner, studio)).body;
    const create = () => write(key, mark);
    expect(statusAndCode(await whileLocked(service, beforeDraft, create, () => transfer(owner, ada.id)))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    await expectConsistentStorage(service);
  });

  it('is recorded when only others have lost access, and shows no internal number', async () => {
    const mark = await newMark(owner);
    const create = () => createArtifact(service, owner, newArtifact({ markId: mark }), { key: mark });
    const { status, body } = await whileLocked(service, beforeDraft, create, () => remove(owner, ada.id));
    expect(status).toBe(201);
    expect(Object.keys(body.mark)).not.toContain('accessVersion');
    const records = await query(service.databaseUrl, 'select response from idempotency_keys where key = $1', [mark]);
    expect(records).toHaveLength(1);
    expect(JSON.stringify([body, records])).not.toMatch(/version/i);
  });

  it('of a signed copy is refused too', async () => {
    const mark = await newMark(owner);
    await addMarkMember(service, owner, mark, guest);
    const image = new Uint8Array(await draw({ seed: 7, width: 64, height: 64, cell: 8 }).png().toBuffer());
    const fingerprint = fingerprintOf(image);
    await createArtifact(service, guest, newArtifact({ markId: mark, fingerprint }));
    const path = `/api/v1/artifacts/${fingerprint}/signed-copy` as const;
    const sign = () => sendForm(service, guest, [filePart(image)], { path });
    const removal = (blocker: pg.Client) =>
      blocker.query(`delete from mark_members where mark_id = '${mark}';
        update marks set access_version = access_version + 1 where id = '${mark}'`);
    const lockMark = `select 1 from marks where id = '${mark}' for update`;
    expect(statusAndCode(await whileLocked(service, lockMark, sign, removal))).toEqual([403, 'FORBIDDEN']);
    expect((await get(owner, `/api/v1/artifacts/${fingerprint}`)).body.renditions).toEqual([]);
    await addMarkMember(service, owner, mark, guest);
    expect((await sign()).status).toBe(201);
  });
});

describe('the history of an organization', () => {
  it('shows who did what, newest first, to the owner and admin members', async () => {
    const mark = await newMark(ada);
    await call(service, 'PUT', `/api/v1/marks/${mark}`, {
      token: ada.token,
      body: { name: 'Gallery', license: 'NONE_SPECIFIED', visibility: 'private' },
    });
    await addMarkMember(service, ada, mark, guest);
    await handOver(ada, mark, owner.id);
    await removeFromMark(guest, mark, guest.id);
    const own = await newMark(ada);
    await call(service, 'PATCH', `/api/v1/organizations/${studio}/members/${ada.id}`, {
      token: owner.token,
      body: { isAdmin: true },
    });
    await remove(owner, ada.id);
    await changeTier(service, owner, 'creator');
    await changeTier(service, owner, 'enterprise');
    const { events, nextCursor } = await list(owner);
    expect(nextCursor).toBeNull();
    const [by, of] = [person(owner), person(ada)];
    expect(events.map(toRow)).toEqual([
      ['organization.unfrozen', by, null, null, null],
      ['organization.tier_changed', by, null, null, { from: 'creator', to: 'enterprise' }],
      ['organization.frozen', by, null, null, null],
      ['organization.tier_changed', by, null, null, { from: 'enterprise', to: 'creator' }],
      ['mark.admin_changed', by, by, own, null],
      ['member.removed', by, of, null, null],
      ['mark.created', of, null, own, null],
      ['mark.member_left', person(guest), person(guest), mark, null],
      ['mark.admin_changed', of, by, mark, null],
      ['invitation.accepted', person(guest), person(guest), mark, { invitationId: expect.any(String) }],
      ['invitation.created', of, null, mark, { invitationId: expect.any(String) }],
      ['mark.updated', of, null, mark, { fields: ['name', 'visibility'] }],
      ['mark.created', of, null, mark, null],
      ['invitation.accepted', of, of, null, { invitationId: expect.any(String), isAdmin: true }],
      ['invitation.created', by, null, null, { invitationId: expect.any(String), isAdmin: true }],
      ['organization.units_changed', by, null, null, { from: 0, to: 3 }],
      ['organization.created', by, null, null, null],
    ]);
  });

  const person = ({ id, name }: TestUser) => ({ id, name });
  const toRow = ({ type, actor, user, mark, data }: Record<string, { id: string } | null>) => [
    type,
    actor,
    user,
    mark?.id ?? null,
    data,
  ];

  it('shows changes of role, removal from Marks and a transfer with the tier of the new owner', async () => {
    await changeTier(service, ada, 'creator');
    await addMember(service, owner, studio, guest);
    await call(service, 'PATCH', `/api/v1/organizations/${studio}/members/${guest.id}`, {
      token: owner.token,
      body: { isAdmin: true },
    });
    const carl = await createUser(service);
    const mark = await newMark(owner);
    await addMarkMember(service, owner, mark, carl);
    await removeFromMark(owner, mark, carl.id);
    await remove(guest, guest.id);
    await transfer(owner, ada.id);
    const [by, of] = [person(owner), person(ada)];
    const events = (await list(ada)).events.map(toRow);
    expect(events.slice(0, 6)).toEqual([
      ['mark.admin_changed', by, of, mark, null],
      ['member.removed', by, by, null, null],
      ['organization.frozen', by, null, null, null],
      ['organization.tier_changed', by, null, null, { from: 'enterprise', to: 'creator' }],
      ['organization.transferred', by, of, null, null],
      ['member.left', person(guest), person(guest), null, null],
    ]);
    expect(events).toContainEqual(['mark.member_removed', by, person(carl), mark, null]);
    expect(events).toContainEqual(['member.role_changed', by, person(guest), null, { isAdmin: true }]);
  });

  it('comes in pages, for the owner and admin members only', async () => {
    await addMember(service, owner, studio, guest);
    const all = (await list(ada)).events;
    const first = await list(ada, '?limit=2');
    expect(first).toEqual({ events: all.slice(0, 2), nextCursor: all[1].id });
    expect(await list(owner, `?limit=200&cursor=${first.nextCursor}`)).toEqual({
      events: all.slice(2),
      nextCursor: null,
    });
    const path = `/api/v1/organizations/${studio}/events`;
    expect(statusAndCode(await get(guest, path))).toEqual([403, 'FORBIDDEN']);
    const stranger = await createUser(service, 'enterprise');
    expect(statusAndCode(await get(stranger, path))).toEqual([404, 'NOT_FOUND']);
    const other = await createOrganization(service, stranger);
    const [event] = (await get(stranger, `/api/v1/organizations/${other}/events`)).body.events;
    for (const cursor of [event.id, '0', '999999999999999999', 'x', '-1', '1'.repeat(40), '']) {
      expect(statusAndCode(await get(owner, `${path}?cursor=${cursor}`))).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it.each(['update events set type = type', 'delete from events', 'truncate events'])(
    'is never changed: the database refuses "%s"',
    async (statement) => {
      await expect(query(service.databaseUrl, statement)).rejects.toThrow('events are never changed or removed');
    },
  );
});
