// Look-alikes through the API, on one service: registration with codes, the public search by file and by codes, what is never
// shown, the warning at registration, and the list of a Mark.

import { type Lookalike, MarkLookalike } from '@provenance-registry/core';
import pg from 'pg';
import sharp, { type Sharp } from 'sharp';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, statusAndCode } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  expectConsistentStorage,
  fetchPublishedFiles,
  getArtifact,
  newArtifact,
  newFingerprint,
} from '../../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../../test/support/domains.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call, type TestResponse } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { flip, newCode, newCodes, picture, png, startLookalikeTests } from '../support/lookalikes.js';

const tests = await startLookalikeTests();
const { service, owner, other, openMark, otherMark, secretMark } = tests;
const { run, upload, registerCodes, send, sendFile, ask, askFile, listMark, awaitFound } = tests;

describe('a search with a file', () => {
  let original: Buffer;
  let artifact: { id: string; fingerprint: string };

  beforeAll(async () => {
    original = await png(1);
    artifact = await upload(owner, openMark, original);
    const { pHash, dHash } = (await getArtifact(service, owner, artifact.fingerprint)).body.metadata;
    for (const seed of [2, 3, 4]) await upload(owner, openMark, await png(seed));
    await awaitFound([{ pHash, dHash }], artifact.fingerprint);
  });

  it.each<[string, (image: Sharp) => Sharp, object]>([
    [
      'as JPEG of quality 60',
      (image) => image.jpeg({ quality: 60 }),
      { code: 0, part: 'whole', grade: 'near-identical' },
    ],
    ['of half the size', (image) => image.resize(160).png(), { code: 0, part: 'whole', grade: 'near-identical' }],
    ['in gray', (image) => image.grayscale().png(), { code: 0, part: 'whole' }],
    ['mirrored', (image) => image.flop().png(), { code: 4, part: 'whole', grade: 'near-identical' }],
    ['turned', (image) => image.rotate(90).png(), { code: 3, part: 'whole', grade: 'near-identical' }],
    [
      'cropped by 10 % a side',
      (image) => image.extract({ left: 32, top: 24, width: 256, height: 192 }).png(),
      { code: 0, part: 'center-80' },
    ],
  ])('finds the image %s, and by its codes alone the same', async (_, edit, expected) => {
    const { status, body } = await sendFile(await edit(picture(1)).toBuffer());
    expect(status).toBe(200);
    expect(body.lookalikes).toMatchObject([{ fingerprint: artifact.fingerprint, kind: 'image', ...expected }]);
    expect(await ask(body.codes)).toEqual(body.lookalikes);
  });

  it('shows what is registered about a look-alike, and since when', async () => {
    await addVerifiedDomain(service, openMark, 'open.example');
    const found = {
      fingerprint: artifact.fingerprint,
      manifestId: artifact.id,
      distance: 0,
      grade: 'near-identical',
      hashesBy: 'service',
      mark: { id: openMark, name: 'Open' },
      verifiedDomain: 'open.example',
      licenseKey: 'MIT',
      aiPreferences: { ai_training: { use: 'notAllowed' } },
      contested: false,
      supersededBy: null,
      registeredAt: (await getArtifact(service, owner, artifact.fingerprint)).body.createdAt,
    };
    expect(await askFile(original)).toMatchObject([found]);
    await run(
      `insert into claims (id, artifact_id, contested_mark_id, claimant_id, kind, statement, evidence_state, evidence_time)
       select gen_random_uuid(), id, mark_id, created_by, 'timestamp', 'Mine.', 'checked', now()
       from artifacts where id = $1`,
      [artifact.id],
    );
    expect(await askFile(original)).toMatchObject([{ ...found, contested: true }]);
  });

  it('leaves the resolution API at exact matches', async () => {
    const match = async (bytes: Buffer) =>
      (
        await fetch(`${service.url}/api/c2pa/matches/byContent`, { method: 'POST', body: new Uint8Array(bytes) })
      ).json();
    expect(await match(original)).toMatchObject({ matches: [{ manifestId: artifact.id, similarityScore: 100 }] });
    expect(await match(await picture(1).jpeg({ quality: 60 }).toBuffer())).toEqual({ matches: [] });
  });

  it('finds nothing for images without a code: of one color, of one pixel; and for other files', async () => {
    const flat = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: '#123456' } })
        .png()
        .toBuffer();
    for (const bytes of [await flat(100), await flat(1), randomBytes(1_000), Buffer.from('GIF89a')]) {
      const { metadata, similarTo } = await upload(owner, openMark, bytes);
      expect([metadata.pHash, similarTo]).toEqual([undefined, undefined]);
      expect((await sendFile(bytes)).body).toEqual({ lookalikes: [], codes: [] });
    }
  });
});

describe('a search with codes', () => {
  it('orders by distance, then by age, within the distance and number that are asked for', async () => {
    const codes = newCodes();
    const registered: string[] = [];
    // Close enough to confirm, and too far to widen the search.
    const dHash = flip(codes.dHash, 12);
    for (const bits of [6, 2, 2, 10]) {
      const { fingerprint } = await registerCodes(owner, openMark, { pHash: flip(codes.pHash, bits), dHash });
      registered.push(fingerprint);
    }
    const [six, two, alsoTwo, ten] = registered;
    await expect.poll(async () => (await ask([codes], { maxDistance: 12 })).length).toBe(4);
    const list = async (more: object) => (await ask([codes], more)).map((found: Lookalike) => found.fingerprint);
    expect(await list({ maxDistance: 12 })).toEqual([two, alsoTwo, six, ten]);
    expect(await list({})).toEqual([two, alsoTwo, six]);
    expect(await list({ maxDistance: 2, limit: 1 })).toEqual([two]);
    expect(await list({ maxDistance: 1 })).toEqual([]);
    const [first] = await ask([newCodes(), codes, codes]);
    expect(first).toMatchObject({ fingerprint: two, distance: 2, code: 1, hashesBy: 'client' });
  });

  it.each<[string, () => object]>([
    ['nothing', () => ({})],
    ['no code', () => ({ codes: [] })],
    ['25 codes', () => ({ codes: Array.from({ length: 25 }, newCodes) })],
    ['a code without bits', () => ({ codes: [{ pHash: `0x${'0'.repeat(16)}` }] })],
    ['a code with all bits', () => ({ codes: [newCodes(), { pHash: newCode(), dHash: `0x${'f'.repeat(16)}` }] })],
    ['a code in upper case', () => ({ codes: [{ pHash: '0xABCDEF0123456789' }] })],
    ['a distance of 13', () => ({ codes: [newCodes()], maxDistance: 13 })],
    ['a distance that is text', () => ({ codes: [newCodes()], maxDistance: '8' })],
    ['more than 50 look-alikes', () => ({ codes: [newCodes()], limit: 51 })],
    ['a Chromaprint of another form', () => ({ chromaprint: 'AQA!' })],
    ['a Chromaprint that cannot be read', () => ({ chromaprint: 'AQAAAzzz' })],
  ])('refuses %s', async (_, body) => {
    expect(statusAndCode(await send(body()))).toEqual([400, 'BAD_REQUEST']);
  });

  it('takes 24 codes, equal ones too, and the fields of a form as text', async () => {
    const codes = newCodes();
    expect(await ask(Array.from({ length: 24 }, () => codes))).toEqual([]);
    expect((await sendFile(await png(5), { maxDistance: 3, limit: 1 })).status).toBe(200);
    expect(statusAndCode(await sendFile(await png(5), { maxDistance: 'far' }))).toEqual([400, 'BAD_REQUEST']);
    const named = await send({ codes: [codes, { pHash: '0x12' }] });
    expect(named.body).toMatchObject({ problems: [{ path: '/codes/1/pHash' }] });
    const large = await sendFile(Buffer.alloc(20_000_001));
    expect(statusAndCode(large)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('refuses a flood of one client, and answers again afterwards', async () => {
    const codes = newCodes();
    const { fingerprint } = await registerCodes(owner, openMark, codes);
    await awaitFound([codes], fingerprint);
    // Searches with a hit wait for the table.
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table image_codes in access exclusive mode');
    const refused: TestResponse[] = [];
    const flood = Array.from({ length: 60 }, async () => {
      const response = await send({ codes: [codes] });
      if (response.status !== 200) refused.push(response);
    });
    // Four run and 32 wait.
    await waitUntil(() => refused.length >= 24, 'the others are refused');
    await holder.end();
    await Promise.all(flood);
    for (const response of refused) {
      expect(statusAndCode(response)).toEqual([503, 'UNAVAILABLE']);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await ask([codes])).toMatchObject([{ fingerprint }]);
  });
});

describe('what is private', () => {
  it('is not found: a private Mark, private content, a failed registration, at once', async () => {
    const bytes = await png(10);
    const secret = await upload(owner, secretMark, bytes);
    expect(secret.metadata.pHash).toMatch(/^0x/);
    const [codes, mark] = [newCodes(), (await createMark(service, owner, {})).body];
    const { id, fingerprint } = await registerCodes(owner, mark.id, codes);
    await awaitFound([codes], fingerprint);
    expect(await askFile(bytes)).toEqual([]);
    const setContent = (contentVisibility: string) =>
      call(service, 'PUT', `/api/v1/artifacts/${fingerprint}/visibility`, { ...owner, body: { contentVisibility } });
    const setMark = (visibility: string) =>
      call(service, 'PUT', `/api/v1/marks/${mark.id}`, { ...owner, body: { visibility } });
    await setContent('private');
    expect(await ask([codes], { maxDistance: 12 })).toEqual([]);
    await setContent('public');
    expect(await ask([codes])).toHaveLength(1);
    await setMark('private');
    expect(await ask([codes], { maxDistance: 12 })).toEqual([]);
    expect((await registerCodes(other, otherMark, codes)).similarTo).toBeUndefined();
    await setMark('public');
    await expect.poll(async () => (await ask([codes])).length).toBe(2);
    await run("update artifacts set status = 3, error_reason = 'gone' where id = $1", [id]);
    expect(await ask([codes])).toHaveLength(1);
  });

  it('shows no code of private content, and none in published files', async () => {
    const codes = { ...newCodes(), pHashCenter90: newCode(), pHashCenter80: newCode() };
    const { id, fingerprint, metadata } = await registerCodes(owner, openMark, codes);
    expect(metadata).toMatchObject({ ...codes, hashesBy: 'client' });
    const files = Buffer.concat(Object.values(await fetchPublishedFiles(service, id)));
    for (const code of Object.values(codes)) {
      expect(files.includes(code.slice(2)) || files.includes(Buffer.from(code.slice(2), 'hex'))).toBe(false);
    }
    const body = { contentVisibility: 'private' };
    await call(service, 'PUT', `/api/v1/artifacts/${fingerprint}/visibility`, { ...owner, body });
    const shown = JSON.stringify((await getArtifact(service, other, fingerprint)).body);
    for (const code of Object.values(codes)) expect(shown).not.toContain(code);
    expect((await getArtifact(service, owner, fingerprint)).body.metadata).toEqual(metadata);
  });

  it('does not hide what is public behind it', async () => {
    const codes = newCodes();
    const mark = (await createMark(service, owner, {})).body;
    const artifacts = Array.from({ length: 70 }, () => newArtifact({ markId: mark.id, ...codes }));
    const batch = await call(service, 'POST', '/api/v1/artifacts/batch', { ...owner, body: { artifacts } });
    expect(batch.body.results.filter(({ status }: { status: number }) => status === 201)).toHaveLength(70);
    const { fingerprint } = await registerCodes(other, otherMark, { ...codes, pHash: flip(codes.pHash, 7) });
    await call(service, 'PUT', `/api/v1/marks/${mark.id}`, { ...owner, body: { visibility: 'private' } });
    await awaitFound([codes], fingerprint);
    expect(await ask([codes], { limit: 1 })).toMatchObject([{ fingerprint, distance: 7 }]);
  });
});

describe('a registration with codes', () => {
  it.each<[string, () => object, object]>([
    ['under a private Mark', () => ({ markId: secretMark }), { pHash: '0x00000000000000ff' }],
    ['without pHash', () => ({}), { dHash: '0x00000000000000ff' }],
    ['of the middle alone', () => ({}), { pHashCenter80: '0x00000000000000ff' }],
    ['with all bits equal', () => ({}), { pHash: '0xffffffffffffffff' }],
    ['of a Chromaprint that cannot be read', () => ({}), { chromaprint: 'AQAAAzzz' }],
    ['that are numbers', () => ({}), { pHash: 255 }],
  ])('is refused %s, and nothing changes', async (_, fields, codes) => {
    const item = { ...newArtifact({ markId: openMark }), ...fields(), ...codes };
    expect(statusAndCode(await createArtifact(service, owner, item))).toEqual([400, 'BAD_REQUEST']);
    const batch = await call(service, 'POST', '/api/v1/artifacts/batch', { ...owner, body: { artifacts: [item] } });
    expect(batch.body.results).toMatchObject([{ status: 400, code: 'BAD_REQUEST' }]);
    expect((await getArtifact(service, owner, item.fingerprint)).status).toBe(404);
    await expectConsistentStorage(service);
  });

  it('counts them as the client’s word, unless the service reads the file', async () => {
    const [bytes, codes] = [await png(20), newCodes()];
    const { metadata } = await upload(owner, openMark, bytes, codes);
    expect(metadata.hashesBy).toBe('service');
    expect(metadata.pHash).not.toBe(codes.pHash);
    // Someone claims the codes of that image for another file.
    const { pHash, dHash } = metadata;
    const forged = await registerCodes(other, otherMark, { pHash, dHash });
    expect(forged.metadata).toMatchObject({ pHash, dHash, hashesBy: 'client' });
    await awaitFound([{ pHash, dHash }], forged.fingerprint);
    expect(await ask([{ pHash, dHash }])).toMatchObject([{ hashesBy: 'service' }, { hashesBy: 'client' }]);
  });
});

describe('similarTo', () => {
  it('names older, near-identical Artifacts of other Marks in every form of registration', async () => {
    const bytes = await png(30);
    const first = await upload(owner, openMark, bytes);
    expect(first.similarTo).toBeUndefined();
    const { pHash, dHash } = first.metadata;
    await awaitFound([{ pHash, dHash }], first.fingerprint);
    const similarTo = [
      {
        fingerprint: first.fingerprint,
        mark: { id: openMark, name: 'Open' },
        distance: 0,
        grade: 'near-identical',
        hashesBy: 'service',
        registeredAt: first.createdAt,
      },
    ];
    const near = { pHash, dHash };
    expect((await registerCodes(owner, openMark, near)).similarTo).toBeUndefined();
    const far = { pHash: flip(pHash, 8), dHash };
    expect((await registerCodes(other, otherMark, far)).similarTo).toBeUndefined();

    const request = newArtifact({ markId: otherMark, ...near });
    const key = { key: `similar-${newFingerprint()}` };
    const created = await createArtifact(service, other, request, key);
    expect(created.body.similarTo?.[0]).toEqual(similarTo[0]);
    expect((await createArtifact(service, other, request, key)).body).toEqual(created.body);
    const changed = { ...request, dHash: flip(dHash, 1) };
    expect(statusAndCode(await createArtifact(service, other, changed, key))).toEqual([409, 'CONFLICT']);
    expect((await getArtifact(service, other, request.fingerprint)).body.similarTo).toBeUndefined();

    const manifest = await registerCodes(other, otherMark, near, '/api/c2pa/manifests');
    expect(manifest.similarTo?.[0]).toEqual(similarTo[0]);
    const artifacts = [newArtifact({ markId: otherMark, ...near })];
    const batch = await call(service, 'POST', '/api/v1/artifacts/batch', { ...other, body: { artifacts } });
    expect(batch.body.results[0].artifact.similarTo?.[0]).toEqual(similarTo[0]);
    // The registrant of a private Mark is warned too, if the service read the file.
    const hidden = (await createMark(service, other, { visibility: 'private' })).body.id;
    const copy = await picture(30).webp({ quality: 90 }).toBuffer();
    const warned = await upload(other, hidden, copy);
    expect(warned.similarTo.map((similar: { fingerprint: string }) => similar.fingerprint)).toContain(
      first.fingerprint,
    );
    expect(warned.similarTo.length).toBeLessThanOrEqual(5);
  });
});

describe('the list of a Mark', () => {
  it('shows those with write access what others registered, page by page', async () => {
    const mark = (await createMark(service, owner, { name: 'Watched' })).body.id;
    const [one, two, middle] = [newCodes(), newCodes(), newCode()];
    const mine = [
      await registerCodes(owner, mark, { ...one, pHashCenter80: middle }),
      (await createArtifact(service, owner, newArtifact({ markId: mark }))).body,
      await registerCodes(owner, mark, { ...two, filename: 'two.jpg' }),
      await registerCodes(owner, mark, two),
    ];
    const theirs = [
      // As a small crop of it would have.
      await registerCodes(other, otherMark, { pHash: flip(middle, 5), dHash: flip(one.dHash, 12) }),
      await registerCodes(other, otherMark, two),
    ];
    await awaitFound([{ pHash: middle }], theirs[0].fingerprint);
    await awaitFound([two], theirs[1].fingerprint);
    const pages = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await listMark(owner, mark, `?limit=1${cursor}`);
      expect(status).toBe(200);
      for (const item of body.lookalikes) expect(Value.Errors(MarkLookalike, item)).toEqual([]);
      pages.push(body.lookalikes);
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    const found = (own: { fingerprint: string }, their: { fingerprint: string }, distance: number) => ({
      artifact: { fingerprint: own.fingerprint },
      fingerprint: their.fingerprint,
      mark: { id: otherMark, name: 'Other' },
      distance,
    });
    expect(pages).toMatchObject([
      [found(mine[3], theirs[1], 0)],
      [found(mine[2], theirs[1], 0)],
      [],
      [found(mine[0], theirs[0], 5)],
    ]);
    expect((await listMark(owner, mark)).body.lookalikes).toEqual(pages.flat());
    expect((await listMark(owner, mark, '?maxDistance=0')).body.lookalikes).toEqual(pages.slice(0, 2).flat());

    expect(statusAndCode(await listMark(other, mark))).toEqual([403, 'FORBIDDEN']);
    expect(statusAndCode(await listMark(owner, mark, `?cursor=${theirs[0].id}`))).toEqual([400, 'BAD_REQUEST']);
    await call(service, 'PUT', `/api/v1/marks/${otherMark}`, { ...other, body: { visibility: 'private' } });
    expect((await listMark(owner, mark)).body).toEqual({ lookalikes: [], nextCursor: null });
  });
});
