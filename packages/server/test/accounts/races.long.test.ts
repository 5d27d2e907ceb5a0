// Limits hold exactly under concurrent requests to two processes that share a database, also when one is killed.

import pg from 'pg';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  acceptInvitation,
  addMarkMember,
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  expectInvitationGone,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, unreachableChain } from '../../../../test/support/artifacts.js';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import {
  call,
  type Service,
  startService,
  startServiceProcess,
  type TestResponse,
} from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { findViolations } from '../support/invariants.js';

/** Of all users of the tests. */
const PASSWORD = 'correct horse battery';
const JWT_SECRET = 'shared by the processes of this test';

let databaseUrl: string;
let services: [Service, Service];

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  services = await Promise.all([
    startService({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await unreachableChain()) }),
    startService({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await unreachableChain()) }),
  ]);
});

/** Sends concurrent requests to both processes in turn; counts the responses by status or error code. */
async function sendConcurrently(count: number, send: (service: Service, index: number) => Promise<TestResponse>) {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) => send(services[index % 2] as Service, index)),
  );
  const outcomes: Record<string, number> = {};
  for (const { status, body } of responses) {
    const outcome = status < 300 ? String(status) : body.code;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

const expectNoViolations = async () => expect(await findViolations(databaseUrl)).toEqual([]);

describe('two processes on one database', () => {
  it('let a free user create exactly 3 of 40 Marks', async () => {
    const user = await createUser(services[0]);
    expect(await sendConcurrently(40, (service) => createMark(service, user))).toEqual({
      201: 3,
      TIER_LIMIT_REACHED: 37,
    });
    await expectNoViolations();
  });

  it('let a creator create exactly 1 of 20 organizations', async () => {
    const user = await createUser(services[0], 'creator');
    const create = (service: Service) =>
      call(service, 'POST', '/api/v1/organizations', { token: user.token, body: { name: 'Org' } });
    expect(await sendConcurrently(20, create)).toEqual({ 201: 1, TIER_LIMIT_REACHED: 19 });
    await expectNoViolations();
  });

  it('create exactly 5 of 24 API keys', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const id = await createOrganization(services[0], owner);
    expect(await sendConcurrently(24, (service) => createApiKey(service, owner, id))).toEqual({
      201: 5,
      TIER_LIMIT_REACHED: 19,
    });
    await expectNoViolations();
  });

  it('give exactly 3 units to 10 users', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const users: TestUser[] = [];
    for (let count = 0; count < 10; count += 1) users.push(await createUser(services[0]));
    const id = await createOrganization(services[0], owner, 3);
    expect(
      await sendConcurrently(10, (service, index) => addMember(service, owner, id, users[index] as TestUser)),
    ).toEqual({
      200: 3,
      USAGE_UNIT_LIMIT_REACHED: 7,
    });
    await expectNoViolations();
  });

  it('release the unit of a removed member once, also when both remove the member', async () => {
    const [owner, member] = [await createUser(services[0], 'enterprise'), await createUser(services[0])];
    const id = await createOrganization(services[0], owner, 1);
    await addMember(services[0], owner, id, member);
    const remove = (service: Service) =>
      call(service, 'DELETE', `/api/v1/organizations/${id}/members/${member.id}`, { token: owner.token });
    expect(await sendConcurrently(10, remove)).toEqual({ 204: 1, NOT_FOUND: 9 });
    await expectNoViolations();
  });

  it('revoke a key once, and count it once', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const id = await createOrganization(services[0], owner);
    const key = (await createApiKey(services[0], owner, id)).body;
    const revoke = (service: Service) =>
      call(service, 'DELETE', `/api/v1/api-keys/${key.id}?organizationId=${id}`, { token: owner.token });
    expect(await sendConcurrently(10, revoke)).toEqual({ 204: 1, NOT_FOUND: 9 });
    await expectNoViolations();
  });

  it('keep all invariants when the tier changes during other requests', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const users = [await createUser(services[0]), await createUser(services[0]), await createUser(services[0])];
    const id = await createOrganization(services[0], owner, 3);
    const tiers = ['free', 'enterprise', 'creator', 'enterprise'] as const;
    for (let round = 0; round < 5; round += 1) {
      const outcomes = await sendConcurrently(24, (service, index) => {
        const tier = tiers[Math.floor(index / 6)];
        const member = users[index % 3] as TestUser;
        switch (index % 6) {
          case 0:
            return call(service, 'PUT', '/api/v1/subscription', { token: owner.token, body: { tier } });
          case 1:
            return addMember(service, owner, id, member);
          case 2:
            return createApiKey(service, owner, id);
          case 3:
            return createMark(service, owner, { organizationId: id, visibility: 'private' });
          case 4:
            return call(service, 'POST', '/api/v1/organizations', { token: owner.token, body: { name: 'Org' } });
          default:
            return call(service, 'PUT', `/api/v1/organizations/${id}/usage-units`, {
              token: owner.token,
              body: { purchased: 3 },
            });
        }
      });
      expect(Object.keys(outcomes)).not.toContain('INTERNAL');
      expect(Object.keys(outcomes)).not.toContain('UNAVAILABLE');
      await expectNoViolations();
    }
    await changeTier(services[0], owner, 'free');
    await expectNoViolations();
  });

  /** An organization of the first user with the second and third as admin members, and a Mark whose admin is the second. */
  async function createStudio() {
    const [owner, ada, bea] = await Promise.all([
      createUser(services[0], 'enterprise'),
      createUser(services[0], 'enterprise'),
      createUser(services[0], 'enterprise'),
    ]);
    const id = await createOrganization(services[0], owner, 3);
    await addMember(services[0], owner, id, ada, true);
    await addMember(services[0], owner, id, bea, true);
    const markId: string = (await createMark(services[0], ada, { organizationId: id })).body.id;
    return { owner, ada, bea, id, markId };
  }
  type Studio = Awaited<ReturnType<typeof createStudio>>;

  const remove = (service: Service, { owner, id }: Studio, { id: userId }: TestUser) =>
    call(service, 'DELETE', `/api/v1/organizations/${id}/members/${userId}`, { token: owner.token });
  const transfer = (service: Service, { id }: Studio, { token }: TestUser, { id: userId }: TestUser) =>
    call(service, 'PUT', `/api/v1/organizations/${id}/owner`, { token, body: { userId } });
  const handOver = (service: Service, { markId }: Studio, { token }: TestUser, { id: userId }: TestUser) =>
    call(service, 'PUT', `/api/v1/marks/${markId}/admin`, { token, body: { userId } });
  const setTier = (service: Service, { token }: TestUser, tier: string) =>
    call(service, 'PUT', '/api/v1/subscription', { token, body: { tier } });

  it('record what a member registers until the removal, and nothing after it', async () => {
    const studio = await createStudio();
    const { ada, markId } = studio;
    const create = (service: Service) => createArtifact(service, ada, newArtifact({ markId }));
    const {
      201: created = 0,
      204: removed,
      ...refused
    } = await sendConcurrently(24, (service, index) => (index === 4 ? remove(service, studio, ada) : create(service)));
    expect(removed).toBe(1);
    expect([{}, { FORBIDDEN: 23 - created }]).toContainEqual(refused);
    const recorded = await query(databaseUrl, 'select 1 from artifacts where mark_id = $1', [markId]);
    expect(recorded).toHaveLength(created);
    expect(await sendConcurrently(2, create)).toEqual({ FORBIDDEN: 2 });
  });

  it.each<[string, (studio: Studio) => ((service: Service) => Promise<TestResponse>)[]]>([
    [
      'a hand-over and the removal of the new admin',
      (studio) => [
        (service) => handOver(service, studio, studio.ada, studio.bea),
        (service) => remove(service, studio, studio.bea),
        (service) => createMark(service, studio.bea, { organizationId: studio.id }),
        (service) => createArtifact(service, studio.bea, newArtifact({ markId: studio.markId })),
      ],
    ],
    [
      'a transfer and tier changes of both owners',
      (studio) => [
        (service) => transfer(service, studio, studio.owner, studio.ada),
        (service) => setTier(service, studio.ada, 'creator'),
        (service) => setTier(service, studio.owner, 'creator'),
        (service) => createArtifact(service, studio.bea, newArtifact({ markId: studio.markId })),
        (service) => setTier(service, studio.ada, 'enterprise'),
      ],
    ],
    [
      'a transfer and the removal of the new owner',
      (studio) => [
        (service) => transfer(service, studio, studio.owner, studio.ada),
        (service) => remove(service, studio, studio.ada),
        (service) => handOver(service, studio, studio.owner, studio.ada),
      ],
    ],
    [
      'closing an account, and invitations and a hand-over to it',
      (studio) => [
        (service) => call(service, 'DELETE', '/api/v1/me', { token: studio.bea.token, body: { password: PASSWORD } }),
        (service) => handOver(service, studio, studio.owner, studio.bea),
        (service) => createMark(service, studio.bea, { organizationId: studio.id }),
        (service) => addMarkMember(service, studio.ada, studio.markId, studio.bea),
        (service) => transfer(service, studio, studio.owner, studio.bea),
      ],
    ],
  ])('keep all invariants during %s', async (_, requests) => {
    for (let round = 0; round < 3; round += 1) {
      const steps = requests(await createStudio());
      // Another one begins each time.
      const outcomes = await sendConcurrently(steps.length, (service, index) => {
        return (steps[(index + round) % steps.length] as (typeof steps)[number])(service);
      });
      expect(Object.keys(outcomes).filter((code) => /INTERNAL|UNAVAILABLE/.test(code))).toEqual([]);
    }
    await expectNoViolations();
  });

  it('make one of two transfers at once, also when two organizations change hands crosswise', async () => {
    for (let round = 0; round < 3; round += 1) {
      const studio = await createStudio();
      const { owner, ada, bea } = studio;
      const toBoth = (service: Service, index: number) => transfer(service, studio, owner, index ? ada : bea);
      expect(await sendConcurrently(2, toBoth)).toEqual({ 200: 1, FORBIDDEN: 1 });
      const [one, other] = [await createStudio(), await createStudio()];
      await addMember(services[0], one.owner, one.id, other.owner);
      await addMember(services[0], other.owner, other.id, one.owner);
      const exchange = (service: Service, index: number) =>
        index ? transfer(service, one, one.owner, other.owner) : transfer(service, other, other.owner, one.owner);
      expect(await sendConcurrently(2, exchange)).toEqual({ 200: 2 });
    }
    await expectNoViolations();
  });
});

describe('invitations', () => {
  const invite = (owner: TestUser, studio: string, service: Service) =>
    call(service, 'POST', `/api/v1/organizations/${studio}/invitations`, { token: owner.token, body: {} });
  const read = async (owner: TestUser, studio: string, path = '') =>
    (await call(services[0], 'GET', `/api/v1/organizations/${studio}${path}`, { token: owner.token })).body;
  const usedUnits = async (owner: TestUser, studio: string) => (await read(owner, studio)).usageUnits.used;
  const memberIds = async (owner: TestUser, studio: string): Promise<string[]> =>
    (await read(owner, studio, '/members')).map((member: { id: string }) => member.id);

  async function createStudio(units = 5): Promise<{ owner: TestUser; studio: string }> {
    const owner = await createUser(services[0], 'enterprise');
    return { owner, studio: await createOrganization(services[0], owner, units) };
  }

  /** Holds the organization's lock until these requests wait for it, each sent when the one before it waits. */
  async function sendInOrder(studio: string, requests: readonly (() => Promise<TestResponse>)[], beforeRelease = '') {
    const blocker = new pg.Client({ connectionString: databaseUrl });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select 1 from organizations where id = $1 for update', [studio]);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const responses = [];
    for (const send of requests) {
      responses.push(send());
      await waitUntil(async () => (await query(databaseUrl, waiting)).length === responses.length, 'a request waits');
    }
    if (beforeRelease) await query(databaseUrl, beforeRelease, [studio]);
    await blocker.query('commit');
    await blocker.end();
    return (await Promise.all(responses)).map(({ status }) => status);
  }

  it('make one member, however many accept one at once', async () => {
    const { owner, studio } = await createStudio();
    const users = [await createUser(services[0]), await createUser(services[0]), await createUser(services[0])];
    const { token } = (await invite(owner, studio, services[0])).body;
    const accept = (at: Service, index: number) => acceptInvitation(at, users[index % 3] ?? owner, token);
    expect(await sendConcurrently(20, accept)).toEqual({ 200: 1, NOT_FOUND: 19 });
    expect(await memberIds(owner, studio)).toHaveLength(2);
    expect(await usedUnits(owner, studio)).toBe(2);
  });

  it('are made once for the last usage unit', async () => {
    const { owner, studio } = await createStudio(1);
    expect(await sendConcurrently(20, (at) => invite(owner, studio, at))).toEqual({
      201: 1,
      USAGE_UNIT_LIMIT_REACHED: 19,
    });
  });

  it.each<[string, string, number[]]>([
    ['after', 'freeze', [200, 404]],
    ['before', 'freeze', [200, 200]],
    ['after', 'withdrawal', [204, 404]],
    ['before', 'withdrawal', [200, 404]],
  ])('accepted just %s a %s are either gone or accepted', async (moment, change, statuses) => {
    const { owner, studio } = await createStudio();
    const ada = await createUser(services[0]);
    const { id, token } = (await invite(owner, studio, services[0])).body;
    const accept = () => acceptInvitation(services[0], ada, token);
    const end = () =>
      change === 'freeze'
        ? call(services[1], 'PUT', '/api/v1/subscription', { token: owner.token, body: { tier: 'free' } })
        : call(services[1], 'DELETE', `/api/v1/organizations/${studio}/invitations/${id}`, { token: owner.token });
    expect(await sendInOrder(studio, moment === 'after' ? [end, accept] : [accept, end])).toEqual(statuses);
    const isMember = moment === 'before' && change === 'withdrawal';
    expect(await memberIds(owner, studio)).toEqual(isMember ? [owner.id, ada.id] : [owner.id]);
    expect(await usedUnits(owner, studio)).toBe(isMember ? 2 : 1);
    expect(await read(owner, studio, '/invitations')).toEqual([]);
    await expectNoViolations();
  });

  it('that expire while the request waits are not accepted, as their usage unit is free by then', async () => {
    const { owner, studio } = await createStudio(1);
    const { token } = (await invite(owner, studio, services[0])).body;
    const ada = await createUser(services[0]);
    const requests = [() => invite(owner, studio, services[1]), () => acceptInvitation(services[0], ada, token)];
    const expireNow = 'update invitations set expires_at = clock_timestamp() where organization_id = $1';
    expect(await sendInOrder(studio, requests, expireNow)).toEqual([201, 404]);
    expect(await usedUnits(owner, studio)).toBe(2);
  });

  it('that a process has answered before it is killed are not lost; the next process sweeps expired ones', async () => {
    const { owner, studio } = await createStudio();
    const ada = await createUser(services[0]);
    const expired = (await invite(owner, studio, services[0])).body.id;
    await query(databaseUrl, `update invitations set expires_at = now() - interval '1 second' where id = $1`, [
      expired,
    ]);
    const victim = await startServiceProcess({ DATABASE_URL: databaseUrl, JWT_SECRET, ...(await unreachableChain()) });
    const open = await invite(owner, studio, victim);
    const used = await invite(owner, studio, victim);
    expect((await acceptInvitation(victim, ada, used.body.token)).status).toBe(200);
    await victim.end('SIGKILL');

    expect(await memberIds(owner, studio)).toEqual([owner.id, ada.id]);
    expect((await read(owner, studio, '/invitations')).map(({ id }: { id: string }) => id)).toEqual([open.body.id]);
    const preview = { body: { token: open.body.token } };
    expect((await call(services[0], 'POST', '/api/v1/invitations/preview', preview)).status).toBe(200);
    await expectInvitationGone(services[0], used.body.token);
    const events = () =>
      query(databaseUrl, `select type, actor_id, user_id from events where data->>'invitationId' = $1 order by id`, [
        expired,
      ]);
    await waitUntil(async () => (await events()).length === 2, 'the expired invitation is swept');
    expect((await events())[1]).toEqual({ type: 'invitation.expired', actor_id: null, user_id: null });
    await expectNoViolations();
  });
});

it('Two processes have taken their locks in one order: the database broke no deadlock', async () => {
  const statistics = 'select deadlocks::integer from pg_stat_database where datname = current_database()';
  expect(await query(databaseUrl, statistics)).toEqual([{ deadlocks: 0 }]);
});
