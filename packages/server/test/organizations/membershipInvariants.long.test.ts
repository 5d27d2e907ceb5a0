// The invariants hold after any sequence of concurrent changes, and users write under a Mark only after they agreed to it.

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import {
  acceptInvitation,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newArtifact,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type TestResponse } from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';
import {
  type Change,
  createMembershipModel,
  type MembershipModel,
  readSnapshot,
  type Snapshot,
} from '../support/membershipModel.js';

const USER_COUNT = 4;

let service: Registry;
/** The last one may close the account, and is another user in each run. */
let users: TestUser[];
/** Registered: a user who may write is told 409, others 403. */
let fingerprint: string;

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), WEBHOOK_LOOPBACK: 'true' });
  users = await Promise.all(Array.from({ length: USER_COUNT }, () => createUser(service, 'enterprise')));
  const artifact = newArtifact({ markId: (await createMark(service, users[0] as TestUser)).body.id });
  expect((await createArtifact(service, users[0] as TestUser, artifact)).status).toBe(201);
  fingerprint = artifact.fingerprint;
});

interface RunState {
  readonly users: readonly TestUser[];
  readonly organizations: string[];
  readonly marks: { readonly id: string; readonly organizationId: string | undefined; readonly ownerId: string }[];
  readonly invitations: {
    readonly id: string;
    readonly token: string;
    readonly path: string;
    readonly target: string;
  }[];
  readonly closed: Set<string>;
  snapshot: Snapshot;
}

interface Outcome {
  readonly response: TestResponse;
  /** If it succeeds. */
  readonly changes?: readonly Change[];
}

/** What a step works on. */
interface Target {
  readonly state: RunState;
  readonly organization: string;
  readonly mark: string;
  readonly invitation: RunState['invitations'][number];
  readonly user: TestUser;
  readonly other: TestUser;
  /** Of the organization and of the Mark, most often: changes of others are refused. */
  readonly owner: TestUser;
  readonly admin: TestUser;
  readonly number: number;
}

const send = ({ token }: TestUser, method: string, path: string, body?: unknown) =>
  call(service, method, path, { token, body });
const organizationPath = ({ organization }: Target) => `/api/v1/organizations/${organization}`;
const markPath = ({ mark }: Target) => `/api/v1/marks/${mark}`;
const lost = (target: string, user: string): Change => ({ kind: 'lost', target, user });

/** Who leaves an organization leaves its Marks. */
const lostInOrganization = ({ marks }: RunState, id: string, user: string): Change[] => [
  lost(id, user),
  ...marks.filter(({ organizationId }) => organizationId === id).map((mark) => lost(mark.id, user)),
];

async function invite(state: RunState, by: TestUser, target: string, kind: string, body: unknown): Promise<Outcome> {
  const path = `/api/v1/${kind}/${target}/invitations`;
  const response = await send(by, 'POST', path, body);
  const { id, token } = response.body;
  if (response.status === 201) state.invitations.push({ id, token, path, target });
  return { response };
}

async function addMark({ state, number }: Target, creator: TestUser, organizationId?: string): Promise<Outcome> {
  const visibility = number % 2 ? 'private' : 'public';
  const response = await createMark(service, creator, { visibility, ...(organizationId && { organizationId }) });
  if (response.status === 201) state.marks.push({ id: response.body.id, organizationId, ownerId: creator.id });
  return { response };
}

async function removeMember({ state, organization }: Target, by: TestUser, { id }: TestUser): Promise<Outcome> {
  const response = await send(by, 'DELETE', `/api/v1/organizations/${organization}/members/${id}`);
  return { response, changes: lostInOrganization(state, organization, id) };
}

/** With the weight of each. */
const actions: Record<string, readonly [number, (target: Target) => Promise<Outcome>]> = {
  tier: [
    2,
    async ({ state, user, number }) => {
      const tier = ['free', 'creator', 'enterprise', 'enterprise'][number];
      const response = await send(user, 'PUT', '/api/v1/subscription', { tier });
      const changes = state.organizations.flatMap((id) =>
        state.users.flatMap((member) => lostInOrganization(state, id, member.id)),
      );
      return { response, changes: changes.map((change) => ({ ...change, kind: 'maybeLost' })) };
    },
  ],
  organization: [
    1,
    async ({ state, user }) => {
      const response = await send(user, 'POST', '/api/v1/organizations', { name: 'Org' });
      if (response.status !== 201) return { response };
      state.organizations.push(response.body.id);
      return { response, changes: [{ kind: 'gained', target: response.body.id, user: user.id }] };
    },
  ],
  units: [
    3,
    async (target) => ({
      response: await send(target.owner, 'PUT', `${organizationPath(target)}/usage-units`, {
        purchased: target.number + 1,
      }),
    }),
  ],
  invite: [
    6,
    ({ state, owner, organization, number }) =>
      invite(state, owner, organization, 'organizations', { isAdmin: number % 2 === 1 }),
  ],
  inviteToMark: [4, ({ state, admin, mark }) => invite(state, admin, mark, 'marks', {})],
  accept: [
    9,
    async ({ user, invitation }) => ({
      response: await acceptInvitation(service, user, invitation.token),
      changes: [{ kind: 'gained', target: invitation.target, user: user.id }],
    }),
  ],
  decline: [
    1,
    async ({ user, invitation: { token } }) => ({
      response: await send(user, 'POST', '/api/v1/invitations/decline', { token }),
    }),
  ],
  withdraw: [
    1,
    async ({ owner, invitation }) => ({ response: await send(owner, 'DELETE', `${invitation.path}/${invitation.id}`) }),
  ],
  remove: [3, (target) => removeMember(target, target.owner, target.other)],
  leave: [1, (target) => removeMember(target, target.user, target.user)],
  removeFromMark: [
    2,
    async (target) => ({
      response: await send(target.admin, 'DELETE', `${markPath(target)}/members/${target.other.id}`),
      changes: [lost(target.mark, target.other.id)],
    }),
  ],
  handOver: [
    3,
    async (target) => ({
      response: await send(target.admin, 'PUT', `${markPath(target)}/admin`, { userId: target.other.id }),
    }),
  ],
  transfer: [
    3,
    async (target) => {
      const { state, organization, other } = target;
      const response = await send(target.owner, 'PUT', `${organizationPath(target)}/owner`, { userId: other.id });
      if (response.body.status !== 'frozen') return { response };
      const removed = state.users.filter(({ id }) => id !== other.id);
      return { response, changes: removed.flatMap(({ id }) => lostInOrganization(state, organization, id)) };
    },
  ],
  mark: [2, (target) => addMark(target, target.owner, target.organization)],
  personalMark: [1, (target) => addMark(target, target.user)],
  key: [1, async ({ owner, organization }) => ({ response: await createApiKey(service, owner, organization) })],
  webhook: [
    2,
    async ({ owner, user, organization, number }) => {
      const body = { url: 'http://127.0.0.1:9/', organizationId: organization };
      return { response: await send(number % 2 === 1 ? user : owner, 'POST', '/api/v1/webhooks', body) };
    },
  ],
  setAdmin: [
    2,
    async (target) => ({
      response: await send(target.owner, 'PATCH', `${organizationPath(target)}/members/${target.other.id}`, {
        isAdmin: target.number % 2 === 1,
      }),
    }),
  ],
  revoke: [
    1,
    async ({ owner, organization }) => {
      const keys = await send(owner, 'GET', `/api/v1/api-keys?organizationId=${organization}`);
      const keyId = keys.body[0]?.id ?? randomUUID();
      return { response: await send(owner, 'DELETE', `/api/v1/api-keys/${keyId}?organizationId=${organization}`) };
    },
  ],
  close: [
    1,
    async ({ state }) => {
      const user = state.users[USER_COUNT - 1] as TestUser;
      const response = await send(user, 'DELETE', '/api/v1/me', { password: 'correct horse battery' });
      if (response.status === 204) state.closed.add(user.id);
      const targets = [...state.organizations, ...state.marks.map(({ id }) => id)];
      const left = targets.filter((id) => state.snapshot.owners.get(id) !== user.id);
      return { response, changes: left.map((id) => lost(id, user.id)) };
    },
  ],
};

const index = fc.nat(USER_COUNT - 1);
const step = fc.record({
  do: fc.oneof(...Object.entries(actions).map(([name, [weight]]) => ({ weight, arbitrary: fc.constant(name) }))),
  actor: index,
  other: index,
  which: fc.nat(9),
  isEntitled: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
  number: fc.nat(3),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function perform(state: RunState, { do: name, which, isEntitled, ...step }: Step): Promise<Outcome> {
  const { organizations, marks, invitations, snapshot } = state;
  const unknown = randomUUID();
  const organization = organizations[which % organizations.length] ?? unknown;
  const mark = marks[which % marks.length]?.id ?? unknown;
  const user = state.users[step.actor] as TestUser;
  const findEntitled = (id?: string) => (isEntitled && state.users.find((candidate) => candidate.id === id)) || user;
  return actions[name]?.[1]({
    state,
    organization,
    mark,
    invitation: invitations.at(-1 - (which % 3)) ?? {
      id: unknown,
      token: unknown,
      path: '/api/v1/marks',
      target: unknown,
    },
    user,
    other: state.users[step.other] as TestUser,
    owner: findEntitled(snapshot.owners.get(organization)),
    admin: findEntitled(snapshot.admins.get(mark)),
    number: step.number,
  }) as Promise<Outcome>;
}

/** Two organizations, each with a Mark. */
async function startRun(): Promise<RunState> {
  users[USER_COUNT - 1] = await createUser(service);
  const state: RunState = {
    users: [...users],
    organizations: [],
    marks: [],
    invitations: [],
    closed: new Set(),
    snapshot: await readSnapshot(service.databaseUrl, []),
  };
  for (const user of users) {
    await call(service, 'PUT', '/api/v1/subscription', { token: user.token, body: { tier: 'enterprise' } });
  }
  for (const owner of users.slice(0, 2)) {
    const organizationId = await createOrganization(service, owner, 3);
    const { id } = (await createMark(service, owner, { organizationId })).body;
    state.organizations.push(organizationId);
    state.marks.push({ id, organizationId, ownerId: owner.id });
  }
  return state;
}

const readState = ({ organizations, marks }: RunState) =>
  readSnapshot(service.databaseUrl, [...organizations, ...marks.map(({ id }) => id)]);

/** Performs the steps concurrently, and compares with the model. */
async function performBatch(state: RunState, model: MembershipModel, batch: readonly Step[]): Promise<string[]> {
  const outcomes = await Promise.all(batch.map((step) => perform(state, step)));
  expect(outcomes.map(({ response }) => response.status).filter((status) => status >= 500)).toEqual([]);
  const succeeded = outcomes.map(({ response }) => response.status < 300);
  state.snapshot = await readState(state);
  const changes = outcomes.flatMap((outcome, position) => (succeeded[position] ? (outcome.changes ?? []) : []));
  expect(model.apply(changes, state.snapshot)).toEqual([]);
  expect(await findViolations(service.databaseUrl)).toEqual([]);
  return batch.filter((_, position) => succeeded[position]).map((step) => step.do);
}

/** What the service itself says about every user and every Mark. */
async function expectWritersAreMembers({ users, marks, closed, snapshot }: RunState, model: MembershipModel) {
  for (const { id, organizationId, ownerId } of marks) {
    const billingUser = organizationId === undefined ? ownerId : snapshot.owners.get(organizationId);
    for (const user of users.filter((candidate) => !closed.has(candidate.id))) {
      const isMember =
        model.isMember(id, user.id) ||
        (organizationId === undefined ? ownerId === user.id : model.isMember(organizationId, user.id));
      const { status } = await createArtifact(service, user, newArtifact({ markId: id, fingerprint }));
      expect([user.id, id, status]).toEqual([user.id, id, isMember && !closed.has(billingUser ?? '') ? 409 : 403]);
    }
  }
}

/**
 * The last user joins a Mark and both organizations, makes a webhook as an admin member, gets the second organization and the
 * Mark of the first, and closes the account.
 */
function exampleSequence(): Step[][] {
  const last = USER_COUNT - 1;
  const defaults = { actor: last, other: last, isEntitled: true, number: 0 };
  const inFirst = [
    'inviteToMark',
    'accept',
    'invite',
    'accept',
    'handOver',
    'inviteToMark',
    'setAdmin',
    'webhook',
    'leave',
  ].map((name) => ({ ...defaults, do: name, which: 0, number: name === 'setAdmin' || name === 'webhook' ? 1 : 0 }));
  const inSecond = ['invite', 'accept', 'transfer'].map((name) => ({
    ...defaults,
    do: name,
    which: name === 'accept' ? 0 : 1,
  }));
  const back = { ...defaults, do: 'transfer', which: 1, other: 0 };
  return [
    ...inFirst,
    ...inSecond,
    back,
    { ...defaults, do: 'remove', which: 1, other: 1 },
    { ...defaults, do: 'close', which: 0 },
  ].map((step) => [step]);
}

it('The invariants hold after any sequence of concurrent changes, and only members may write', async () => {
  const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 20 });
  const succeeded: string[] = [];
  await fc.assert(
    fc.asyncProperty(batches, async (sequence) => {
      const state = await startRun();
      const model = createMembershipModel();
      state.snapshot = await readState(state);
      const founders = [...state.snapshot.owners].map(([target, user]): Change => ({ kind: 'gained', target, user }));
      expect(model.apply(founders, state.snapshot)).toEqual([]);
      for (const batch of sequence) succeeded.push(...(await performBatch(state, model, batch)));
      await expectWritersAreMembers(state, model);
    }),
    { numRuns: 4, examples: [[exampleSequence()]] },
  );
  // Runs with refusals only would prove nothing.
  expect(succeeded).toEqual(expect.arrayContaining(['accept', 'handOver', 'leave', 'transfer', 'close', 'webhook']));
});
