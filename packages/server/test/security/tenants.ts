// Two organizations that must not see or change each other, and requests to every operation of the API about the first one.

import { api, type Operation } from '@provenance-registry/core';
import { expect } from 'vitest';
import {
  addMarkMember,
  addMember,
  createApiKey,
  createMark,
  createOrganization,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  fingerprintOf,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../../test/support/domains.js';
import { query } from '../../../../test/support/postgres.js';
import { call, signUp } from '../../../../test/support/service.js';
import { actOnClaim, contest } from '../support/claims.js';

export type OperationId = keyof typeof api;

/** Values of parameters and body fields, by name; what is missing comes from the operation's example. */
export type Values = Readonly<Record<string, unknown>>;

const OPERATOR_TOKEN = 'operator token of this test'.replaceAll(' ', '-');
/** The bytes of a file that only the tenant has. */
const content = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="9" height="50" fill="red"/></svg>',
);

/** Long and unusual, so that no other text contains them by chance. */
export const secrets = {
  organization: 'Ostrander Quillworks',
  mark: 'Zinnober Vexillology',
  filename: 'Marzipan-Lighthouse.tiff',
  owner: 'Philomena Tattersall',
  admin: 'Barnaby Wexcombe',
  member: 'Ottoline Fairweather',
  markMember: 'Leopold Brackenbury',
  keyName: 'Nightly Umbrella Export',
  domain: 'zinnober-vexillology.example',
};

async function createPerson(service: Registry, name: string, tier: 'free' | 'enterprise' = 'free') {
  const email = `${name.replaceAll(' ', '.').toLowerCase()}@mailbox.example`;
  const { id, token, password } = await signUp(service, { name, email });
  const set = { token: OPERATOR_TOKEN, body: { tier } };
  expect((await call(service, 'PUT', `/api/operator/users/${id}/tier`, set)).status).toBe(200);
  return { id, token, name, email, password };
}

/** An organization with a private Mark that has an Artifact, an API key, and people in every role. */
export async function startTenants(environment: Record<string, string> = {}) {
  const settings = { ...(await unreachableChain()), BILLING: 'operator', OPERATOR_TOKEN, ...environment };
  const service = await startRegistry(settings);
  const owner = await createPerson(service, secrets.owner, 'enterprise');
  const admin = await createPerson(service, secrets.admin);
  const member = await createPerson(service, secrets.member);
  const markMember = await createPerson(service, secrets.markMember);
  const organizationId = await createOrganization(service, owner, 50, secrets.organization);
  expect((await addMember(service, owner, organizationId, admin, true)).status).toBe(200);
  expect((await addMember(service, owner, organizationId, member)).status).toBe(200);
  const fields = { name: secrets.mark, visibility: 'private', organizationId, license: 'BSD-3-Clause' };
  const mark = (await createMark(service, owner, fields)).body;
  expect((await addMarkMember(service, owner, mark.id, markMember)).status).toBe(200);
  const key = (await createApiKey(service, owner, organizationId, secrets.keyName)).body;
  const webhookId = await createWebhook(service, owner, organizationId);
  await addVerifiedDomain(service, mark.id, secrets.domain);
  const fingerprint = fingerprintOf(content);
  const artifact = await createArtifact(service, owner, { markId: mark.id, fingerprint, filename: secrets.filename });
  expect(artifact.status).toBe(201);
  // The chain is unavailable, and a manifest is served once its Artifact has left `pending`.
  await query(service.databaseUrl, 'update artifacts set status = 2');

  const rival = await createPerson(service, 'Rival Owner', 'enterprise');
  const rivalMember = await createPerson(service, 'Rival Member');
  const stranger = await createPerson(service, 'Stranger');
  const rivalOrganizationId = await createOrganization(service, rival, 50);
  expect((await addMember(service, rival, rivalOrganizationId, rivalMember)).status).toBe(200);
  const rivalMark = (await createMark(service, rival, { organizationId: rivalOrganizationId })).body;
  const rivalKey = (await createApiKey(service, rival, rivalOrganizationId)).body;

  // To the private Artifact, with an answer of the owner.
  const claimant = await createPerson(service, 'Claimant');
  const { status: claimStatus, body: claim } = await contest(service, claimant, fingerprint);
  expect(claimStatus).toBe(201);
  expect((await actOnClaim(service, owner, claim.id, 'answers', { text: 'It is ours.' })).status).toBe(200);

  await query(service.databaseUrl, 'update users set email_verified = true where id = $1', [owner.id]);

  const values: Values = {
    ...(await inviteOwner(service, owner, `/api/v1/organizations/${organizationId}`)),
    markId: mark.id,
    organizationId,
    userId: member.id,
    keyId: key.id,
    webhookId,
    domain: secrets.domain,
    fingerprint,
    prefix: fingerprint.slice(2, 6),
    manifestId: artifact.body.id,
    claimId: claim.id,
    value: Buffer.from(fingerprint.slice(2), 'hex').toString('base64'),
    email: owner.email,
    password: 'not the password',
    currentPassword: 'not the password',
    query: secrets.mark,
    purchased: 60,
    wait: 0,
  };
  const rivalValues: Values = {
    markId: rivalMark.id,
    organizationId: rivalOrganizationId,
    userId: rivalMember.id,
    keyId: rivalKey.id,
  };
  return {
    service,
    values,
    rivalValues,
    tokens: {
      anonymous: undefined,
      forged: `${owner.token.slice(0, -20)}${'A'.repeat(20)}`,
      stranger: stranger.token,
      rival: rival.token,
      rivalMember: rivalMember.token,
      rivalKey: String(rivalKey.token),
      operator: OPERATOR_TOKEN,
      markMember: markMember.token,
      member: member.token,
      admin: admin.token,
      key: String(key.token),
      owner: owner.token,
    },
    people: { owner, admin, member, markMember, rival, rivalMember, stranger },
  };
}

/** Operations after which the caller's token no longer works. */
export const endsSession: readonly OperationId[] = ['logOut'];

export async function logInAgain({ service, tokens, people }: Tenants, actor: Actor): Promise<void> {
  const person = Object.entries(people).find(([role]) => role === actor)?.[1];
  if (!person) return;
  person.token = await logIn(service, person);
  Object.assign(tokens, { [actor]: person.token });
}

async function logIn(service: Registry, { email, password }: { email: string; password: string }): Promise<string> {
  const { status, body } = await call(service, 'POST', '/api/v1/auth/login', { body: { email, password } });
  expect(status).toBe(200);
  return body.token;
}

/** As if it had been mailed to the owner: no other account may use it. */
async function inviteOwner(service: Registry, { email, token }: { email: string; token: string }, path: string) {
  const { status, body } = await call(service, 'POST', `${path}/invitations`, { token, body: { email } });
  expect(status).toBe(201);
  await query(service.databaseUrl, 'update invitations set requires_email = true where id = $1', [body.id]);
  return { invitationId: String(body.id), token: String(body.token) };
}

export type Tenants = Awaited<ReturnType<typeof startTenants>>;
export type Actor = keyof Tenants['tokens'];

let newcomers = 0;

/** What the operation uses up when it succeeds. */
export const renewed: Partial<Record<OperationId, (tenants: Tenants) => Promise<Values>>> = {
  createArtifact: async () => ({ fingerprint: newFingerprint() }),
  createArtifacts: async ({ values }) => ({
    artifacts: [{ markId: values['markId'], fingerprint: newFingerprint(), filename: 'a.txt' }],
  }),
  // A private Mark has no namesakes that anyone sees, and is none.
  listNamesakes: async () => ({ name: secrets.mark }),
  // Without a Mark: that of the tenants is private.
  createClaim: async () => ({ markId: undefined }),
  createManifest: async () => ({ fingerprint: newFingerprint() }),
  // There is room for three signed copies only.
  createSignedCopy: async ({ service }) => {
    await query(
      service.databaseUrl,
      'delete from outbox where artifact_id in (select id from artifacts where rendition_of is not null)',
    );
    await query(service.databaseUrl, 'delete from artifacts where rendition_of is not null');
    return {};
  },
  updateMe: async ({ service, people }) => {
    for (const { id, name } of Object.values(people)) {
      await query(service.databaseUrl, 'update users set name = $1 where id = $2', [name, id]);
    }
    return {};
  },
  endSession: async ({ service, people }) => {
    const token = await logIn(service, people.owner);
    const sessions: { id: string; current: boolean }[] = (await call(service, 'GET', '/api/v1/me/sessions', { token }))
      .body;
    return { sessionId: sessions.find(({ current }) => current)?.id };
  },
  putMarkAdmin: async ({ service, values, people }) => {
    await query(service.databaseUrl, 'update marks set admin_id = $1 where id = $2', [
      people.owner.id,
      values['markId'],
    ]);
    return {};
  },
  declineInvitation: ({ service, values, people }) =>
    inviteOwner(service, people.owner, `/api/v1/organizations/${values['organizationId']}`),
  withdrawOrganizationInvitation: ({ service, values, people }) =>
    inviteOwner(service, people.owner, `/api/v1/organizations/${values['organizationId']}`),
  withdrawMarkInvitation: ({ service, values, people }) =>
    inviteOwner(service, people.owner, `/api/v1/marks/${values['markId']}`),
  removeMarkMember: async ({ service, values, people }) => {
    const newcomer = await createNewcomer(service);
    const added = await addMarkMember(service, people.owner, String(values['markId']), newcomer);
    expect(added.status).toBe(200);
    return { userId: newcomer.id };
  },
  claimDomain: async ({ service }) => {
    newcomers += 1;
    await endDomains(service, 'newcomer-%');
    return { domain: `newcomer-${newcomers}.example` };
  },
  removeDomain: async ({ service, values }) => {
    await endDomains(service, secrets.domain);
    await addVerifiedDomain(service, String(values['markId']), secrets.domain);
    return {};
  },
  removeOrganizationMember: createOrganizationMember,
  updateOrganizationMember: createOrganizationMember,
  deleteApiKey: async ({ service, values, people }) => {
    const { body } = await createApiKey(service, people.owner, String(values['organizationId']), 'temporary');
    return { keyId: body.id };
  },
  deleteWebhook: async ({ service, values, people }) => ({
    webhookId: await createWebhook(service, people.owner, String(values['organizationId'])),
  }),
};

async function createWebhook(service: Registry, { token }: { token: string }, organizationId: string): Promise<string> {
  const body = { url: 'https://receiver.example/hook', organizationId };
  const created = await call(service, 'POST', '/api/v1/webhooks', { token, body });
  expect(created.status).toBe(201);
  return created.body.id;
}

async function createOrganizationMember({ service, values, people }: Tenants): Promise<Values> {
  const newcomer = await createNewcomer(service);
  const added = await addMember(service, people.owner, String(values['organizationId']), newcomer);
  expect(added.status).toBe(200);
  return { userId: newcomer.id };
}

async function endDomains(service: Registry, pattern: string): Promise<void> {
  await query(
    service.databaseUrl,
    "update mark_domains set ended_at = now(), end_reason = 'removed' where ended_at is null and domain like $1",
    [pattern],
  );
}

function createNewcomer(service: Registry) {
  newcomers += 1;
  return signUp(service, { name: `Newcomer ${newcomers}`, email: `newcomer-${newcomers}@mailbox.example` });
}

/** Sends the operation's request with those values; returns the status, and everything that came back as text. */
export async function send(service: Registry, id: OperationId, values: Values, token: string | undefined) {
  const operation: Operation = api[id];
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  const search = new URLSearchParams();
  for (const name of Object.keys(operation.query?.properties ?? {})) {
    const value = values[name] ?? operation.exampleQuery?.[name];
    if (value !== undefined) search.set(name, String(value));
  }
  const controller = new AbortController();
  const response = await fetch(`${service.url}${path}${search.size > 0 ? `?${search}` : ''}`, {
    method: operation.method,
    signal: controller.signal,
    ...requestBody(operation, values, token),
  });
  const headers = [...response.headers].map((header) => header.join(': '));
  const text = await readText(response);
  controller.abort();
  return { status: response.status, text: [...headers, text].join('\n') };
}

/** Of a stream of events, which ends when the client leaves, the first piece. */
async function readText(response: Response): Promise<string> {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const { value } = await response.body.getReader().read();
  return Buffer.from(value ?? []).toString();
}

function requestBody(operation: Operation, values: Values, token: string | undefined): RequestInit {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  if (operation.acceptsRawFile) {
    return { headers: { ...authorization, 'content-type': 'application/octet-stream' }, body: content };
  }
  if (!operation.body) {
    const form = new FormData();
    form.append('file', new Blob([content]), 'file');
    return { headers: authorization, ...(operation.multipart && { body: form }) };
  }
  const names = Object.keys(operation.body.properties).filter((name) => name in values);
  const body = { ...Object(operation.exampleBody), ...Object.fromEntries(names.map((name) => [name, values[name]])) };
  return { headers: { ...authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
