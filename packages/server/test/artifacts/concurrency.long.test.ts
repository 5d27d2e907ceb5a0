// Concurrent creations: of one fingerprint, with one idempotency key, and at the limits of a tier.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  creationPaths,
  expectConsistentStorage,
  fieldParts,
  filePart,
  fingerprintOf,
  newFingerprint,
  type Registry,
  restartRegistry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type TestResponse, temporaryFolder } from '../../../../test/support/service.js';
import { draw } from '../support/pictures.js';

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const statuses = (responses: readonly TestResponse[]) => responses.map(({ status }) => status).sort();

describe('with two processes on one chain', () => {
  let one: Registry;
  let two: Registry;
  let owner: TestUser;
  let markId: string;

  beforeAll(async () => {
    one = await startRegistry({ BASE_URL: 'http://registry.test', BILLING: 'self-serve' });
    two = await restartRegistry(one.settings);
    owner = await createUser(one, 'enterprise');
    markId = (await createMark(one, owner)).body.id;
  });

  it('one of 50 creations gets the fingerprint, the others 409, and they leave nothing behind', async () => {
    const file = Buffer.from('the one file that everybody wants');
    const fields = { markId, fingerprint: fingerprintOf(file), filename: 'wanted.txt' };
    const responses = await times(50, (index) => {
      const [service, path] = [index % 2 ? one : two, creationPaths[index % 4 < 2 ? 0 : 1] ?? creationPaths[0]];
      return index % 3
        ? createArtifact(service, owner, fields, { path })
        : sendForm(service, owner, [...fieldParts(fields), filePart(file)], { path });
    });
    expect(statuses(responses)).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    expect(new Set(responses.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
      new Set(['CONFLICT']),
    );
    await expectConsistentStorage(one);
    const winner = responses.find(({ status }) => status === 201)?.body;
    for (const service of [one, two]) {
      let seen = '';
      while (seen !== 'submitted') {
        const path = `/api/v1/artifacts/${fields.fingerprint}?wait=30`;
        const { body } = await call(service, 'GET', path, { token: owner.token });
        expect(body.id).toBe(winner.id ?? winner.manifestId);
        expect(body.status).not.toBe('failed');
        seen = body.status;
      }
    }
  });

  it('ten requests with one key and one body get one response', async () => {
    for (let round = 0; round < 2; round += 1) {
      const fields = { markId, fingerprint: newFingerprint(), filename: 'a.txt' };
      const responses = await times(10, (index) =>
        createArtifact(index % 2 ? one : two, owner, fields, { key: `ten-${round}` }),
      );
      expect(statuses(responses)).toEqual(Array.from({ length: 10 }, () => 201));
      for (const { body } of responses) expect(body).toEqual(responses[0]?.body);
    }
    await expectConsistentStorage(one);
  });

  it('ten requests with one key and ten bodies create one Artifact', async () => {
    const responses = await times(10, (index) =>
      createArtifact(
        index % 2 ? one : two,
        owner,
        { markId, fingerprint: newFingerprint(), filename: 'a.txt' },
        { key: 'bodies' },
      ),
    );
    expect(statuses(responses)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    await expectConsistentStorage(one);
  });

  it('images sent concurrently with one key take the signed copies of one Artifact', async () => {
    const image = new Uint8Array(await draw({ seed: 8, width: 64, height: 64, cell: 8 }).jpeg().toBuffer());
    const parts = [...fieldParts({ markId }), filePart(image, 'a.jpg', 'image/jpeg')];
    const headers = { accept: 'image/*', 'idempotency-key': 'images' };
    const responses = await times(4, (index) =>
      sendForm(index % 2 ? one : two, owner, parts, { path: '/api/c2pa/manifests', headers }),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409]);
    const signed = responses.filter(({ status }) => status === 201);
    expect(new Set(signed.map(({ headers: got }) => got.get('content-type')))).toEqual(new Set(['image/jpeg']));
    expect(new Set(signed.map(({ headers: got }) => got.get('location'))).size).toBe(1);
  });
});

/** A process whose chain is unavailable, with small limits. */
let service: Registry;
beforeAll(async () => {
  const file = join(await temporaryFolder(), 'tiers.json');
  const free = { dailyArtifactLimit: 7, lifetimeArtifactLimit: 9 };
  const creator = { dailyArtifactLimit: 100, lifetimeArtifactLimit: 12 };
  await writeFile(file, JSON.stringify({ free, creator }));
  service = await startRegistry({ ...(await unreachableChain()), TIERS_FILE: file });
});

describe('an idempotency key', () => {
  let owner: TestUser;
  let markId: string;
  const fields = (more: Record<string, unknown> = {}) => ({
    markId,
    fingerprint: newFingerprint(),
    filename: 'a.txt',
    ...more,
  });

  beforeAll(async () => {
    owner = await createUser(service, 'enterprise');
    markId = (await createMark(service, owner)).body.id;
  });

  it('returns the first response again, also after a restart, and counts once', async () => {
    const user = await createUser(service);
    const mark = (await createMark(service, user)).body.id;
    const body = { ...fields(), markId: mark };
    const first = await createArtifact(service, user, body, { key: 'again' });
    expect(first.status).toBe(201);
    await service.end();
    service = await restartRegistry({ ...service.settings, PORT: new URL(service.url).port });
    const second = await createArtifact(service, user, body, { key: 'again' });
    expect([second.status, second.body]).toEqual([201, first.body]);
    const third = await createArtifact(service, user, body, { key: 'again', path: '/api/c2pa/manifests' });
    expect([third.status, third.body.manifestId]).toEqual([201, first.body.id]);
    const { body: limits } = await call(service, 'GET', '/api/tier/limits', { token: user.token });
    expect(limits.usage).toMatchObject({ dailyArtifacts: 1, lifetimeArtifacts: 1 });
    await expectConsistentStorage(service);
  });

  it('with the same fields and file in another order is the same request', async () => {
    const file = Buffer.from('ordered');
    const parts = [...fieldParts(fields({ fingerprint: fingerprintOf(file) }) as never), filePart(file)];
    const headers = { 'idempotency-key': 'order' };
    const first = await sendForm(service, owner, parts, { headers });
    const second = await sendForm(service, owner, [...parts].reverse(), { headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
  });

  it.each([
    ['another fingerprint', () => ({ fingerprint: newFingerprint() })],
    ['another filename', () => ({ filename: 'b.txt' })],
    ['another media type', () => ({ mediaType: 'image/png' })],
    ['another size', () => ({ size: 5 })],
    ['another time', () => ({ lastModified: '2020-01-01' })],
  ])('with %s is 409', async (name, change) => {
    const body = fields();
    expect((await createArtifact(service, owner, body, { key: name })).status).toBe(201);
    const response = await createArtifact(service, owner, { ...body, ...change() }, { key: name });
    expect(statusAndCode(response)).toEqual([409, 'CONFLICT']);
    expect(response.body.error).toContain('key');
  });

  it('belongs to its caller: a user, and the API keys of an organization together', async () => {
    const studio = await createOrganization(service, owner);
    const mark = (await createMark(service, owner, { organizationId: studio })).body.id;
    const keys = [await createApiKey(service, owner, studio, 'a'), await createApiKey(service, owner, studio, 'b')];
    const other = await createUser(service);
    const otherMark = (await createMark(service, other)).body.id;
    const byOwner = await createArtifact(service, owner, fields({ markId: mark }), { key: 'mine' });
    const byOther = await createArtifact(service, other, fields({ markId: otherMark }), { key: 'mine' });
    const body = fields({ markId: mark });
    const byKey = await createArtifact(service, keys[0]?.body, body, { key: 'mine' });
    expect(statuses([byOwner, byOther, byKey])).toEqual([201, 201, 201]);
    expect((await createArtifact(service, keys[1]?.body, body, { key: 'mine' })).body).toEqual(byKey.body);
  });

  it('expires after 24 hours, and not before', async () => {
    const [first, second] = [fields(), fields()];
    const age = (interval: string) =>
      query(
        service.databaseUrl,
        `update idempotency_keys set created_at = now() - interval '${interval}' where key = 'old'`,
      );
    expect((await createArtifact(service, owner, first, { key: 'old' })).status).toBe(201);
    await age('23 hours 59 minutes');
    expect(statusAndCode(await createArtifact(service, owner, second, { key: 'old' }))).toEqual([409, 'CONFLICT']);
    await age('24 hours 1 minute');
    const made = await createArtifact(service, owner, second, { key: 'old' });
    expect(made.status).toBe(201);
    expect((await createArtifact(service, owner, second, { key: 'old' })).body).toEqual(made.body);
    expect(statusAndCode(await createArtifact(service, owner, first, { key: 'old' }))).toEqual([409, 'CONFLICT']);
  });

  it('has 1 to 255 characters', async () => {
    expect((await createArtifact(service, owner, fields(), { key: 'k'.repeat(255) })).status).toBe(201);
    expect(statusAndCode(await createArtifact(service, owner, fields(), { key: 'k'.repeat(256) }))).toEqual([
      400,
      'BAD_REQUEST',
    ]);
    expect(statusAndCode(await createArtifact(service, owner, fields(), { key: '' }))).toEqual([400, 'BAD_REQUEST']);
  });

  it('of a refused request can be used again', async () => {
    const body = fields();
    expect((await createArtifact(service, owner, { ...body, filename: '' }, { key: 'refused' })).status).toBe(400);
    expect((await createArtifact(service, owner, { ...body, markId: randomUUID() }, { key: 'refused' })).status).toBe(
      404,
    );
    expect((await createArtifact(service, owner, body, { key: 'refused' })).status).toBe(201);
  });

  it('gives no response to a user who may no longer write under the Mark', async () => {
    const guest = await createUser(service);
    await addMarkMember(service, owner, markId, guest);
    const body = fields();
    expect((await createArtifact(service, guest, body, { key: 'guest' })).status).toBe(201);
    await call(service, 'DELETE', `/api/v1/marks/${markId}/members/${guest.id}`, { token: owner.token });
    expect(statusAndCode(await createArtifact(service, guest, body, { key: 'guest' }))).toEqual([403, 'FORBIDDEN']);
  });
});

describe('the Artifact limits of a tier', () => {
  const used = async ({ token }: TestUser) => {
    const { usage } = (await call(service, 'GET', '/api/tier/limits', { token })).body;
    return [usage.dailyArtifacts, usage.lifetimeArtifacts];
  };
  const burst = async (user: TestUser, marks: string[]) => {
    const responses = await times(30, (index) => {
      const fields = { markId: marks[index % marks.length], fingerprint: newFingerprint(), filename: 'a' };
      return createArtifact(service, user, fields, { path: creationPaths[index % 2] ?? creationPaths[0] });
    });
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(statusAndCode(response)).toEqual([403, 'TIER_RESTRICTION']);
    }
    await expectConsistentStorage(service);
    return {
      created: responses.filter(({ status }) => status === 201).length,
      errors: new Set(responses.filter(({ status }) => status !== 201).map(({ body }) => body.error)),
    };
  };

  it('hold exactly under 30 concurrent creations: the daily one, then the lifetime one', async () => {
    const user = await createUser(service);
    const marks = [(await createMark(service, user)).body.id, (await createMark(service, user)).body.id];
    expect(await burst(user, marks)).toEqual({ created: 7, errors: new Set(['Daily artifact limit reached']) });
    expect(await used(user)).toEqual([7, 7]);
    await changeTier(service, user, 'creator');
    expect(await burst(user, marks)).toEqual({ created: 5, errors: new Set(['Lifetime artifact limit reached']) });
    expect(await used(user)).toEqual([12, 12]);
    await changeTier(service, user, 'enterprise');
    expect((await burst(user, marks)).created).toBe(30);
  });

  it('are reset each day, except for the lifetime one', async () => {
    const user = await createUser(service);
    const mark = (await createMark(service, user)).body.id;
    const make = () => createArtifact(service, user, { markId: mark, fingerprint: newFingerprint(), filename: 'a' });
    for (let count = 0; count < 7; count += 1) expect((await make()).status).toBe(201);
    expect(statusAndCode(await make())).toEqual([403, 'TIER_RESTRICTION']);
    await query(service.databaseUrl, 'update counters set day = day - 1 where owner_id = $1', [user.id]);
    expect(await used(user)).toEqual([0, 7]);
    expect(statuses([await make(), await make(), await make()])).toEqual([201, 201, 403]);
    expect(await used(user)).toEqual([2, 9]);
    // For the check of the counters at the end, which counts what was created today.
    await query(service.databaseUrl, 'update counters set daily_artifacts = 9 where owner_id = $1', [user.id]);
  });

  it('of a new day do not count a creation of the day before', async () => {
    const user = await createUser(service);
    const mark = (await createMark(service, user)).body.id;
    const of = 'where owner_id = $1';
    await query(service.databaseUrl, `update counters set day = day + 1, daily_artifacts = 5 ${of}`, [user.id]);
    expect(
      (await createArtifact(service, user, { markId: mark, fingerprint: newFingerprint(), filename: 'a' })).status,
    ).toBe(201);
    await query(service.databaseUrl, `update counters set day = day - 1 ${of}`, [user.id]);
    expect(await used(user)).toEqual([5, 1]);
    await query(service.databaseUrl, `update counters set daily_artifacts = 1 ${of}`, [user.id]);
  });

  it('do not refuse a retry of the last creation that fits, also a concurrent one', async () => {
    const user = await createUser(service);
    const mark = (await createMark(service, user)).body.id;
    await query(
      service.databaseUrl,
      'update counters set daily_artifacts = 6, lifetime_artifacts = 6 where owner_id = $1',
      [user.id],
    );
    const fields = { markId: mark, fingerprint: newFingerprint(), filename: 'a' };
    const responses = await times(10, () => createArtifact(service, user, fields, { key: 'last' }));
    expect(statuses(responses)).toEqual(Array.from({ length: 10 }, () => 201));
    expect((await createArtifact(service, user, fields, { key: 'last' })).status).toBe(201);
    expect(await used(user)).toEqual([7, 7]);
  });
});

it('A failed Artifact frees its fingerprint, and cannot be a previous version', async () => {
  const owner = await createUser(service, 'enterprise');
  const markId = (await createMark(service, owner)).body.id;
  const fields = { markId, fingerprint: newFingerprint(), filename: 'a' };
  const { body: first } = await createArtifact(service, owner, fields);
  await query(service.databaseUrl, "update artifacts set status = 3, error_reason = 'it did not land' where id = $1", [
    first.id,
  ]);
  const read = async () =>
    (await call(service, 'GET', `/api/v1/artifacts/${fields.fingerprint}`, { token: owner.token })).body;
  expect(await read()).toMatchObject({ id: first.id, status: 'failed', errorReason: 'it did not land' });
  const next = { markId, fingerprint: newFingerprint(), filename: 'b', previousFingerprint: fields.fingerprint };
  expect(statusAndCode(await createArtifact(service, owner, next))).toEqual([400, 'BAD_REQUEST']);
  const second = await createArtifact(service, owner, fields);
  expect(second.status).toBe(201);
  expect(second.body.id).not.toBe(first.id);
  expect(await read()).toMatchObject({ id: second.body.id, status: 'pending' });
  expect(statusAndCode(await createArtifact(service, owner, fields))).toEqual([409, 'CONFLICT']);
  expect((await createArtifact(service, owner, next)).status).toBe(201);
});
