// Reads without a token show exactly what a stranger with a token sees.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  createMark,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';

let service: Registry;
let owner: TestUser;
let stranger: TestUser;
let openMark: { id: string };
let secretMark: { id: string };

beforeAll(async () => {
  service = await startRegistry(await unreachableChain());
  owner = await createUser(service, 'enterprise');
  stranger = await createUser(service);
  openMark = (await createMark(service, owner, { name: 'Open', license: 'MIT' })).body;
  secretMark = (await createMark(service, owner, { name: 'Clandestine', visibility: 'private' })).body;
});

const anyone = (path: string) => call(service, 'GET', `/api/v1/public${path}`);
const withToken = (path: string) => call(service, 'GET', `/api/v1${path}`, { token: stranger.token });
const register = async (markId: string, contentVisibility = 'public') => {
  const fields = { markId, fingerprint: newFingerprint(), filename: 'sunrise.jpg', size: 5, mediaType: 'image/jpeg' };
  const { body } = await createArtifact(service, owner, fields);
  const visibility = { token: owner.token, body: { contentVisibility } };
  await call(service, 'PUT', `/api/v1/artifacts/${body.fingerprint}/visibility`, visibility);
  return body;
};

describe('an Artifact, read without a token', () => {
  it.each([
    ['a public Mark', () => openMark.id, 'public'],
    ['a public Mark with its content hidden', () => openMark.id, 'private'],
    ['a private Mark', () => secretMark.id, 'public'],
    ['a private Mark with its content hidden', () => secretMark.id, 'private'],
  ])('under %s is what a stranger with a token sees', async (_, markId, contentVisibility) => {
    const { fingerprint } = await register(markId(), contentVisibility);
    const { status, body } = await anyone(`/artifacts/${fingerprint}`);
    expect([status, body.fingerprint]).toEqual([200, fingerprint]);
    expect(body).toEqual((await withToken(`/artifacts/${fingerprint}`)).body);
  });

  it('under a private Mark does not reveal its author', async () => {
    const { fingerprint } = await register(secretMark.id);
    const { body } = await anyone(`/artifacts/${fingerprint}`);
    expect(body).toMatchObject({ mark: { id: secretMark.id, visibility: 'private' }, createdBy: null });
    for (const secret of [owner.name, owner.id, 'Clandestine', 'sunrise', 'license', 'allowAiTraining']) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });

  it('is returned to waiting clients when its status changes', async () => {
    const { id, fingerprint } = await register(openMark.id);
    const waiting = anyone(`/artifacts/${fingerprint}?wait=50`);
    await query(service.databaseUrl, 'update artifacts set status = 2 where id = $1', [id]);
    expect((await waiting).body.status).toBe('submitted');
  });

  it.each([
    ['an unknown fingerprint', newFingerprint(), [404, 'NOT_FOUND']],
    ['a bare digest', 'ab'.repeat(32), [400, 'BAD_REQUEST']],
    ['a fingerprint in upper case', `0x${'AB'.repeat(32)}`, [400, 'BAD_REQUEST']],
  ])('is refused for %s', async (_, fingerprint, refused) => {
    expect(statusAndCode(await anyone(`/artifacts/${fingerprint}`))).toEqual(refused);
  });

  it('requires a token at the endpoint of the specification', async () => {
    const { fingerprint } = await register(openMark.id);
    for (const path of [`/artifacts/${fingerprint}`, `/marks/${openMark.id}`, `/marks/${openMark.id}/artifacts`]) {
      expect(statusAndCode(await call(service, 'GET', `/api/v1${path}`))).toEqual([401, 'UNAUTHORIZED']);
    }
  });
});

describe('a Mark, read without a token', () => {
  it('is what a stranger with a token sees, without its members', async () => {
    const { id } = openMark;
    await addMarkMember(service, owner, id, stranger);
    const { members: shown, ...mark } = (await withToken(`/marks/${id}`)).body;
    expect(shown).toHaveLength(1);
    expect((await anyone(`/marks/${id}`)).body).toEqual(mark);
    await call(service, 'DELETE', `/api/v1/marks/${id}/members/${stranger.id}`, { token: owner.token });
  });

  it('is refused when it is private, with its Artifacts', async () => {
    expect(statusAndCode(await anyone(`/marks/${secretMark.id}`))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await anyone(`/marks/${secretMark.id}/artifacts`))).toEqual([403, 'FORBIDDEN']);
  });

  it.each([randomUUID(), 'no-id'])('is 404 for the id %s', async (id) => {
    expect(statusAndCode(await anyone(`/marks/${id}`))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await anyone(`/marks/${id}/artifacts`))).toEqual([404, 'NOT_FOUND']);
  });

  it('lists its Artifacts in pages, as for a stranger with a token', async () => {
    const { id } = (await createMark(service, owner)).body;
    for (const visibility of ['public', 'private', 'public']) await register(id, visibility);
    const first = (await anyone(`/marks/${id}/artifacts?limit=2`)).body;
    const second = (await anyone(`/marks/${id}/artifacts?limit=2&cursor=${first.nextCursor}`)).body;
    const all = (await withToken(`/marks/${id}/artifacts`)).body;
    expect([...first.artifacts, ...second.artifacts]).toEqual(all.artifacts);
    expect([all.artifacts.length, second.nextCursor]).toEqual([3, null]);
  });
});
