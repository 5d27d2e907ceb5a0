// People, organizations and keys for tests, made through the API.

import { expect } from 'vitest';
import { type Answer, call, type Service, signUp } from './service.js';

export type Tier = 'free' | 'creator' | 'enterprise';

export interface TestPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly token: string;
}

/** A new account on that tier. */
export async function person(service: Pick<Service, 'url'>, tier: Tier = 'free'): Promise<TestPerson> {
  const { id, name, email, token } = await signUp(service);
  if (tier !== 'free') await changeTier(service, { token }, tier);
  return { id, name, email, token };
}

export async function changeTier(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  tier: Tier,
): Promise<void> {
  const { status } = await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier } });
  expect(status).toBe(200);
}

/** The organization's id; with room for that many others. */
export async function organization(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  purchased = 0,
): Promise<string> {
  const made = await call(service, 'POST', '/api/v1/organizations', { token, body: { name: 'Studio' } });
  expect(made.status).toBe(201);
  const path = `/api/v1/organizations/${made.body.id}/usage-units`;
  expect((await call(service, 'PUT', path, { token, body: { purchased } })).status).toBe(200);
  return made.body.id;
}

export function addMember(
  service: Pick<Service, 'url'>,
  owner: { token: string },
  organizationId: string,
  who: { email: string },
  isAdmin = false,
): Promise<Answer> {
  return call(service, 'POST', `/api/v1/organizations/${organizationId}/members`, {
    token: owner.token,
    body: { email: who.email, isAdmin },
  });
}

export function createMark(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  fields: Record<string, unknown> = {},
): Promise<Answer> {
  return call(service, 'POST', '/api/v1/marks', { token, body: { name: 'Mark', ...fields } });
}

export function createKey(
  service: Pick<Service, 'url'>,
  { token }: { token: string },
  organizationId: string,
  name = 'key',
): Promise<Answer> {
  return call(service, 'POST', '/api/v1/api-keys', { token, body: { organizationId, name } });
}

/** Status and code of an answer: what a refusal is about. */
export function refusal({ status, body }: Answer): [number, string] {
  return [status, body.code];
}
