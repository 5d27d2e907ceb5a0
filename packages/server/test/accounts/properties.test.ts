// Whatever is done, in whatever order and however much of it at once, the invariants hold.

import fc from 'fast-check';
import { beforeAll, expect, inject, it } from 'vitest';
import { addMember, createApiKey, createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { call, type Service, startService, type TestResponse } from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';

const PEOPLE = 4;

let databaseUrl: string;
let service: Service;
let people: TestUser[];

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  service = await startService({ DATABASE_URL: databaseUrl });
  people = await Promise.all(Array.from({ length: PEOPLE }, () => createUser(service, 'enterprise')));
});

const who = fc.nat(PEOPLE - 1);
const which = fc.nat(9);
const action = fc.oneof(
  fc.record({ do: fc.constant('tier' as const), who, tier: fc.constantFrom('free', 'creator', 'enterprise') }),
  fc.record({ do: fc.constant('organization' as const), who }),
  fc.record({ do: fc.constant('units' as const), who, which, purchased: fc.nat(3) }),
  fc.record({ do: fc.constant('member' as const), who, which, other: who, isAdmin: fc.boolean() }),
  fc.record({ do: fc.constant('leave' as const), who, which, other: who }),
  fc.record({ do: fc.constant('mark' as const), who, which: fc.option(which), isPrivate: fc.boolean() }),
  fc.record({ do: fc.constant('key' as const), who, which }),
  fc.record({ do: fc.constant('revoke' as const), who, which }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** The organizations that this run has made, with whoever owns them. */
interface World {
  readonly organizations: string[];
}

async function perform(world: World, step: Action): Promise<TestResponse> {
  const { token } = people[step.who] as TestUser;
  const chosen =
    'which' in step && step.which !== null ? world.organizations[step.which % world.organizations.length] : undefined;
  const id = chosen ?? crypto.randomUUID();
  const path = `/api/v1/organizations/${id}`;
  switch (step.do) {
    case 'tier':
      return call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: step.tier } });
    case 'organization': {
      const answer = await call(service, 'POST', '/api/v1/organizations', { token, body: { name: 'Org' } });
      if (answer.status === 201) world.organizations.push(answer.body.id);
      return answer;
    }
    case 'units':
      return call(service, 'PUT', `${path}/usage-units`, { token, body: { purchased: step.purchased } });
    case 'member':
      return addMember(service, { token }, id, people[step.other] as TestUser, step.isAdmin);
    case 'leave':
      return call(service, 'DELETE', `${path}/members/${people[step.other]?.id}`, { token });
    case 'mark':
      return createMark(
        service,
        { token },
        {
          visibility: step.isPrivate ? 'private' : 'public',
          ...(chosen && { organizationId: chosen }),
        },
      );
    case 'key':
      return createApiKey(service, { token }, id);
    case 'revoke': {
      const keys = await call(service, 'GET', `/api/v1/api-keys?organizationId=${id}`, { token });
      const keyId = keys.body[0]?.id ?? crypto.randomUUID();
      return call(service, 'DELETE', `/api/v1/api-keys/${keyId}?organizationId=${id}`, { token });
    }
  }
}

it('The invariants hold after any sequence of tier changes, member changes and creations', async () => {
  const batches = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 25 });
  const done = { succeeded: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(batches, async (sequence) => {
      const world: World = { organizations: [] };
      for (const [index, { token }] of people.entries()) {
        await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
        await perform(world, { do: 'organization', who: index });
      }
      for (const batch of sequence) {
        const answers = await Promise.all(batch.map((step) => perform(world, step)));
        expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
        for (const { status } of answers) done[status < 300 ? 'succeeded' : 'refused'] += 1;
        expect(await findViolations(databaseUrl)).toEqual([]);
      }
    }),
    { numRuns: 15 },
  );
  // A property over refusals alone would prove nothing: about one in three succeeds, however many there are.
  expect(done.succeeded).toBeGreaterThan(done.refused / 10);
});
