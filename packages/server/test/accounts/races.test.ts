// Limits hold exactly under concurrent requests to two processes that share a database.

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
});
