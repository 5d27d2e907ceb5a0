// Creating Artifacts through HTTP: results, refusals and permissions.

import { aiPreferencesOf, canonicalJson } from '@provenance-registry/core';
import { createPublicClient, http, keccak256, toBytes } from 'viem';
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
  type CreationPath,
  createArtifact,
  creationPaths,
  expectConsistentStorage,
  fetchPublishedFiles,
  getArtifact,
  listPublishedFiles,
  newArtifact,
  newFingerprint,
  type Registry,
  startRegistryWithStudio,
} from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { waitUntilSubmitted } from '../support/resolution.js';

let service: Registry;
let owner: TestUser;
let stranger: TestUser;
let member: TestUser;
let studio: string;
let key: { token: string };
let markId: string;
let studioMarkId: string;

beforeAll(async () => {
  ({ service, owner, stranger, member, studio, key, markId, studioMarkId } = await startRegistryWithStudio());
});

const body = (fields: Record<string, unknown> = {}) => newArtifact({ markId, ...fields });
const usage = async (caller: { token: string }, query = '') =>
  (await call(service, 'GET', `/api/tier/limits${query}`, { token: caller.token })).body.usage;
const reportOf = async (id: string) => JSON.parse(String((await fetchPublishedFiles(service, id)).json));

describe('registering a fingerprint', () => {
  it('returns 201 with the Artifact, signed, published and queued', async () => {
    const fields = body();
    const { status, body: artifact } = await createArtifact(service, owner, fields);
    expect(status).toBe(201);
    const { id } = artifact;
    const license = { name: expect.any(String), url: 'https://creativecommons.org/licenses/by/4.0/' };
    const author = { id: owner.id, name: owner.name };
    expect(artifact).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      fingerprint: fields.fingerprint,
      mark: {
        id: markId,
        name: 'Mark',
        visibility: 'public',
        license,
        licenseKey: 'CC-BY-4.0',
        allowAiTraining: false,
        aiPreferences: aiPreferencesOf({ allowAiTraining: false }),
        admin: author,
        owner: author,
        organization: null,
        createdAt: expect.any(String),
        isClosed: false,
        verifiedDomains: [],
        artifactCount: expect.any(Number),
        namesakeCount: expect.any(Number),
        representedBy: null,
      },
      status: 'pending',
      errorReason: null,
      transactionHash: null,
      renditions: [],
      metadata: {
        filename: 'sunrise.jpg',
        mediaType: null,
        size: null,
        kind: 'other',
        license,
        licenseKey: 'CC-BY-4.0',
        allowAiTraining: false,
        author,
        mark: { id: markId, name: 'Mark' },
      },
      createdBy: author,
      license,
      licenseKey: 'CC-BY-4.0',
      allowAiTraining: false,
      aiPreferences: aiPreferencesOf({ allowAiTraining: false }),
      contentVisibility: 'public',
      fileSeen: false,
      authorshipStated: false,
      verifiedDomains: [],
      domainsAtRegistration: [],
      claims: { contested: false, open: 0, checked: 0, supersededBy: null },
      c2paAssets: {
        assetId: id,
        manifestUrl: `${service.url}/cdn/${id}.json`,
        manifestBinaryUrl: `${service.url}/cdn/${id}.c2pa`,
        signedAssetUrl: `${service.url}/cdn/${id}.png`,
      },
      createdAt: expect.stringMatching(/Z$/),
      log: { status: 'pending' },
    });
    const { json, png } = await fetchPublishedFiles(service, id);
    const report = JSON.parse(String(json));
    expect(report.active_manifest).toBe(`urn:c2pa:${id}`);
    expect(report).not.toHaveProperty('validation_state');
    expect(report.validation_results.activeManifest.failure).toEqual([]);
    expect(png.subarray(1, 4).toString()).toBe('PNG');
  });

  it('as a manifest returns what a lookup needs', async () => {
    const fields = body();
    const { status, body: result } = await createArtifact(service, owner, fields, { path: '/api/c2pa/manifests' });
    expect(status).toBe(201);
    const value = Buffer.from(fields.fingerprint.slice(2), 'hex').toString('base64');
    const files = `${service.url}/cdn/${result.manifestId}`;
    expect(result).toEqual({
      manifestId: expect.any(String),
      fingerprint: fields.fingerprint,
      softBinding: { alg: 'com.service.sha256', value },
      manifestUrl: `${files}.json`,
      manifestBinaryUrl: `${files}.c2pa`,
      signedAssetUrl: `${files}.png`,
      status: 'pending',
      transactionHash: null,
      createdAt: expect.any(String),
      log: { status: 'pending' },
    });
    const query = new URLSearchParams({ alg: 'com.service.sha256', value });
    const { body: found } = await call(service, 'GET', `/api/c2pa/matches/byBinding?${query}`);
    expect(found.matches).toMatchObject([{ manifestId: result.manifestId, similarityScore: 100 }]);
  });

  it('writes the keccak-256 of its metadata to the chain, where it can be compared', async () => {
    const fields = body({ filename: 'Grüße 日本 “1”.jpg', mediaType: 'image/jpeg', size: 9007199254740991 });
    await createArtifact(service, owner, { ...fields, lastModified: 1_700_000_000_123 });
    const { body: artifact } = await waitUntilSubmitted(service, owner.token, fields);
    expect(artifact.transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(artifact.metadata).toEqual({
      filename: 'Grüße 日本 “1”.jpg',
      mediaType: 'image/jpeg',
      size: 9007199254740991,
      kind: 'image',
      license: artifact.license,
      licenseKey: 'CC-BY-4.0',
      allowAiTraining: false,
      author: { id: owner.id, name: owner.name },
      mark: { id: markId, name: 'Mark' },
      lastModified: '2023-11-14T22:13:20.123Z',
    });
    const { body: contract } = await call(service, 'GET', '/c2pa/contract');
    const client = createPublicClient({ transport: http(service.settings['RPC_URL']) });
    const entry = await client.readContract({
      address: contract.address,
      abi: contract.abi,
      functionName: 'resolveByBindingDetailed',
      args: [fields.fingerprint],
    });
    expect(entry).toEqual([
      1,
      [`${service.url}/api/c2pa`],
      artifact.id,
      keccak256(toBytes(canonicalJson(artifact.metadata))),
      expect.stringMatching(/^0x/),
      expect.any(BigInt),
    ]);
  });

  it.each([
    ['milliseconds', 1_700_000_000_123, '2023-11-14T22:13:20.123Z'],
    ['milliseconds as text', '1700000000123', '2023-11-14T22:13:20.123Z'],
    ['ISO 8601', '2023-11-14T22:13:20Z', '2023-11-14T22:13:20.000Z'],
    ['ISO 8601 with a zone', '2023-11-14T23:13:20.5+01:00', '2023-11-14T22:13:20.500Z'],
    ['ISO 8601 without a zone', '2023-11-14T22:13', '2023-11-14T22:13:00.000Z'],
    ['a day', '2023-11-14', '2023-11-14T00:00:00.000Z'],
  ])('accepts lastModified as %s', async (_, lastModified, expected) => {
    const { body: artifact } = await createArtifact(service, owner, body({ lastModified }));
    expect(artifact.metadata.lastModified).toBe(expected);
  });

  it.each([
    ['as JSON', {}],
    ['as a manifest', { path: '/api/c2pa/manifests' as CreationPath }],
  ])('links the previous version as the parent in the manifest, %s', async (_, options) => {
    const before = body();
    const { body: first } = await createArtifact(service, owner, before);
    const { body: second } = await createArtifact(
      service,
      owner,
      body({ previousFingerprint: before.fingerprint }),
      options,
    );
    const report = await reportOf(second.id ?? second.manifestId);
    const { ingredients } = report.manifests[report.active_manifest];
    expect(ingredients).toMatchObject([{ relationship: 'parentOf', active_manifest: `urn:c2pa:${first.id}` }]);
  });

  it('has the license and preference that the Mark had at that time', async () => {
    const { body: mark } = await createMark(service, owner, { license: 'MIT', allowAiTraining: null });
    const fields = body({ markId: mark.id });
    const { body: made } = await createArtifact(service, owner, fields);
    await call(service, 'PUT', `/api/v1/marks/${mark.id}`, {
      token: owner.token,
      body: { license: 'CC0-1.0', allowAiTraining: true, name: 'Renamed' },
    });
    const { body: artifact } = await getArtifact(service, stranger, fields.fingerprint);
    expect(artifact).toMatchObject({ licenseKey: 'MIT', allowAiTraining: null, mark: { licenseKey: 'CC0-1.0' } });
    expect(artifact.metadata).toEqual(made.metadata);
  });

  it.each([
    ['a Unicode name', 'Ünï — 写真 👩‍🚀.jpg'],
    ['a path', '../../../etc/passwd'],
    ['a Windows path', 'C:\\fakepath\\..\\sunrise.jpg'],
    ['markup', '<script>alert(1)</script>"\'.jpg'],
    ['1024 characters', '👩'.repeat(1024)],
  ])('stores %s as the filename, and opens no file with it', async (_, filename) => {
    const fields = body({ filename });
    const { status, body: artifact } = await createArtifact(service, owner, fields);
    expect(status).toBe(201);
    expect((await getArtifact(service, stranger, fields.fingerprint)).body.metadata.filename).toBe(filename);
    const report = await reportOf(artifact.id);
    expect(report.manifests[report.active_manifest].title).toBe(filename);
    await expectConsistentStorage(service);
  });
});

describe('a manifest', () => {
  it('is created with unknown fields, which are ignored, also those that the server uses internally', async () => {
    const path = '/api/c2pa/manifests';
    const responses = [];
    for (let time = 0; time < 2; time += 1) {
      const fields = body({ idempotencyKey: 'x', embed: true, file: 'x', id: studio });
      responses.push(await createArtifact(service, owner, fields, { path }));
    }
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    const nested = `${'['.repeat(8)}${']'.repeat(8)}`;
    const { status } = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'nested',
      },
      body: `${JSON.stringify(body({ idempotencyKey: { a: [1] } })).slice(0, -1)},"nested":${nested}}`,
    });
    expect(status).toBe(201);
  });
});

describe('a creation is refused and leaves nothing behind', () => {
  /** Bodies that are 400. */
  const badBodies: [string, () => unknown][] = [
    ['without a markId', () => body({ markId: undefined })],
    ['with an invalid markId', () => body({ markId: 'x' })],
    ['without a fingerprint', () => body({ fingerprint: undefined })],
    ['with a fingerprint in upper case', () => body({ fingerprint: `0x${'AB'.repeat(32)}` })],
    ['with a bare digest', () => body({ fingerprint: newFingerprint().slice(2) })],
    ['with a fingerprint and a line break', () => body({ fingerprint: `${newFingerprint()}\n` })],
    ['without a filename', () => body({ filename: undefined })],
    ['with an empty filename', () => body({ filename: '' })],
    ['with a NUL in the filename', () => body({ filename: 'a\u0000b' })],
    ['with a lone surrogate', () => body({ filename: 'a\ud800' })],
    ['with a filename of 1025 characters', () => body({ filename: 'a'.repeat(1025) })],
    ['with a filename that reads backwards', () => body({ filename: 'a\u202Egpj.exe' })],
    ['with an isolate in the filename', () => body({ filename: 'a\u2066b' })],
    ['with 32 zero bytes', () => body({ fingerprint: `0x${'0'.repeat(64)}` })],
    ['with a media type that is none', () => body({ mediaType: 'a photo' })],
    ['with a day that does not exist', () => body({ lastModified: '2026-02-30' })],
    ['with a negative size', () => body({ size: -1 })],
    ['with a size that is a string', () => body({ size: '12' })],
    ['with a fractional size', () => body({ size: 1.5 })],
    ['with a time in words', () => body({ lastModified: 'hello 1' })],
    ['with a time that does not exist', () => body({ lastModified: '2023-13-40' })],
    ['with a negative time', () => body({ lastModified: -1 })],
    ['with a time that is out of range', () => body({ lastModified: '8640000000000001' })],
    ['with a time in the year 10000', () => body({ lastModified: 253_402_300_800_000 })],
    ['with a time before the year 0', () => body({ lastModified: '0000-01-01T00:00:00+01:00' })],
    ['with an unknown previous version', () => body({ previousFingerprint: newFingerprint() })],
    ['with an array as the body', () => []],
    ['with null as the body', () => null],
    ['with __proto__ in the body', () => JSON.parse('{"__proto__": {"a": 1}}')],
  ];
  type Case = [string, () => Promise<{ caller?: { token: string }; fields: unknown; is: [number, string] }>];
  const cases: Case[] = [
    ['without a token', async () => ({ caller: { token: '' }, fields: body(), is: [401, 'UNAUTHORIZED'] })],
    ['by a stranger', async () => ({ caller: stranger, fields: body(), is: [403, 'FORBIDDEN'] })],
    [
      'by a stranger to the organization',
      async () => ({ caller: stranger, fields: body({ markId: studioMarkId }), is: [403, 'FORBIDDEN'] }),
    ],
    [
      'by a key of another organization',
      async () => ({ caller: key, fields: body(), is: [403, 'API_KEY_ORG_MISMATCH'] }),
    ],
    ['under an unknown Mark', async () => ({ fields: body({ markId: randomUUID() }), is: [404, 'NOT_FOUND'] })],
    [
      'for a fingerprint that the same caller has registered',
      async () => {
        const fields = body();
        expect((await createArtifact(service, owner, fields)).status).toBe(201);
        return { fields, is: [409, 'CONFLICT'] };
      },
    ],
    [
      'for a fingerprint that another caller has registered',
      async () => {
        const fields = body();
        expect((await createArtifact(service, owner, fields)).status).toBe(201);
        const mark = (await createMark(service, stranger)).body.id;
        return { caller: stranger, fields: { ...fields, markId: mark }, is: [409, 'CONFLICT'] };
      },
    ],
    ...badBodies.map(([name, fields]): Case => [name, async () => ({ fields: fields(), is: [400, 'BAD_REQUEST'] })]),
  ];

  it.each(cases)('%s', async (_, prepare) => {
    const { caller = owner, fields, is } = await prepare();
    const before = { files: await listPublishedFiles(service), used: await usage(owner), studio: await usage(key) };
    for (const path of creationPaths) {
      const response = await createArtifact(service, caller, fields, { path });
      expect(statusAndCode(response)).toEqual(is);
      expect(response.body).toMatchObject({ error: expect.any(String), code: is[1] });
    }
    expect(await listPublishedFiles(service)).toEqual(before.files);
    expect(await usage(owner)).toEqual(before.used);
    expect(await usage(key)).toEqual(before.studio);
  });

  it.each(creationPaths)('without any body (%s)', async (path) => {
    expect(statusAndCode(await call(service, 'POST', path, { token: owner.token }))).toEqual([400, 'BAD_REQUEST']);
    const empty = { token: owner.token, headers: { 'content-type': 'application/json' } };
    expect(statusAndCode(await call(service, 'POST', path, empty))).toEqual([400, 'BAD_REQUEST']);
  });

  it.each(creationPaths)('with another type of body (%s)', async (path) => {
    const headers = { 'content-type': 'text/plain' };
    const response = await call(service, 'POST', path, { token: owner.token, body: body(), headers });
    expect(statusAndCode(response)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('while its organization is frozen; it works again afterwards', async () => {
    const boss = await createUser(service, 'enterprise');
    const house = await createOrganization(service, boss);
    const houseMark = (await createMark(service, boss, { organizationId: house })).body.id;
    const houseKey = { token: (await createApiKey(service, boss, house)).body.token };
    await changeTier(service, boss, 'creator');
    const before = await listPublishedFiles(service);
    for (const path of creationPaths) {
      const fields = body({ markId: houseMark });
      expect(statusAndCode(await createArtifact(service, boss, fields, { path }))).toEqual([403, 'TIER_RESTRICTION']);
      expect(statusAndCode(await createArtifact(service, houseKey, fields, { path }))).toEqual([
        401,
        'WORKSPACE_FROZEN',
      ]);
    }
    expect(await listPublishedFiles(service)).toEqual(before);
    await changeTier(service, boss, 'enterprise');
    expect((await createArtifact(service, houseKey, body({ markId: houseMark }))).status).toBe(201);
    expect(await usage(houseKey)).toMatchObject({ dailyArtifacts: 1, lifetimeArtifacts: 1 });
  });
});

describe('creating is allowed', () => {
  it('to members of the organization, to its API keys as its owner, and to members of the Mark', async () => {
    const { body: byMember } = await createArtifact(service, member, body({ markId: studioMarkId }));
    expect(byMember.createdBy).toEqual({ id: member.id, name: member.name });
    const { body: byKey } = await createArtifact(service, key, body({ markId: studioMarkId }));
    expect(byKey.createdBy).toEqual({ id: owner.id, name: owner.name });
    const guest = await createUser(service);
    expect(statusAndCode(await createArtifact(service, guest, body()))).toEqual([403, 'FORBIDDEN']);
    await addMarkMember(service, owner, markId, guest);
    const before = await usage(owner);
    expect((await createArtifact(service, guest, body())).status).toBe(201);
    expect((await usage(owner)).lifetimeArtifacts).toBe(before.lifetimeArtifacts + 1);
    expect((await usage(guest)).lifetimeArtifacts).toBe(0);
  });
});

it('In the end, files, tables and counters agree', async () => {
  await expectConsistentStorage(service);
});
