// The overview of an organization: who may see what, and its counts compared with what was registered.

import { beforeAll, expect, it } from 'vitest';
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
  newArtifact,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { waitForDayBoundary } from '../../../../test/support/dayBoundary.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';
import { contest } from '../support/claims.js';

type Credential = Pick<TestUser, 'token'>;

let service: Registry;
let owner: TestUser;
let admin: TestUser;
let member: TestUser;
let organizationId: string;

beforeAll(async () => {
  // Nothing changes its status unless a test changes it.
  service = await startRegistry(await unreachableChain());
  [owner, admin, member] = [
    await createUser(service, 'enterprise'),
    await createUser(service),
    await createUser(service),
  ];
  organizationId = await createOrganization(service, owner, 5);
  await addMember(service, owner, organizationId, admin, true);
  await addMember(service, owner, organizationId, member);
});

const overview = ({ token }: Credential, id = organizationId) =>
  call(service, 'GET', `/api/v1/organizations/${id}/overview`, { token });
const newMark = async (user: Credential, fields: Record<string, unknown>) =>
  String((await createMark(service, user, fields)).body.id);
async function register(user: Credential, markId: string): Promise<{ id: string; fingerprint: string }> {
  const { status, body } = await createArtifact(service, user, newArtifact({ markId }));
  expect(status).toBe(201);
  return body;
}
const update = (changes: string, { id }: { id: string }) =>
  query(service.databaseUrl, `update artifacts set ${changes} where id = $1`, [id]);
const startedAt = Date.now();
const dayBefore = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

it('of a new organization is empty', async () => {
  const { status, body } = await overview(owner);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    artifacts: { total: 0, today: 0, last30Days: 0, onChain: 0, inProgress: 0, failed: 0 },
    marks: 0,
    openClaims: 0,
    byMark: [],
    byMember: { markMembers: { users: 0, artifacts: 0 }, formerMembers: { users: 0, artifacts: 0 } },
  });
  expect(body.days).toHaveLength(30);
});

it('counts by status, day, Mark and member; neither signed copies nor what is not its own', async () => {
  await waitForDayBoundary();
  const [guest, former, stranger] = [await createUser(service), await createUser(service), await createUser(service)];
  const [first, second] = [
    await newMark(owner, { name: 'First', organizationId }),
    await newMark(owner, { name: 'Second', organizationId, visibility: 'private' }),
  ];
  const empty = await newMark(admin, { name: 'Empty', organizationId });
  await addMarkMember(service, owner, first, guest);
  await addMember(service, owner, organizationId, former);
  const key = { token: String((await createApiKey(service, owner, organizationId)).body.token) };

  const onChain = await register(owner, first);
  await update('status = 2', onChain);
  await register(key, first);
  await register(member, first);
  const contested = await register(member, second);
  const failed = await register(member, second);
  await update(`status = 3, error_reason = 'refused'`, failed);
  await query(service.databaseUrl, 'delete from outbox where artifact_id = $1', [failed.id]);
  await register(guest, first);
  const ofFormer = await register(former, first);
  await update(`created_at = created_at - interval '29 days'`, ofFormer);
  await update(`created_at = created_at - interval '30 days'`, await register(former, first));
  await call(service, 'DELETE', `/api/v1/organizations/${organizationId}/members/${former.id}`, { token: owner.token });
  // A signed copy, and files of others: a personal Mark of a member, another organization of the owner.
  await update(`rendition_of = '${onChain.id}'`, await register(owner, first));
  await register(member, await newMark(member, {}));
  await register(owner, await newMark(owner, { organizationId: await createOrganization(service, owner) }));
  expect((await contest(service, stranger, contested.fingerprint)).status).toBe(201);

  const { body } = await overview(owner);
  expect(body).toMatchObject({
    artifacts: { total: 7, today: 5, last30Days: 6, onChain: 1, inProgress: 6, failed: 1 },
    marks: 3,
    openClaims: 1,
    byMark: [
      { id: first, name: 'First', artifacts: 6 },
      { id: second, name: 'Second', artifacts: 1 },
      { id: empty, name: 'Empty', artifacts: 0, lastRegisteredAt: null },
    ],
    byMember: {
      members: [
        { id: owner.id, name: owner.name, artifacts: 2 },
        { id: admin.id, artifacts: 0 },
        { id: member.id, artifacts: 2 },
      ],
      markMembers: { users: 1, artifacts: 1 },
      formerMembers: { users: 1, artifacts: 2 },
    },
  });
  expect(body.days.filter(({ artifacts }: { artifacts: number }) => artifacts > 0)).toEqual([
    { date: dayBefore(29), artifacts: 1 },
    { date: dayBefore(0), artifacts: 5 },
  ]);
  expect(body.days[0].date).toBe(dayBefore(29));
  expect(body.byMember.members[2].lastActiveAt).toBe(await findLastTime(member.id));
  // The admin has registered nothing, but created a Mark.
  expect(Date.parse(body.byMember.members[1].lastActiveAt)).toBeGreaterThanOrEqual(startedAt);
});

async function findLastTime(userId: string): Promise<string | undefined> {
  const [row] = await query<{ at: Date }>(
    service.databaseUrl,
    `select greatest(
       (select max(artifacts.created_at) from artifacts join marks on marks.id = mark_id
        where created_by = $1 and organization_id = $2 and error_reason is null),
       (select max(at) from events where actor_id = $1 and organization_id = $2)
     ) as at`,
    [userId, organizationId],
  );
  return row?.at.toISOString();
}

it('shows totals to every member, counts by member to owner, admins and keys, and nothing to others', async () => {
  const key = { token: String((await createApiKey(service, owner, organizationId)).body.token) };
  const { byMember, ...totals } = (await overview(owner)).body;
  expect(byMember).not.toBeNull();
  expect((await overview(member)).body).toEqual({ ...totals, byMember: null });
  for (const caller of [admin, key]) expect((await overview(caller)).body).toEqual({ ...totals, byMember });
  const stranger = await createUser(service, 'enterprise');
  expect(statusAndCode(await overview(stranger))).toEqual([404, 'NOT_FOUND']);
  const other = await createOrganization(service, stranger);
  expect(statusAndCode(await overview(key, other))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
});

it('of a frozen organization stays readable for its owner; the removed members are former ones', async () => {
  const before = (await overview(owner)).body;
  await changeTier(service, owner, 'creator');
  const { body } = await overview(owner);
  expect(body.artifacts).toEqual(before.artifacts);
  expect(body.byMember.members.map(({ id }: { id: string }) => id)).toEqual([owner.id]);
  // What the member had registered is a former member's now.
  expect(body.byMember.formerMembers.artifacts).toBe(before.byMember.formerMembers.artifacts + 2);
  expect(statusAndCode(await overview(member))).toEqual([404, 'NOT_FOUND']);
});
