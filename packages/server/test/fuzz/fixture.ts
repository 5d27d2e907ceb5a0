// Users, keys and objects that the requests refer to.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { createArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { call, type Service } from '../../../../test/support/service.js';
import type { Pool } from './values.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Fixture {
  users: Readonly<Record<'free' | 'creator' | 'enterprise', TestUser>>;
  organizationId: string;
  readonly operatorToken: string;
  apiKey: string;
  pool: Pool;
}

export async function createFixture(service: Service, operatorToken: string): Promise<Fixture> {
  const [free, creator, enterprise] = await Promise.all([
    createUser(service),
    createUser(service, 'creator'),
    createUser(service, 'enterprise'),
  ]);
  const organizationId = await createOrganization(service, enterprise, 20);
  expect((await addMember(service, enterprise, organizationId, creator, true)).status).toBe(200);
  const marks = await Promise.all([
    createMark(service, free),
    createMark(service, creator, { visibility: 'private' }),
    createMark(service, enterprise, { organizationId, name: '<b>"Mark" & \'sons\'</b>' }),
  ]);
  const fingerprints = marks.map(() => newFingerprint());
  const artifacts = await Promise.all(
    [free, creator, enterprise].map((who, index) =>
      createArtifact(service, who, {
        markId: marks[index]?.body.id,
        fingerprint: fingerprints[index],
        filename: 'a<b>.png',
      }),
    ),
  );
  expect(artifacts.map(({ status }) => status)).toEqual([201, 201, 201]);
  const users = [free, creator, enterprise];
  const known = fingerprints.map((fingerprint) => fingerprint.slice(2));
  return {
    users: { free, creator, enterprise },
    organizationId,
    operatorToken,
    apiKey: '',
    pool: {
      // Mostly the one that three of the four callers may write to.
      markId: [...marks, ...marks.slice(2), ...marks.slice(2)].map(({ body }) => body.id),
      organizationId: [organizationId],
      userId: users.map(({ id }) => id),
      email: users.map(({ email }) => email),
      password: ['correct horse battery'],
      currentPassword: ['correct horse battery'],
      fingerprint: fingerprints,
      previousFingerprint: fingerprints,
      prefix: known.map((digits) => digits.slice(0, 4)),
      manifestId: artifacts.flatMap(({ body }) => [body.id, `urn:c2pa:${body.id}`]),
      alg: ['com.service.sha256', 'sha256'],
      value: known.flatMap((hex) => [
        Buffer.from(hex, 'hex').toString('base64'),
        Buffer.from(hex, 'hex').toString('base64url'),
      ]),
      wait: [0, 1],
      lastModified: ['2026-06-01T12:00:00Z'],
      // Of no sound at all.
      chromaprint: ['AQAAAA'],
      expiresAt: [new Date(Date.now() + DAY_MS).toISOString()],
    },
  };
}

/** Restores what successful requests changed or removed: tiers, users, the organization, a key and invitations. */
export async function restoreFixture(service: Service, fixture: Fixture): Promise<void> {
  if (!(await isIntact(service, fixture))) Object.assign(fixture, await createFixture(service, fixture.operatorToken));
  await restoreKey(service, fixture);
  await restoreInvitations(service, fixture);
}

/** The users and their roles in the organization. */
async function isIntact(service: Service, { users, organizationId }: Fixture): Promise<boolean> {
  for (const tier of ['free', 'creator', 'enterprise'] as const) {
    const { token, email } = users[tier];
    const { status, body } = await call(service, 'GET', '/api/v1/me', { token });
    if (status !== 200 || body.user.email !== email) return false;
    if (body.user.tier !== tier) await changeTier(service, users[tier], tier);
  }
  const path = `/api/v1/organizations/${organizationId}/events`;
  const owned = await call(service, 'GET', `/api/v1/organizations/${organizationId}`, {
    token: users.enterprise.token,
  });
  const isAdmin = (await call(service, 'GET', path, { token: users.creator.token })).status === 200;
  return owned.body.role === 'owner' && owned.body.status === 'active' && isAdmin;
}

async function restoreKey(service: Service, fixture: Fixture): Promise<void> {
  const { users, organizationId } = fixture;
  const path = `/api/v1/api-keys?organizationId=${organizationId}`;
  if ((await call(service, 'GET', path, { token: fixture.apiKey })).status === 200) return;
  const { token } = users.enterprise;
  const keys: { id: string }[] = (await call(service, 'GET', path, { token })).body;
  for (const { id } of keys) {
    await call(service, 'DELETE', `/api/v1/api-keys/${id}?organizationId=${organizationId}`, { token });
  }
  const created = await createApiKey(service, users.enterprise, organizationId);
  expect(created.status).toBe(201);
  fixture.apiKey = created.body.token;
  fixture.pool = { ...fixture.pool, keyId: [created.body.id] };
}

/** To the organization, with usage units for more. */
async function restoreInvitations(service: Service, fixture: Fixture): Promise<void> {
  const { users, organizationId, pool } = fixture;
  const { token } = users.enterprise;
  const of = `/api/v1/organizations/${organizationId}`;
  for (const { id } of (await call(service, 'GET', `${of}/invitations`, { token })).body) {
    await call(service, 'DELETE', `${of}/invitations/${id}`, { token });
  }
  await call(service, 'PUT', `${of}/usage-units`, { token, body: { purchased: 20 } });
  const invitations = await Promise.all(
    [of, of, of].map((path) => call(service, 'POST', `${path}/invitations`, { token, body: {} })),
  );
  const sessions: { id: string }[] = (await call(service, 'GET', '/api/v1/me/sessions', { token })).body;
  fixture.pool = {
    ...pool,
    token: invitations.map(({ body }) => body.token),
    invitationId: invitations.map(({ body }) => body.id),
    sessionId: sessions.map(({ id }) => id),
  };
}

/**
 * The Authorization header, or undefined for none.
 * @param likely a token that most requests carry
 */
export function credential(fixture: Fixture, likely?: string): fc.Arbitrary<string | undefined> {
  const { users, apiKey, operatorToken } = fixture;
  const good = [users.free.token, users.creator.token, users.enterprise.token, apiKey];
  const bad = brokenTokens(users.enterprise.token, apiKey);
  return fc.oneof(
    { weight: likely === undefined ? 0 : 20, arbitrary: fc.constant(`Bearer ${likely}`) },
    { weight: 12, arbitrary: fc.constantFrom(...good).map((token) => `Bearer ${token}`) },
    { weight: 1, arbitrary: fc.constant(`Bearer ${operatorToken}`) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(...bad).map((token) => `Bearer ${token}`) },
    { weight: 1, arbitrary: fc.constantFrom('Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', `bearer  ${apiKey}`) },
  );
}

/** All invalid. */
export function brokenTokens(good: string, apiKey: string): string[] {
  const [header = '', claims = '', signature = ''] = good.split('.');
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const signed = (head: unknown, body: unknown, key: string) => {
    const text = `${encode(head)}.${encode(body)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const hs256 = { alg: 'HS256', typ: 'JWT' };
  return [
    `${encode({ alg: 'none' })}.${claims}.`,
    `${encode({ alg: 'NONE' })}.${claims}.${signature}`,
    `${encode({ alg: 'RS256' })}.${claims}.${signature}`,
    `${encode({ alg: 'HS512' })}.${claims}.${signature}`,
    `${encode({ alg: 'HS256', crit: ['exp'], b64: false })}.${claims}.${signature}`,
    `${encode({ alg: 'HS256', jwk: { kty: 'oct', k: 'AA' }, kid: '../../etc/passwd' })}.${claims}.${signature}`,
    signed(hs256, payload, ''),
    signed(hs256, payload, 'secret'),
    `${header}.${encode({ sub: 'somebody', exp: 1 })}.${signature}`,
    `${header}..${signature}`,
    `${header}.${claims}`,
    `${header}.${claims}.${signature}.${signature}`,
    `${header}.${'A'.repeat(12_000)}.${signature}`,
    '.'.repeat(1_000),
    'eyJhbGciOiJkaXIifQ....',
    `${apiKey.slice(0, -1)}~`,
    `${apiKey}a`,
    apiKey.slice(0, 12),
    `svc_${'0'.repeat(22)}`,
    'svc_',
  ];
}
