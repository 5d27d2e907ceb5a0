// Images that are returned with their manifest embedded, checked by the reference implementation.

import { readdir } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { newFile, toTestFile } from '../../../../test/support/files.js';
import { createTrustingReader } from '../../../../test/support/manifestReader.js';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import {
  call,
  newDataFolder,
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../../../../test/support/service.js';
import { writableTypes } from '../../src/c2pa/containers/index.js';
import type { ManifestReader } from '../../src/c2pa/reading/manifestReader.js';
import { type EmbeddableType, embeddableImage, embeddableImages } from '../support/embeddableImages.js';
import { findFilesContaining, lookUp } from '../support/resolution.js';

let service: ServiceProcess;
let dataDir: string;
let temporaryFiles: string;
let databaseUrl: string;
let owner: TestUser;
let markId: string;
let images: Record<EmbeddableType, Buffer<ArrayBuffer>>;
let reader: ManifestReader;

beforeAll(async () => {
  dataDir = await newDataFolder();
  temporaryFiles = await temporaryFolder();
  databaseUrl = await createDatabase(inject('postgresUrl'));
  service = await startServiceProcess({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, TMPDIR: temporaryFiles });
  owner = await createUser(service, 'creator');
  markId = (await createMark(service, owner, { name: 'Ada Lovelace Photography' })).body.id;
  images = await embeddableImages();
  reader = await createTrustingReader(dataDir);
});

let shades = 7;
/** An image that is not registered yet. */
function newImage(type: EmbeddableType): Promise<Buffer<ArrayBuffer>> {
  shades += 2;
  return embeddableImage(type, shades);
}

interface Wishes {
  readonly accept?: string;
  readonly type?: string;
  readonly fields?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

async function send(bytes: Uint8Array<ArrayBuffer>, { accept, type, fields = {}, headers = {} }: Wishes = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ markId, ...fields })) form.append(name, value);
  form.append('file', new Blob([bytes], { ...(type !== undefined && { type }) }), 'picture');
  const response = await fetch(`${service.url}/api/c2pa/manifests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, ...(accept !== undefined && { accept }), ...headers },
    body: form,
  });
  const body = Buffer.from(await response.arrayBuffer());
  const mediaType = response.headers.get('content-type') ?? '';
  return { status: response.status, headers: response.headers, mediaType, body, json: () => JSON.parse(String(body)) };
}

/** About twenty megabytes. */
function largeImage(): Promise<Buffer<ArrayBuffer>> {
  const raw = { width: 2_600, height: 2_600, channels: 3 } as const;
  return sharp(randomBytes(raw.width * raw.height * raw.channels), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

/** Starts an upload, sends two megabytes of its file, and does not end it. */
async function beginUpload(): Promise<ClientRequest> {
  const upload = request(`${service.url}/api/c2pa/manifests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'multipart/form-data; boundary=part' },
  });
  // The test ends it by closing the connection.
  upload.on('error', () => {});
  upload.write('--part\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
  await new Promise((resolve) => upload.write(Buffer.alloc(2_000_000), resolve));
  return upload;
}

interface Report {
  readonly validation_state: string;
  readonly active_manifest: string;
  readonly manifests: Record<
    string,
    { title?: string; assertions: { label: string; data: unknown }[]; ingredients?: { relationship: string }[] }
  >;
}

async function read(type: string, bytes: Uint8Array) {
  const report = (await reader.read(type, bytes)) as Report;
  return { state: report.validation_state, manifest: report.manifests[report.active_manifest] };
}

const counts = async () => ({
  rows: await query(databaseUrl, 'select (select count(*) from artifacts) + (select count(*) from drafts) as rows'),
  files: (await readdir(join(dataDir, 'public'))).length,
});

describe.each(writableTypes)('%s', (type) => {
  it('is returned with its signed manifest embedded, and links to the manifest and the lookup', async () => {
    const original = images[type];
    const { fingerprint, value } = toTestFile(original);
    const response = await send(original, { accept: 'image/*', fields: { filename: 'sunrise' } });
    expect([response.status, response.mediaType]).toEqual([201, type]);
    const { state, manifest } = await read(type, response.body);
    expect(state).toBe('Trusted');
    expect(manifest?.title).toBe('sunrise');
    const binding = manifest?.assertions.find(({ label }) => label === 'c2pa.soft-binding')?.data;
    expect(binding).toMatchObject({ alg: 'com.service.sha256', blocks: [{ value }] });

    const [match] = (await lookUp(service, value)).body.matches;
    expect(response.headers.get('location')).toBe(`${service.url}/api/c2pa/manifests/${match.manifestId}`);
    const manifestUrl = `${service.url}/cdn/${match.manifestId}.json`;
    expect(response.headers.get('link')).toBe(`<${manifestUrl}>; rel="c2pa-manifest"`);
    expect(await (await fetch(manifestUrl)).json()).toMatchObject({ validation_state: 'Valid' });
    const { token } = owner;
    const { body: artifact } = await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, { token });
    expect(artifact).toMatchObject({
      id: match.manifestId,
      metadata: { kind: 'image', mediaType: type, size: original.length },
      c2paAssets: { signedAssetUrl: `${service.url}/cdn/${match.manifestId}.png` },
    });

    // The picture's data is in the upload and in the returned image, and nowhere on disk.
    const inside = Math.floor(original.length * 0.75);
    const piece = original.subarray(inside, inside + 24);
    expect(response.body.includes(piece)).toBe(true);
    expect(await findFilesContaining(dataDir, piece)).toEqual([]);
    expect(await readdir(temporaryFiles)).toEqual([]);
  });
});

describe('an image', () => {
  it.each([
    ['its own type', 'image/jpeg'],
    ['its own type in capitals', 'IMAGE/JPEG'],
    ['any image, preferably this type', 'image/jpeg, image/*;q=0.5'],
  ])('is returned to clients that accept %s', async (_, accept) => {
    const response = await send(await newImage('image/jpeg'), { accept });
    expect([response.status, response.mediaType]).toEqual([201, 'image/jpeg']);
  });

  it.each([
    ['nothing in particular', undefined],
    ['everything', '*/*'],
    ['JSON', 'application/json'],
    ['JSON or images', 'application/json, image/*'],
    ['what browsers accept', 'text/html,application/xhtml+xml,image/avif,image/webp,*/*;q=0.8'],
  ])('is not returned to clients that accept %s: they get JSON', async (_, accept) => {
    const image = await newImage('image/png');
    const { fingerprint, value } = toTestFile(image);
    const response = await send(image, { ...(accept !== undefined && { accept }) });
    expect([response.status, response.mediaType]).toEqual([201, 'application/json; charset=utf-8']);
    expect(response.json()).toMatchObject({
      fingerprint,
      softBinding: { alg: 'com.service.sha256', value },
      status: 'pending',
      transactionHash: null,
    });
    const { signedAssetUrl, manifestId } = response.json();
    expect(signedAssetUrl).toBe(`${service.url}/cdn/${manifestId}.png`);
  });

  it('is recognized by its bytes, whatever type the form states', async () => {
    const response = await send(await newImage('image/png'), { accept: 'image/*', type: 'text/plain' });
    expect([response.status, response.mediaType]).toEqual([201, 'image/png']);
  });

  it('keeps every pixel', async () => {
    const original = await newImage('image/png');
    const { body } = await send(original, { accept: 'image/*' });
    const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
    expect((await pixels(body)).equals(await pixels(original))).toBe(true);
    expect(body.length).toBeGreaterThan(original.length);
  });

  it('under a private Mark does not reveal its author', async () => {
    const secret = (await createMark(service, owner, { name: 'Secret project', visibility: 'private' })).body.id;
    const { body } = await send(await newImage('image/png'), {
      accept: 'image/*',
      fields: { markId: secret, filename: 'plan.png' },
    });
    expect((await read('image/png', body)).state).toBe('Trusted');
    for (const word of ['Secret project', 'plan.png', owner.name, secret]) expect(body.includes(word)).toBe(false);
  });

  it('is signed again for a retry with the same idempotency key', async () => {
    const image = await newImage('image/png');
    const wishes = { accept: 'image/*', headers: { 'idempotency-key': 'once more' } };
    const [first, second] = [await send(image, wishes), await send(image, wishes)];
    expect([second.status, second.mediaType]).toEqual([201, 'image/png']);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect((await read('image/png', second.body)).state).toBe('Trusted');
  });

  it('that is registered already is refused', async () => {
    const image = await newImage('image/png');
    await send(image);
    const before = await counts();
    const response = await send(image, { accept: 'image/*' });
    expect([response.status, response.json().code]).toEqual([409, 'CONFLICT']);
    expect(await counts()).toEqual(before);
  });

  it.each([
    ['a truncated JPEG', async () => (await newImage('image/jpeg')).subarray(0, 40)],
    ['a truncated PNG', async () => (await newImage('image/png')).subarray(0, 50)],
    ['a truncated WebP', async () => (await newImage('image/webp')).subarray(0, 30)],
    ['a truncated HEIC', async () => (await newImage('image/heic')).subarray(0, 40)],
    ['the beginning of a GIF', async () => Buffer.from('GIF89a and nothing more')],
  ])('that is broken is refused, and nothing of it is recorded: %s', async (_, make) => {
    const broken = Buffer.from(await make());
    const before = await counts();
    const response = await send(broken, { accept: 'image/*' });
    expect([response.status, response.json().code]).toEqual([400, 'BAD_REQUEST']);
    expect(await counts()).toEqual(before);
    expect((await lookUp(service, toTestFile(broken).value)).body).toEqual({ matches: [] });
    // Without an image in the response, any file can be registered.
    expect((await send(broken)).status).toBe(201);
  });

  it('of more than 32 MiB is refused when it is to be returned, and registered otherwise', async () => {
    const large = Buffer.concat([await newImage('image/png'), Buffer.alloc(32 * 1024 * 1024)]);
    const before = await counts();
    const response = await send(large, { accept: 'image/*' });
    expect([response.status, response.json().code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await counts()).toEqual(before);
    expect((await send(large)).status).toBe(201);
  });

  it('is refused temporarily while other uploads fill the memory', async () => {
    // A single larger one would make room.
    const others = await Promise.all(Array.from({ length: 21 }, beginUpload));
    const status = async () => {
      const response = await send(await largeImage(), { accept: 'image/*' });
      // An upload that found no room holds no memory.
      if (response.status !== 503) others.push(await beginUpload());
      return response.status;
    };
    await expect.poll(status).toBe(503);
    const image = await largeImage();
    const before = await counts();
    const response = await send(image, { accept: 'image/*' });
    expect([response.status, response.json().code]).toEqual([503, 'UNAVAILABLE']);
    expect(await counts()).toEqual(before);
    for (const other of others) other.destroy();
    await expect.poll(async () => (await send(image, { accept: 'image/*' })).status).toBe(201);
  });

  it('cannot be returned for a fingerprint only: the response is JSON', async () => {
    const { fingerprint } = newFile();
    const body = { markId, fingerprint, filename: 'picture.jpg', mediaType: 'image/jpeg' };
    const headers = { accept: 'image/*' };
    const response = await call(service, 'POST', '/api/c2pa/manifests', { token: owner.token, body, headers });
    expect([response.status, response.body.fingerprint]).toEqual([201, fingerprint]);
  });
});

describe('a file that cannot hold a manifest', () => {
  it.each([
    ['text', 'text/plain', Buffer.from('just words, for embedding')],
    ['text that is called a picture', 'image/jpeg', Buffer.from('just words, called a picture')],
    ['a PDF', 'application/pdf', Buffer.from('%PDF-1.7\n%%EOF')],
  ])('is registered, and the response is JSON: %s', async (_, type, bytes) => {
    const response = await send(bytes, { accept: 'image/*', type });
    expect([response.status, response.mediaType]).toEqual([201, 'application/json; charset=utf-8']);
    expect(response.json().fingerprint).toBe(toTestFile(bytes).fingerprint);
  });
});
