// Signed images are renditions of their Artifact: recorded before they are returned, found like the original, and on chain. One
// that is not intact is never recorded.

import { createJsonRpcClient, readEntry } from '@provenance-registry/chain-client';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  fieldParts,
  filePart,
  fingerprintOf,
  formBody,
  getArtifact,
  listPublishedFiles,
  type Part,
  sendForm,
  startRegistryWithStudio,
} from '../../../../test/support/artifacts.js';
import { toTestFile } from '../../../../test/support/files.js';
import { createTrustingReader } from '../../../../test/support/manifestReader.js';
import { query } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import type { ManifestReader } from '../../src/c2pa/reading/manifestReader.js';
import { lookUp, waitUntilSubmitted } from '../support/resolution.js';

type Token = Pick<TestUser, 'token'>;

let { service, owner, stranger, member, studio, key, markId, studioMarkId } = {} as Awaited<
  ReturnType<typeof startRegistryWithStudio>
>;
let reader: ManifestReader;

beforeAll(async () => {
  ({ service, owner, stranger, member, studio, key, markId, studioMarkId } = await startRegistryWithStudio());
  reader = await createTrustingReader(service.dataDir);
});

/** A picture that is not registered yet. */
const newPicture = () =>
  sharp(randomBytes(24 * 16 * 3), { raw: { width: 24, height: 16, channels: 3 } })
    .png()
    .toBuffer();

/** Registers the picture; with `image/*` the response is the signed image. */
function register(
  picture: Uint8Array,
  { as = owner, mark = markId, accept = 'image/*', idempotencyKey, fields = {} }: Registration = {},
) {
  const parts = [...fieldParts({ markId: mark, filename: 'sunrise.png', ...fields }), filePart(picture, 'sunrise.png')];
  const headers = { accept, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) };
  return sendForm(service, as, parts, { path: '/api/c2pa/manifests', headers });
}

interface Registration {
  readonly as?: Token;
  readonly mark?: string;
  readonly accept?: string;
  readonly idempotencyKey?: string;
  readonly fields?: Record<string, string>;
}

async function signCopy(
  picture: Uint8Array,
  { as = owner, of = fingerprintOf(picture), parts }: { as?: Token; of?: string; parts?: Part[] } = {},
) {
  const path = `/api/v1/artifacts/${of}/signed-copy` as const;
  return sendForm(service, as, formBody(parts ?? [filePart(picture, 'sunrise.png')]), { path });
}

const read = async (fingerprint: string, as: Token = owner) => (await getArtifact(service, as, fingerprint)).body;
const usage = async () => (await call(service, 'GET', '/api/tier/limits', { token: owner.token })).body.usage;
const refusal = ({ status, body }: { status: number; body: { code?: string; error?: string } }) => [status, body.code];

describe('a signed image', () => {
  it('leads to its Artifact everywhere, and reaches the chain under the same manifest id', async () => {
    const picture = await newPicture();
    const before = await usage();
    const { status, bytes } = await register(picture);
    expect(status).toBe(201);
    const copy = toTestFile(Buffer.from(bytes));
    const artifact = await read(copy.fingerprint);
    expect(artifact.id).toBe((await read(fingerprintOf(picture))).id);
    expect(artifact.fingerprint).toBe(fingerprintOf(picture));
    expect(artifact.renditions).toEqual([
      {
        fingerprint: copy.fingerprint,
        kind: 'signed-image',
        mediaType: 'image/png',
        status: expect.any(String),
        transactionHash: expect.toBeOneOf([null, expect.stringMatching(/^0x/)]),
        createdAt: artifact.createdAt,
      },
    ]);
    expect((await lookUp(service, copy.value)).body.matches).toMatchObject([{ manifestId: artifact.id }]);
    // One registration counts, whatever is signed of it.
    expect(await usage()).toEqual({
      ...before,
      dailyArtifacts: before.dailyArtifacts + 1,
      lifetimeArtifacts: before.lifetimeArtifacts + 1,
    });
    const { body: list } = await call(service, 'GET', `/api/v1/marks/${markId}/artifacts`, { token: owner.token });
    expect(list.artifacts.filter(({ id }: { id: string }) => id === artifact.id)).toHaveLength(1);
    expect(list.artifacts.map((one: { fingerprint: string }) => one.fingerprint)).not.toContain(copy.fingerprint);

    await waitUntilSubmitted(service, owner.token, copy);
    await expect.poll(async () => (await read(copy.fingerprint)).renditions[0].status).toBe('submitted');
    const { transactionHash, renditions } = await read(copy.fingerprint);
    expect(renditions[0].transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(renditions[0].transactionHash).not.toBe(transactionHash);
    const node = createJsonRpcClient({ url: String(service.settings['RPC_URL']) });
    const { address } = (await call(service, 'GET', '/c2pa/contract')).body;
    const entries = await Promise.all(
      [artifact.fingerprint, copy.fingerprint].map((fingerprint) => readEntry(node, address, fingerprint)),
    );
    expect(entries[1]).toMatchObject({ source: 'curated', manifestId: artifact.id });
    expect(entries[1]?.manifestHash).toBe(entries[0]?.manifestHash);
  });

  it('is made for each of eight pictures sent at once, and for that of another user', async () => {
    const { body: mark } = await createMark(service, stranger);
    const [other = new Uint8Array(), ...own] = await Promise.all(Array.from({ length: 9 }, newPicture));
    const requests = [...own.map((picture) => register(picture)), register(other, { as: stranger, mark: mark.id })];
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 201));
  });

  it('cannot be registered by anyone, in any way', async () => {
    const { bytes } = await register(await newPicture());
    const strangersMark = (await createMark(service, stranger)).body.id;
    const fingerprint = fingerprintOf(bytes);
    for (const response of [
      await register(bytes),
      await register(bytes, { accept: 'application/json' }),
      await register(bytes, { as: stranger, mark: strangersMark }),
      await createArtifact(service, stranger, { markId: strangersMark, fingerprint, filename: 'mine.png' }),
    ]) {
      expect(refusal(response)).toEqual([409, 'CONFLICT']);
      expect(response.body.error).toMatch(/signed copy/);
    }
    expect((await read(fingerprint)).renditions).toHaveLength(1);
  });
});

describe('a file that carries a manifest of this service', () => {
  it('is refused under another Mark, and has it as its parent under the same', async () => {
    const { bytes } = await register(await newPicture(), { accept: 'application/json' });
    const { signedAssetUrl } = JSON.parse(String(bytes));
    const card = Buffer.from(await (await fetch(signedAssetUrl)).arrayBuffer());
    const strangersMark = (await createMark(service, stranger)).body.id;
    const refused = await register(card, { as: stranger, mark: strangersMark, accept: 'application/json' });
    expect(refusal(refused)).toEqual([409, 'CONFLICT']);
    expect(refused.body.error).toMatch(/another Mark/);
    const accepted = await register(card, { accept: 'application/json' });
    expect(accepted.status).toBe(201);
    const published = activeManifest((await (await fetch(accepted.body.manifestUrl)).json()) as Report);
    expect(published?.ingredients).toMatchObject([{ relationship: 'parentOf' }]);
    const copy = await manifestIn((await signCopy(card)).bytes);
    expect(copy?.ingredients).toMatchObject([{ relationship: 'parentOf' }]);
  });
});

describe('a signed copy of a registered image', () => {
  it('is returned and recorded for every writer of the Mark, three times at most', async () => {
    const picture = await newPicture();
    expect((await register(picture, { accept: 'application/json', mark: studioMarkId })).status).toBe(201);
    const copies = [];
    for (const as of [owner, member, key]) {
      const { status, headers, bytes } = await signCopy(picture, { as });
      expect([status, headers.get('content-type')]).toEqual([201, 'image/png']);
      const artifact = await read(fingerprintOf(bytes));
      expect(headers.get('location')).toBe(`${service.url}/api/v1/artifacts/${fingerprintOf(picture)}`);
      expect(headers.get('link')).toBe(`<${artifact.c2paAssets.manifestUrl}>; rel="c2pa-manifest"`);
      copies.push(fingerprintOf(bytes));
      expect(artifact.renditions.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).toEqual(copies);
    }
    const fourth = await signCopy(picture);
    expect(refusal(fourth)).toEqual([409, 'CONFLICT']);
    expect(fourth.body.error).toBe('The Artifact has 3 signed copies already.');
  });

  it('is given out three times when many are requested at once', async () => {
    const picture = await newPicture();
    await register(picture, { accept: 'application/json' });
    const responses = await Promise.all(Array.from({ length: 4 }, () => signCopy(picture)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409]);
    const received = responses.filter(({ status }) => status === 201).map(({ bytes }) => fingerprintOf(bytes));
    const { renditions } = await read(fingerprintOf(picture));
    expect(renditions.map(({ fingerprint }: { fingerprint: string }) => fingerprint).sort()).toEqual(received.sort());
  });

  it('is refused to callers who may not write, for other files, and for what cannot be signed', async () => {
    const picture = await newPicture();
    const text = Buffer.from(`just words ${randomBytes(8).toString('hex')}`);
    const large = Buffer.concat([await newPicture(), Buffer.alloc(32 * 1024 * 1024)]);
    await register(picture, { accept: 'application/json' });
    for (const file of [text, large]) await register(file, { accept: 'application/json' });
    const of = fingerprintOf(picture);
    const copy = (await signCopy(picture)).bytes;
    expect(refusal(await signCopy(picture, { as: stranger }))).toEqual([403, 'FORBIDDEN']);
    expect(refusal(await signCopy(picture, { as: key }))).toEqual([403, 'API_KEY_ORG_MISMATCH']);
    expect(refusal(await signCopy(await newPicture()))).toEqual([404, 'NOT_FOUND']);
    expect(refusal(await signCopy(await newPicture(), { of }))).toEqual([400, 'BAD_REQUEST']);
    expect(refusal(await signCopy(copy))).toEqual([400, 'BAD_REQUEST']);
    expect(refusal(await signCopy(picture, { parts: fieldParts({ note: 'no file' }) }))).toEqual([400, 'BAD_REQUEST']);
    expect(refusal(await signCopy(text))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(refusal(await signCopy(large))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    await query(service.databaseUrl, `update organizations set status = 'frozen' where id = $1`, [studio]);
    const frozen = await newPicture();
    expect((await read(of)).renditions).toHaveLength(1);
    await query(service.databaseUrl, `update organizations set status = 'active' where id = $1`, [studio]);
    await register(frozen, { mark: studioMarkId, accept: 'application/json' });
    await query(service.databaseUrl, `update organizations set status = 'frozen' where id = $1`, [studio]);
    expect(refusal(await signCopy(frozen))).toEqual([403, 'TIER_RESTRICTION']);
    await query(service.databaseUrl, `update organizations set status = 'active' where id = $1`, [studio]);
    expect((await read(fingerprintOf(frozen))).renditions).toEqual([]);
  });

  it('states what the published manifest states, whatever has been renamed since', async () => {
    const data_mining = { use: 'constrained', constraint: 'Ask first.' };
    const terms = { license: 'CC-BY-4.0', allowAiTraining: false, aiPreferences: { data_mining } };
    const mark = (await createMark(service, owner, { name: 'Before', ...terms })).body;
    const picture = await newPicture();
    await register(picture, {
      mark: mark.id,
      accept: 'application/json',
      fields: { digitalSourceType: 'digitalCapture' },
    });
    const changes = { name: 'After', license: 'MIT', allowAiTraining: true };
    // The next version of the file, under the same Mark.
    const next = await newPicture();
    const fields = { previousFingerprint: fingerprintOf(picture) };
    await register(next, { mark: mark.id, accept: 'application/json', fields });
    const renamed = await call(service, 'PUT', `/api/v1/marks/${mark.id}`, { token: owner.token, body: changes });
    expect(renamed.status).toBe(200);
    for (const file of [picture, next]) {
      const embedded = await manifestIn((await signCopy(file)).bytes);
      const { c2paAssets } = await read(fingerprintOf(file));
      const published = activeManifest((await (await fetch(c2paAssets.manifestUrl)).json()) as Report);
      expect(statementsOf(embedded)).toEqual(statementsOf(published));
      expect(JSON.stringify(embedded)).toMatch(/Ask first\..*Before/);
    }
    expect((await manifestIn((await signCopy(next)).bytes))?.ingredients).toHaveLength(1);
  });

  it('names nothing under a private Mark, nor what was private at registration', async () => {
    for (const [then, now] of [
      ['private', 'private'],
      ['public', 'private'],
      ['private', 'public'],
    ]) {
      const fields = { name: 'Secret project', visibility: then, license: 'CC-BY-4.0' };
      const mark = (await createMark(service, owner, fields)).body;
      const picture = await newPicture();
      await register(picture, { mark: mark.id, accept: 'application/json', fields: { filename: 'plan.png' } });
      await call(service, 'PUT', `/api/v1/marks/${mark.id}`, { token: owner.token, body: { visibility: now } });
      const { status, bytes } = await signCopy(picture);
      expect(status).toBe(201);
      for (const word of ['Secret project', 'plan.png', owner.name, mark.id]) expect(bytes.includes(word)).toBe(false);
    }
  });
});

describe('an image that cannot be signed', () => {
  /** XML knows no such ampersand, so that C2PA readers cannot read the file; browsers show it in a page. */
  const newUnreadable = () =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><text>Fish & ${randomBytes(8).toString('hex')}</text></svg>`);
  const isRefused = ({ status, body }: Awaited<ReturnType<typeof register>>) => {
    expect([status, body]).toEqual([
      400,
      { error: 'No reader would find a manifest in this image intact (no manifest found).', code: 'BAD_REQUEST' },
    ]);
  };
  const recorded = async () => {
    // Signed copies are Artifacts too, and what is in the outbox of the chain refers to one.
    const counts = ['artifacts', 'drafts', 'idempotency_keys'].map(
      (table) => `(select count(*) from ${table}) as ${table}`,
    );
    const [rows] = await query(service.databaseUrl, `select ${counts.join(', ')}`);
    return { rows, files: await listPublishedFiles(service), usage: await usage() };
  };

  it('is not registered if it was to be returned signed: nothing is recorded, and a retry without that works', async () => {
    const image = newUnreadable();
    const idempotencyKey = randomBytes(8).toString('hex');
    const before = await recorded();
    for (let attempt = 0; attempt < 2; attempt += 1) isRefused(await register(image, { idempotencyKey }));
    expect(await recorded()).toEqual(before);
    expect(refusal(await getArtifact(service, owner, fingerprintOf(image)))).toEqual([404, 'NOT_FOUND']);
    // Neither the key nor the fingerprint is taken.
    expect((await register(await newPicture(), { idempotencyKey })).status).toBe(201);
    expect((await register(image, { accept: 'application/json' })).status).toBe(201);
  });

  it('takes none of the signed copies of its Artifact, however often one is requested', async () => {
    const image = newUnreadable();
    await register(image, { accept: 'application/json' });
    const before = await recorded();
    for (let attempt = 0; attempt < 4; attempt += 1) isRefused(await signCopy(image));
    expect(await recorded()).toEqual(before);
    expect((await read(fingerprintOf(image))).renditions).toEqual([]);
  });
});

describe('an SVG with a byte order mark and metadata', () => {
  it('is returned intact, with what its metadata said', async () => {
    const note = randomBytes(8).toString('hex');
    const metadata = `<metadata id="m"><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">${note}</dc:title></metadata>`;
    const image = Buffer.from(`\ufeff<svg xmlns="http://www.w3.org/2000/svg"><g/>${metadata}</svg>`);
    const { status, headers, bytes } = await register(image);
    expect([status, headers.get('content-type')]).toEqual([201, 'image/svg+xml']);
    expect(((await reader.read('image/svg+xml', bytes)) as { validation_state: string }).validation_state).toBe(
      'Trusted',
    );
    expect(bytes.toString()).toContain(note);
    expect((await read(fingerprintOf(image))).renditions).toMatchObject([{ fingerprint: fingerprintOf(bytes) }]);
  });
});

interface Manifest {
  readonly title?: string;
  readonly ingredients?: readonly { readonly relationship: string; readonly active_manifest?: string }[];
  readonly assertions: readonly { readonly label: string; readonly data: unknown }[];
}
interface Report {
  readonly active_manifest: string;
  readonly manifests: Record<string, Manifest>;
}
const activeManifest = ({ manifests, active_manifest }: Report) => manifests[active_manifest];
const manifestIn = async (bytes: Uint8Array) => activeManifest((await reader.read('image/png', bytes)) as Report);
/** All but the bindings, which concern the bytes. */
const statementsOf = (manifest: Manifest | undefined) => ({
  title: manifest?.title,
  ingredients: manifest?.ingredients?.map(({ relationship, active_manifest }) => [relationship, active_manifest]),
  assertions: manifest?.assertions.filter(({ label }) => !/^c2pa\.(hash|soft-binding)/.test(label)),
});

describe('a retry with the same idempotency key', () => {
  it('takes one of the three signed copies, and none after them', async () => {
    const picture = await newPicture();
    const idempotencyKey = randomBytes(8).toString('hex');
    const responses = await Promise.all(Array.from({ length: 3 }, () => register(picture, { idempotencyKey })));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(responses.map(({ headers }) => headers.get('location'))).size).toBe(1);
    const { renditions } = await read(fingerprintOf(picture));
    const received = responses.map(({ bytes }) => fingerprintOf(bytes));
    expect(renditions.map(({ fingerprint }: { fingerprint: string }) => fingerprint).sort()).toEqual(received.sort());
    const fourth = await register(picture, { idempotencyKey });
    expect([refusal(fourth), fourth.body.error]).toEqual([[409, 'CONFLICT'], expect.stringMatching(/3 signed copies/)]);
    // Without an image, the first response is repeated as ever.
    expect((await register(picture, { idempotencyKey, accept: 'application/json' })).status).toBe(201);
  });
});
