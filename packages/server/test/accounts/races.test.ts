// Caps hold exactly, however many ask at once, on one process and on two that share a database.

import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { call, type Service, startService, type TestResponse } from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';

const JWT_SECRET = 'shared by the processes of this test';

let databaseUrl: string;
let services: [Service, Service];

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  services = await Promise.all([
    startService({ DATABASE_URL: databaseUrl, JWT_SECRET }),
    startService({ DATABASE_URL: databaseUrl, JWT_SECRET }),
  ]);
});

/** All at once, on both processes in turn; how often each outcome came out. */
async function atOnce(count: number, ask: (service: Service, index: number) => Promise<TestResponse>) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => ask(services[index % 2] as Service, index)),
  );
  const outcomes: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status < 300 ? String(status) : body.code;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

const quiet = async () => expect(await findViolations(databaseUrl)).toEqual([]);

describe('two processes on one database', () => {
  it('let a free user make exactly 3 of 40 Marks', async () => {
    const who = await createUser(services[0]);
    expect(await atOnce(40, (service) => createMark(service, who))).toEqual({ 201: 3, TIER_LIMIT_REACHED: 37 });
    await quiet();
  });

  it('let a creator own exactly 1 of 20 organizations', async () => {
    const who = await createUser(services[0], 'creator');
    const create = (service: Service) =>
      call(service, 'POST', '/api/v1/organizations', { token: who.token, body: { name: 'Org' } });
    expect(await atOnce(20, create)).toEqual({ 201: 1, TIER_LIMIT_REACHED: 19 });
    await quiet();
  });

  it('make exactly 5 of 24 API keys', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const id = await createOrganization(services[0], owner);
    expect(await atOnce(24, (service) => createApiKey(service, owner, id))).toEqual({ 201: 5, TIER_LIMIT_REACHED: 19 });
    await quiet();
  });

  it('give exactly 3 units to 10 people, and one unit to one person who is added ten times', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const people: TestUser[] = [];
    for (let count = 0; count < 10; count += 1) people.push(await createUser(services[0]));
    const id = await createOrganization(services[0], owner, 3);
    expect(await atOnce(10, (service, index) => addMember(service, owner, id, people[index] as TestUser))).toEqual({
      201: 3,
      USAGE_UNIT_LIMIT_REACHED: 7,
    });
    const other = await createOrganization(services[0], owner, 3);
    const [one] = people as [TestUser];
    expect(await atOnce(10, (service) => addMember(service, owner, other, one))).toEqual({ 201: 1, CONFLICT: 9 });
    await quiet();
  });

  it('give a removed member’s unit back once, also when both remove at once', async () => {
    const [owner, member] = [await createUser(services[0], 'enterprise'), await createUser(services[0])];
    const id = await createOrganization(services[0], owner, 1);
    await addMember(services[0], owner, id, member);
    const remove = (service: Service) =>
      call(service, 'DELETE', `/api/v1/organizations/${id}/members/${member.id}`, { token: owner.token });
    expect(await atOnce(10, remove)).toEqual({ 204: 1, NOT_FOUND: 9 });
    await quiet();
  });

  it('revoke a key once, and count it once', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const id = await createOrganization(services[0], owner);
    const key = (await createApiKey(services[0], owner, id)).body;
    const revoke = (service: Service) =>
      call(service, 'DELETE', `/api/v1/api-keys/${key.id}?organizationId=${id}`, { token: owner.token });
    expect(await atOnce(10, revoke)).toEqual({ 204: 1, NOT_FOUND: 9 });
    await quiet();
  });

  it('settle tier changes that come at once with everything else, without a fault and without a trace', async () => {
    const owner = await createUser(services[0], 'enterprise');
    const people = [await createUser(services[0]), await createUser(services[0]), await createUser(services[0])];
    const id = await createOrganization(services[0], owner, 3);
    const tiers = ['free', 'enterprise', 'creator', 'enterprise'] as const;
    for (let round = 0; round < 5; round += 1) {
      const outcomes = await atOnce(24, (service, index) => {
        const tier = tiers[Math.floor(index / 6)];
        const someone = people[index % 3] as TestUser;
        switch (index % 6) {
          case 0:
            return call(service, 'PUT', '/api/v1/subscription', { token: owner.token, body: { tier } });
          case 1:
            return addMember(service, owner, id, someone);
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
      await quiet();
    }
    await changeTier(services[0], owner, 'free');
    await quiet();
  });
});
