// The invariants hold after any sequence of concurrent changes.

import fc from 'fast-check';
import { beforeAll, expect, inject, it } from 'vitest';
import { addMember, createApiKey, createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { call, type Service, startService, type TestResponse } from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';

const USER_COUNT = 4;

let databaseUrl: string;
let service: Service;
let users: TestUser[];

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  service = await startService({ DATABASE_URL: databaseUrl });
  users = await Promise.all(Array.from({ length: USER_COUNT }, () => createUser(service, 'enterprise')));
});

const actor = fc.nat(USER_COUNT - 1);
const which = fc.nat(9);
const action = fc.oneof(
  fc.record({ do: fc.constant('tier' as const), actor, tier: fc.constantFrom('free', 'creator', 'enterprise') }),
  fc.record({ do: fc.constant('organization' as const), actor }),
  fc.record({ do: fc.constant('units' as const), actor, which, purchased: fc.nat(3) }),
  fc.record({ do: fc.constant('member' as const), actor, which, other: actor, isAdmin: fc.boolean() }),
  fc.record({ do: fc.constant('leave' as const), actor, which, other: actor }),
  fc.record({ do: fc.constant('mark' as const), actor, which: fc.option(which), isPrivate: fc.boolean() }),
  fc.record({ do: fc.constant('key' as const), actor, which }),
  fc.record({ do: fc.constant('revoke' as const), actor, which }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

interface RunState {
  readonly organizations: string[];
}

async function perform(state: RunState, step: Action): Promise<TestResponse> {
  const { token } = users[step.actor] as TestUser;
  const chosen =
    'which' in step && step.which !== null ? state.organizations[step.which % state.organizations.length] : undefined;
  const id = chosen ?? crypto.randomUUID();
  const path = `/api/v1/organizations/${id}`;
  switch (step.do) {
    case 'tier':
      return call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: step.tier } });
    case 'organization': {
      const response = await call(service, 'POST', '/api/v1/organizations', { token, body: { name: 'Org' } });
      if (response.status === 201) state.organizations.push(response.body.id);
      return response;
    }
    case 'units':
      return call(service, 'PUT', `${path}/usage-units`, { token, body: { purchased: step.purchased } });
    case 'member':
      return addMember(service, { token }, id, users[step.other] as TestUser, step.isAdmin);
    case 'leave':
      return call(service, 'DELETE', `${path}/members/${users[step.other]?.id}`, { token });
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
  const counts = { succeeded: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(batches, async (sequence) => {
      const state: RunState = { organizations: [] };
      for (const [index, { token }] of users.entries()) {
        await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
        await perform(state, { do: 'organization', actor: index });
      }
      for (const batch of sequence) {
        const responses = await Promise.all(batch.map((step) => perform(state, step)));
        expect(responses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
        for (const { status } of responses) counts[status < 300 ? 'succeeded' : 'refused'] += 1;
        expect(await findViolations(databaseUrl)).toEqual([]);
      }
    }),
    { numRuns: 15 },
  );
  // A run with refusals only would prove nothing; about one request in three succeeds.
  expect(counts.succeeded).toBeGreaterThan(counts.refused / 10);
});
