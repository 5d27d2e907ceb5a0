// Secrets, ids and hashes that are almost right: one character changed, cut off or added, or in another case.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  withoutChain,
} from '../../../../test/support/artifacts.js';
import { call } from '../../../../test/support/service.js';

const OPERATOR_TOKEN = 'Operator-token-of-this-test';

let service: Registry;
let owner: TestUser;
let stranger: TestUser;
let organizationId: string;
let markId: string;
let fingerprint: string;

beforeAll(async () => {
  service = await startRegistry({ ...(await withoutChain()), OPERATOR_TOKEN });
  owner = await createUser(service, 'enterprise');
  stranger = await createUser(service);
  organizationId = await createOrganization(service, owner, 2);
  markId = (await createMark(service, owner, { visibility: 'private' })).body.id;
  fingerprint = newFingerprint();
  await createArtifact(service, owner, { markId, fingerprint, filename: 'a.txt' });
});

/** Values that differ from this one as little as possible. */
function nearMisses(value: string): [how: string, value: string][] {
  const change = (index: number) => {
    const character = value[index] === '0' ? '1' : '0';
    return value.slice(0, index) + character + value.slice(index + 1);
  };
  // The last characters of a base64 text may have unused bits.
  const middle = Math.floor(value.length / 2);
  return [
    ['the first character changed', change(0)],
    ['a character in the middle changed', change(middle)],
    ['the last character cut off', value.slice(0, -1)],
    ['only the first half', value.slice(0, middle)],
    ['a character added', `${value}0`],
    ['twice', value + value],
    ['upper case', value.toUpperCase()],
    ['lower case', value.toLowerCase()],
  ].filter((miss): miss is [string, string] => miss[1] !== value);
}

const statusOf = async (method: string, path: string, options: Parameters<typeof call>[3]) =>
  (await call(service, method, path, options)).status;

async function expectAll(value: string, expected: number, use: (value: string) => Promise<number>): Promise<void> {
  const misses = nearMisses(value);
  const statuses = await Promise.all(misses.map(async ([how, miss]) => [how, await use(miss)]));
  expect(statuses).toEqual(misses.map(([how]) => [how, expected]));
}

describe('a secret that is almost right', () => {
  it('is refused as the token of a session', async () => {
    const use = (token: string) => statusOf('GET', '/api/v1/me', { token });
    expect(await use(owner.token)).toBe(200);
    await expectAll(owner.token, 401, use);
  });

  it('is refused as an API key', async () => {
    const { token } = (await createApiKey(service, owner, organizationId)).body;
    const use = (miss: string) => statusOf('GET', '/api/v1/me', { token: miss });
    expect(await use(token)).toBe(200);
    await expectAll(token, 401, use);
  });

  it('is refused as the token of the operator', async () => {
    const path = `/api/operator/users/${stranger.id}/tier`;
    const use = (token: string) => statusOf('PUT', path, { token, body: { tier: 'free' } });
    expect(await use(OPERATOR_TOKEN)).toBe(200);
    await expectAll(OPERATOR_TOKEN, 401, use);
  });

  it('is refused as an invitation', async () => {
    const path = `/api/v1/organizations/${organizationId}/invitations`;
    const { token } = (await call(service, 'POST', path, { token: owner.token, body: {} })).body;
    const use = (miss: string) =>
      statusOf('POST', '/api/v1/invitations/accept', { token: stranger.token, body: { token: miss } });
    await expectAll(token, 404, use);
    expect(await use(token)).toBe(200);
  });

  it('is refused as a password', async () => {
    const use = (password: string) =>
      statusOf('POST', '/api/v1/auth/login', { body: { email: stranger.email, password } });
    expect(await use('correct horse battery')).toBe(200);
    for (const miss of [
      'correct horse batterz',
      'Correct horse battery',
      'correct horse batter',
      'correct horse battery0',
    ]) {
      expect([miss, await use(miss)]).toEqual([miss, 401]);
    }
  });
});

describe('an id that is almost right', () => {
  const ask = async (path: string) => (await call(service, 'GET', path, { token: owner.token })).status;

  it('of a Mark finds nothing, except in another case', async () => {
    const use = (id: string) => ask(`/api/v1/marks/${id}`);
    expect([await use(markId), await use(markId.toUpperCase())]).toEqual([200, 200]);
    for (const [how, miss] of nearMisses(markId)) {
      if (how !== 'upper case') expect([how, await use(miss)]).toEqual([how, 404]);
    }
  });

  it('of an organization finds nothing', async () => {
    const use = (id: string) => ask(`/api/v1/organizations/${id}/members`);
    expect(await use(organizationId)).toBe(200);
    for (const [how, miss] of nearMisses(organizationId)) {
      if (how !== 'upper case') expect([how, await use(miss)]).toEqual([how, 404]);
    }
  });

  it('is another fingerprint, or none', async () => {
    const use = async (value: string) => {
      const { status, body } = await call(service, 'GET', `/api/v1/artifacts/${value}`, { token: owner.token });
      return [status, body.fingerprint];
    };
    expect(await use(fingerprint)).toEqual([200, fingerprint]);
    for (const [how, miss] of nearMisses(fingerprint)) {
      const [status, found] = await use(miss);
      expect([how, status === 200, found]).toEqual([how, false, undefined]);
    }
  });

  it('of a Mark registers nothing', async () => {
    for (const [how, miss] of nearMisses(markId)) {
      if (how === 'upper case') continue;
      const response = await createArtifact(service, owner, {
        markId: miss,
        fingerprint: newFingerprint(),
        filename: 'a',
      });
      expect([how, response.status === 201]).toEqual([how, false]);
    }
  });
});
