// Reading Artifacts through HTTP: what each reader sees, and where.

import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  expectConsistentStorage,
  fetchPublishedFiles,
  fieldParts,
  filePart,
  fingerprintOf,
  getArtifact,
  newArtifact,
  newFingerprint,
  type Registry,
  sendForm,
  startRegistryWithStudio,
} from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { draw } from '../support/pictures.js';

let service: Registry;
let owner: TestUser;
let stranger: TestUser;
let member: TestUser;
let key: { token: string };
let markId: string;
let studioMarkId: string;
let secretMark: { id: string; name: string };
const SECRET_NAME = 'Quixotic Gallery';

beforeAll(async () => {
  ({ service, owner, stranger, member, key, markId, studioMarkId } = await startRegistryWithStudio());
  const fields = { name: SECRET_NAME, visibility: 'private', license: 'BSD-3-Clause' };
  secretMark = (await createMark(service, owner, fields)).body;
});

const list = (caller: { token: string }, mark: string, query = '') =>
  call(service, 'GET', `/api/v1/marks/${mark}/artifacts${query}`, { token: caller.token });
const setVisibility = (caller: { token: string }, fingerprint: string, contentVisibility: unknown) =>
  call(service, 'PUT', `/api/v1/artifacts/${fingerprint}/visibility`, {
    token: caller.token,
    body: { contentVisibility },
  });
const body = (fields: Record<string, unknown> = {}) => newArtifact({ markId, ...fields });

describe('a private Mark', () => {
  const filename = 'Clandestine Portrait.png';
  let fingerprint: string;
  let id: string;
  let file: Uint8Array;

  beforeAll(async () => {
    file = new Uint8Array(await draw({ seed: 5, width: 64, height: 64, cell: 8 }).png().toBuffer());
    fingerprint = fingerprintOf(file);
    const fields = fieldParts({ markId: secretMark.id, fingerprint, filename, lastModified: '2020-02-02' });
    const { status, body: artifact } = await sendForm(service, owner, [...fields, filePart(file, filename)]);
    expect(status).toBe(201);
    id = artifact.id;
  });

  it('shows writers everything', async () => {
    const { body: artifact } = await getArtifact(service, owner, fingerprint);
    expect(artifact).toMatchObject({
      createdBy: { id: owner.id },
      licenseKey: 'BSD-3-Clause',
      mark: { id: secretMark.id, name: SECRET_NAME },
      metadata: { filename, author: { name: owner.name }, pHash: expect.stringMatching(/^0x[0-9a-f]{16}$/) },
    });
    expect(artifact.mark).not.toHaveProperty('members');
  });

  it('shows others only the kind of the file', async () => {
    for (const caller of [stranger, member, key]) {
      const { status, body: artifact } = await getArtifact(service, caller, fingerprint);
      expect(status).toBe(200);
      expect(artifact).toEqual({
        id,
        fingerprint,
        mark: { id: secretMark.id, visibility: 'private' },
        status: expect.any(String),
        errorReason: null,
        transactionHash: artifact.transactionHash,
        metadata: { kind: 'image', mediaType: 'image/png', pHash: expect.any(String) },
        createdBy: null,
        contentVisibility: 'public',
        fileSeen: true,
        authorshipStated: false,
        verifiedDomains: [],
        domainsAtRegistration: [],
        claims: { contested: false, open: 0, checked: 0, supersededBy: null },
        renditions: [],
        c2paAssets: expect.any(Object),
        createdAt: expect.any(String),
      });
    }
  });

  it('refuses its list to others', async () => {
    expect(statusAndCode(await list(stranger, secretMark.id))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await list(key, secretMark.id))).toEqual([403, 'FORBIDDEN']);
    expect((await list(owner, secretMark.id)).body.artifacts).toMatchObject([{ id, metadata: { filename } }]);
  });
});

describe('the visibility of content', () => {
  it('hides name, size and advisory hashes, and nothing else, from readers without write access', async () => {
    const file = new Uint8Array(await draw({ seed: 7, width: 64, height: 64, cell: 8 }).png().toBuffer());
    const parts = [...fieldParts({ markId }), filePart(file, 'a.png')];
    const { body: made } = await sendForm(service, owner, parts, { path: '/api/c2pa/manifests' });
    const { fingerprint } = made;
    const before = (await getArtifact(service, stranger, fingerprint)).body;
    expect(before.metadata).toMatchObject({ filename: 'a.png', size: file.length, pHash: expect.any(String) });
    const files = await fetchPublishedFiles(service, made.manifestId);

    const { status, body: hidden } = await setVisibility(owner, fingerprint, 'private');
    expect([status, hidden.contentVisibility, hidden.metadata.filename]).toEqual([200, 'private', 'a.png']);
    const {
      filename: _n,
      size: _s,
      pHash: _p,
      dHash: _d,
      pHashCenter90: _9,
      pHashCenter80: _8,
      ...rest
    } = before.metadata;
    expect([_p, _d, _9, _8]).toEqual(Array(4).fill(expect.any(String)));
    const { body: artifact } = await getArtifact(service, stranger, fingerprint);
    const { status: _one, transactionHash: _two, ...steady } = before;
    expect(artifact).toMatchObject({ ...steady, metadata: rest, contentVisibility: 'private' });
    expect(Object.keys(artifact.metadata).sort()).toEqual(Object.keys(rest).sort());
    const listed = (await list(stranger, markId)).body.artifacts.find(
      (one: { fingerprint: string }) => one.fingerprint === fingerprint,
    );
    expect(listed.metadata).toEqual(rest);
    expect((await getArtifact(service, owner, fingerprint)).body.metadata).toEqual(before.metadata);
    expect(await fetchPublishedFiles(service, made.manifestId)).toEqual(files);

    await setVisibility(owner, fingerprint, 'public');
    expect((await getArtifact(service, stranger, fingerprint)).body.metadata).toEqual(before.metadata);
  });

  it('under a private Mark shows strangers the kind and media type only', async () => {
    const fields = body({ markId: secretMark.id, mediaType: 'image/png' });
    await createArtifact(service, owner, fields);
    await setVisibility(owner, fields.fingerprint, 'private');
    expect((await getArtifact(service, stranger, fields.fingerprint)).body.metadata).toEqual({
      kind: 'image',
      mediaType: 'image/png',
    });
  });

  it('is changed by the admin of the Mark only', async () => {
    const fields = body({ markId: studioMarkId });
    await createArtifact(service, member, fields);
    expect(statusAndCode(await setVisibility(member, fields.fingerprint, 'private'))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await setVisibility(stranger, fields.fingerprint, 'private'))).toEqual([403, 'FORBIDDEN']);
    expect((await setVisibility(key, fields.fingerprint, 'private')).status).toBe(200);
    const own = body();
    await createArtifact(service, owner, own);
    expect(statusAndCode(await setVisibility(key, own.fingerprint, 'private'))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    expect(statusAndCode(await setVisibility(owner, own.fingerprint, 'secret'))).toEqual([400, 'BAD_REQUEST']);
    expect(statusAndCode(await setVisibility(owner, newFingerprint(), 'private'))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await setVisibility({ token: '' }, own.fingerprint, 'private'))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });
});

describe('reading', () => {
  it.each([
    ['an unknown fingerprint', newFingerprint(), '', 404, 'NOT_FOUND'],
    ['a fingerprint in upper case', `0x${'AB'.repeat(32)}`, '', 400, 'BAD_REQUEST'],
    ['a bare digest', 'ab'.repeat(32), '', 400, 'BAD_REQUEST'],
    ['a wait that is too long', newFingerprint(), '?wait=51', 400, 'BAD_REQUEST'],
    ['a wait below zero', newFingerprint(), '?wait=-1', 400, 'BAD_REQUEST'],
    ['a wait in words', newFingerprint(), '?wait=long', 400, 'BAD_REQUEST'],
    ['an unknown fingerprint, waiting', newFingerprint(), '?wait=30', 404, 'NOT_FOUND'],
  ])('refuses %s', async (_, fingerprint, query, status, code) => {
    expect(statusAndCode(await getArtifact(service, owner, fingerprint, query))).toEqual([status, code]);
  });

  it('needs a token', async () => {
    expect(statusAndCode(await getArtifact(service, { token: '' }, newFingerprint()))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('shows a public Artifact to any caller with a token', async () => {
    const fields = body();
    const { body: made } = await createArtifact(service, owner, fields);
    for (const caller of [stranger, key, member]) {
      const { body: artifact } = await getArtifact(service, caller, fields.fingerprint);
      const { status: _status, transactionHash: _hash, log: _log, ...steady } = made;
      expect(artifact).toMatchObject(steady);
    }
  });
});

describe('the list of a Mark', () => {
  it('is newest first, in pages, with each Artifact once', async () => {
    const { body: mark } = await createMark(service, owner);
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      made.unshift((await createArtifact(service, owner, body({ markId: mark.id }))).body.id);
    }
    const ids = [];
    let query = '?limit=2';
    for (;;) {
      const { status, body: page } = await list(stranger, mark.id, query);
      expect(status).toBe(200);
      ids.push(page.artifacts.map(({ id }: { id: string }) => id));
      if (page.nextCursor === null) break;
      query = `?limit=2&cursor=${page.nextCursor}`;
    }
    expect(ids).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
    expect((await list(stranger, mark.id)).body.artifacts).toHaveLength(5);
    expect((await list(stranger, mark.id, '?status=failed')).body).toEqual({ artifacts: [], nextCursor: null });
  });

  it.each(['?limit=0', '?limit=201', '?limit=x', '?status=lost', '?cursor=x'])('refuses %s', async (query) => {
    expect(statusAndCode(await list(owner, markId, query))).toEqual([400, 'BAD_REQUEST']);
  });

  it('continues after its own Artifacts only', async () => {
    const { body: mark } = await createMark(service, owner);
    const { body: own } = await createArtifact(service, owner, body({ markId: mark.id }));
    const { body: other } = await createArtifact(service, owner, body());
    expect(await list(owner, mark.id, `?cursor=${own.id}`)).toMatchObject({ status: 200, body: { artifacts: [] } });
    for (const cursor of [other.id, mark.id, randomUUID()]) {
      const problems = [{ path: '/cursor', message: '"cursor" must be nextCursor of another page of this list.' }];
      const refusal = { status: 400, body: { code: 'BAD_REQUEST', problems } };
      expect(await list(owner, mark.id, `?cursor=${cursor}`)).toMatchObject(refusal);
      expect(await list(owner, mark.id, `?cursor=${cursor}&status=failed`)).toMatchObject(refusal);
      expect(await call(service, 'GET', `/api/v1/public/marks/${mark.id}/artifacts?cursor=${cursor}`)).toMatchObject(
        refusal,
      );
    }
  });

  it('of an unknown Mark is 404, and requires a token', async () => {
    expect(statusAndCode(await list(owner, randomUUID()))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await list(owner, 'x'))).toEqual([404, 'NOT_FOUND']);
    expect(statusAndCode(await list({ token: '' }, markId))).toEqual([401, 'UNAUTHORIZED']);
  });
});

it('In the end, files, tables and counters agree', async () => {
  await expectConsistentStorage(service);
});
