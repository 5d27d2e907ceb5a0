// Users, organizations, Marks and API keys, created through the API.

import { expect } from 'vitest';
import { call, type Service, signUp, type TestResponse } from './service.js';

export type Tier = 'free' | 'creator' | 'enterprise';

export interface TestUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly token: string;
}

type ServiceUrl = Pick<Service, 'url'>;
type Credential = Pick<TestUser, 'token'>;

export async function createUser(service: ServiceUrl, tier: Tier = 'free'): Promise<TestUser> {
  const { id, name, email, token } = await signUp(service);
  if (tier !== 'free') await changeTier(service, { token }, tier);
  return { id, name, email, token };
}

export async function changeTier(service: ServiceUrl, { token }: Credential, tier: Tier): Promise<void> {
  const { status } = await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier } });
  expect(status).toBe(200);
}

/** Returns the organization's id. */
export async function createOrganization(
  service: ServiceUrl,
  { token }: Credential,
  purchasedUnits = 0,
  name = 'Studio',
): Promise<string> {
  const created = await call(service, 'POST', '/api/v1/organizations', { token, body: { name } });
  expect(created.status).toBe(201);
  const path = `/api/v1/organizations/${created.body.id}/usage-units`;
  const updated = await call(service, 'PUT', path, { token, body: { purchased: purchasedUnits } });
  expect(updated.status).toBe(200);
  return created.body.id;
}

/** Invites and accepts. Returns the refusal of the invitation, or the response to its acceptance: 200. */
export function addMember(
  service: ServiceUrl,
  owner: Credential,
  organizationId: string,
  member: Credential,
  isAdmin = false,
): Promise<TestResponse> {
  return inviteAndAccept(service, owner, `/api/v1/organizations/${organizationId}`, member, { isAdmin });
}

/** Adds a member to a Mark, as `addMember` does to an organization. */
export function addMarkMember(
  service: ServiceUrl,
  admin: Credential,
  markId: string,
  member: Credential,
): Promise<TestResponse> {
  return inviteAndAccept(service, admin, `/api/v1/marks/${markId}`, member, {});
}

async function inviteAndAccept(
  service: ServiceUrl,
  inviter: Credential,
  path: string,
  invited: Credential,
  body: Record<string, unknown>,
): Promise<TestResponse> {
  const invitation = await call(service, 'POST', `${path}/invitations`, { token: inviter.token, body });
  return invitation.status === 201 ? acceptInvitation(service, invited, invitation.body.token) : invitation;
}

export function acceptInvitation(
  service: ServiceUrl,
  { token }: Credential,
  invitation: string,
): Promise<TestResponse> {
  return call(service, 'POST', '/api/v1/invitations/accept', { token, body: { token: invitation } });
}

/** The invitation can no longer be used in any way. */
export async function expectInvitationGone(service: ServiceUrl, invitation: string): Promise<void> {
  const { token } = await createUser(service);
  for (const verb of ['preview', 'decline', 'accept']) {
    const response = await call(service, 'POST', `/api/v1/invitations/${verb}`, { token, body: { token: invitation } });
    expect(statusAndCode(response)).toEqual([404, 'NOT_FOUND']);
  }
}

export function createMark(
  service: ServiceUrl,
  { token }: Credential,
  fields: Record<string, unknown> = {},
): Promise<TestResponse> {
  return call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Mark', ...fields } });
}

export function createApiKey(
  service: ServiceUrl,
  { token }: Credential,
  organizationId: string,
  name = 'key',
): Promise<TestResponse> {
  return call(service, 'POST', '/api/v1/api-keys', { token, body: { organizationId, name } });
}

/** The HTTP status and the error code of a response. */
export function statusAndCode({ status, body }: TestResponse): [number, string] {
  return [status, body.code];
}
