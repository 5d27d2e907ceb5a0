// Uploads in multipart forms, valid and invalid.

import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request as sendRequest } from 'node:http';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  type CreationPath,
  creationPaths,
  expectConsistentStorage,
  fetchPublishedFiles,
  fieldParts,
  filePart,
  fingerprintOf,
  formBody,
  listPublishedFiles,
  newFingerprint,
  type Part,
  type Registry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { draw } from '../support/pictures.js';

const MAX_UPLOAD_BYTES = 200_000;
/** Slightly more than the server keeps in memory of one file. */
const LARGE = 40 * 1024 * 1024;

let small: Registry;
let service: Registry;
const accounts = new Map<Registry, { owner: TestUser; markId: string }>();

beforeAll(async () => {
  const settings = await unreachableChain();
  small = await startRegistry({ ...settings, MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
  service = await startRegistry(settings);
  for (const registry of [small, service]) {
    const owner = await createUser(registry, 'enterprise');
    accounts.set(registry, { owner, markId: (await createMark(registry, owner)).body.id });
  }
});

function at(registry: Registry) {
  const found = accounts.get(registry);
  if (!found) throw new Error('the registry has no user');
  return found;
}
const send = (
  form: readonly Part[] | Uint8Array,
  path: CreationPath = creationPaths[0],
  headers: Record<string, string> = {},
  registry = service,
) => sendForm(registry, at(registry).owner, form, { path, headers });
const fieldsFor = (file: Uint8Array, more: Record<string, string | number> = {}, registry = service) =>
  fieldParts({ markId: at(registry).markId, fingerprint: fingerprintOf(file), filename: 'a.bin', ...more });
const read = async (fingerprint: string) =>
  (await call(service, 'GET', `/api/v1/artifacts/${fingerprint}`, { token: at(service).owner.token })).body;
const picture = async (seed: number) =>
  new Uint8Array(await draw({ seed, width: 64, height: 64, cell: 8 }).png().toBuffer());

describe('a form', () => {
  it.each(creationPaths.flatMap((path) => [['before', path] as const, ['after', path] as const]))(
    'may have its fields %s the file (%s)',
    async (where, path) => {
      const file = randomBytes(100_000);
      const fields = fieldsFor(file, {
        size: file.length,
        lastModified: 1_700_000_000_000,
        mediaType: 'application/x-odd',
      });
      const parts = where === 'before' ? [...fields, filePart(file)] : [filePart(file), ...fields];
      const { status, body } = await send(parts, path);
      expect(status).toBe(201);
      const artifact = await read(fingerprintOf(file));
      expect(artifact.id).toBe(body.id ?? body.manifestId);
      expect(artifact.metadata).not.toHaveProperty('hashesBy');
      expect(artifact.metadata).toMatchObject({
        filename: 'a.bin',
        size: 100_000,
        mediaType: 'application/x-odd',
        lastModified: '2023-11-14T22:13:20.000Z',
        fileSeen: true,
      });
      const report = JSON.parse(String((await fetchPublishedFiles(service, artifact.id)).json));
      expect(report.validation_state).toBe('Valid');
    },
  );

  it('as a manifest requires only a Mark and a file', async () => {
    const file = await picture(11);
    const { status, body } = await send(
      [filePart(file, 'Ünï — 写真.png', 'image/png'), ...fieldParts({ markId: at(service).markId })],
      '/api/c2pa/manifests',
    );
    expect(status).toBe(201);
    expect(body.fingerprint).toBe(fingerprintOf(file));
    const { metadata } = await read(body.fingerprint);
    expect(metadata).toMatchObject({ filename: 'Ünï — 写真.png', mediaType: 'image/png', kind: 'image' });
    expect(metadata).toMatchObject({ size: file.length, pHash: expect.stringMatching(/^0x[0-9a-f]{16}$/) });
    expect(metadata).toMatchObject({ fileSeen: true, hashesBy: 'service' });
  });

  it('without a file is equivalent to JSON, and its report has no hash of the bytes', async () => {
    const fingerprint = newFingerprint();
    const { status, body } = await send(fieldParts({ markId: at(service).markId, fingerprint, filename: 'a' }));
    expect(status).toBe(201);
    const report = JSON.parse(String((await fetchPublishedFiles(service, body.id)).json));
    expect(report).not.toHaveProperty('validation_state');
  });

  it('with an image can return it with its manifest embedded', async () => {
    const file = await picture(12);
    const parts = [...fieldParts({ markId: at(service).markId }), filePart(file, 'a.png', 'image/png')];
    const { status, headers, bytes } = await send(parts, '/api/c2pa/manifests', { accept: 'image/*' });
    expect([status, headers.get('content-type')]).toEqual([201, 'image/png']);
    const { id } = await read(fingerprintOf(file));
    expect(headers.get('location')).toBe(`${service.url}/api/c2pa/manifests/${id}`);
    expect(headers.get('link')).toBe(`<${service.url}/cdn/${id}.json>; rel="c2pa-manifest"`);
    expect(bytes.includes('caBX')).toBe(true);
    expect(bytes.length).toBeGreaterThan(file.length);
  });

  it.each([
    ['a path', '../../../etc/passwd'],
    ['a Windows path', 'C:\\\\fakepath\\\\a.txt'],
    ['markup', '<b>&.txt'],
  ])('stores %s as the name of its file', async (_, name) => {
    const file = randomBytes(50);
    const parts = [filePart(file, name), ...fieldParts({ markId: at(service).markId })];
    const { status } = await send(parts, '/api/c2pa/manifests');
    expect(status).toBe(201);
    expect((await read(fingerprintOf(file))).metadata.filename).toBe(name.replaceAll('\\\\', '\\'));
  });

  it('may name its file with filename*', async () => {
    const file = randomBytes(50);
    const part = { name: 'file', content: file, filename: "filename*=UTF-8''%e5%86%99%e7%9c%9f.png" };
    expect((await send([part, ...fieldParts({ markId: at(service).markId })], '/api/c2pa/manifests')).status).toBe(201);
    expect((await read(fingerprintOf(file))).metadata.filename).toBe('写真.png');
  });

  it.each([
    ['an empty filename', { filename: 'filename=""', type: 'application/octet-stream' }, 'application/octet-stream'],
    ['no filename', { type: 'application/octet-stream' }, 'application/octet-stream'],
    ['no filename and another type', { type: 'text/csv' }, 'text/csv'],
    ['neither filename nor type', {}, null],
  ])('whose file has %s names it "file"', async (_, headers, mediaType) => {
    const file = Buffer.from(randomBytes(25).toString('hex'));
    const part = { name: 'file', content: file, ...headers };
    expect((await send([part, ...fieldParts({ markId: at(service).markId })], '/api/c2pa/manifests')).status).toBe(201);
    expect((await read(fingerprintOf(file))).metadata).toMatchObject({ filename: 'file', mediaType, size: 50 });
  });

  it('may state a media type for each field', async () => {
    const file = randomBytes(50);
    const fields = fieldsFor(file).map((field) => ({ ...field, type: 'application/octet-stream' }));
    expect((await send([...fields, filePart(file)])).status).toBe(201);
  });

  it('may have the maximum size, and not one byte more', async () => {
    for (const path of creationPaths) {
      const largest = randomBytes(MAX_UPLOAD_BYTES);
      expect((await send([...fieldsFor(largest, {}, small), filePart(largest)], path, {}, small)).status).toBe(201);
      for (const over of [1, 2, 5_000_000]) {
        const larger = randomBytes(MAX_UPLOAD_BYTES + over);
        const response = await send([...fieldsFor(larger, {}, small), filePart(larger)], path, {}, small);
        expect(statusAndCode(response)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      }
    }
    await expectConsistentStorage(small);
  });

  it('with an empty file is a form with a file', async () => {
    const file = new Uint8Array();
    expect((await send([...fieldsFor(file), filePart(file)])).status).toBe(201);
    expect((await read(fingerprintOf(file))).metadata.size).toBe(0);
  });
});

describe('a form is refused and leaves nothing behind', () => {
  let before: { files: string[]; usage: unknown };
  const state = async () => ({
    files: await listPublishedFiles(service),
    usage: (await call(service, 'GET', '/api/tier/limits', { token: at(service).owner.token })).body.usage,
  });
  beforeEach(async () => {
    before = await state();
  });
  const refused = async (form: readonly Part[] | Uint8Array, is: [number, string], headers = {}) => {
    for (const path of creationPaths) expect(statusAndCode(await send(form, path, headers))).toEqual(is);
    expect(await state()).toEqual(before);
  };
  const file = randomBytes(70_000);

  it('when the file does not hash to the fingerprint', async () => {
    await refused([...fieldsFor(file, { fingerprint: newFingerprint() }), filePart(file)], [400, 'BAD_REQUEST']);
    await refused([filePart(file), ...fieldsFor(file, { fingerprint: newFingerprint() })], [400, 'BAD_REQUEST']);
  });

  it('when the file does not have the size', () =>
    refused([...fieldsFor(file, { size: 69_999 }), filePart(file)], [400, 'BAD_REQUEST']));

  it('with two files', () => refused([...fieldsFor(file), filePart(file), filePart(file)], [400, 'BAD_REQUEST']));

  it('with a field twice', () =>
    refused([...fieldsFor(file), ...fieldsFor(file), filePart(file)], [400, 'BAD_REQUEST']));

  it('with text that is not the file', () =>
    refused([...fieldsFor(file), { name: 'file', content: 'text' }], [400, 'BAD_REQUEST']));

  it('without a file, where one is needed', async () => {
    const form = fieldParts({ markId: at(service).markId });
    expect(statusAndCode(await send(form, '/api/c2pa/manifests'))).toEqual([400, 'BAD_REQUEST']);
    const complete = fieldsFor(file);
    expect(statusAndCode(await send(complete, '/api/c2pa/manifests'))).toEqual([400, 'BAD_REQUEST']);
    expect(await state()).toEqual(before);
  });

  it('with a file and nothing else', () => refused([filePart(file)], [400, 'BAD_REQUEST']));

  it('with a field called __proto__', () =>
    refused([...fieldsFor(file), { name: '__proto__', content: 'x' }, filePart(file)], [400, 'BAD_REQUEST']));

  it('with 65 parts', () =>
    refused(
      [...fieldsFor(file), ...Array.from({ length: 65 }, (_, index) => ({ name: `f${index}`, content: 'x' }))],
      [400, 'BAD_REQUEST'],
    ));

  it('with a field of 100 MB', async () => {
    const form = formBody([...fieldsFor(file), { name: 'note', content: Buffer.alloc(100_000_000, 'a') }]);
    expect(statusAndCode(await send(form))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await state()).toEqual(before);
  });

  it('with a NUL in the name of its file', async () => {
    const parts = [filePart(file, 'a\u0000b'), ...fieldParts({ markId: at(service).markId })];
    expect(statusAndCode(await send(parts, '/api/c2pa/manifests'))).toEqual([400, 'BAD_REQUEST']);
    expect(await state()).toEqual(before);
  });

  it('with a name of 2000 characters for its file', async () => {
    const parts = [filePart(file, 'a'.repeat(2000)), ...fieldParts({ markId: at(service).markId })];
    expect(statusAndCode(await send(parts, '/api/c2pa/manifests'))).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['another boundary', `multipart/form-data; boundary=${BOUNDARY}x`],
    ['no boundary', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
  ])('with %s', (_, type) =>
    refused([...fieldsFor(file), filePart(file)], [400, 'BAD_REQUEST'], { 'content-type': type }),
  );

  it('when it is empty', async () => {
    await refused(Buffer.alloc(0), [400, 'BAD_REQUEST']);
    await refused(Buffer.from(`--${BOUNDARY}--\r\n`), [400, 'BAD_REQUEST']);
  });

  it('wherever it is truncated, even inside its last line', async () => {
    const content = randomBytes(300);
    for (const parts of [
      [...fieldsFor(content), filePart(content)],
      [filePart(content), ...fieldsFor(content)],
    ]) {
      const whole = formBody(parts);
      // The line that ends the form is complete two bytes before its end: only a line break is missing then.
      const cuts = [1, 2, 3, 4, 5, 10, BOUNDARY.length + 4];
      for (let length = 20; length < whole.length - 50; length += 37) cuts.push(whole.length - length);
      for (const length of cuts.filter((cut) => cut > 4).map((cut) => whole.length - cut)) {
        const { status, body } = await send(whole.subarray(0, Math.max(0, length)));
        expect([length, status, body.code]).toEqual([length, 400, 'BAD_REQUEST']);
      }
    }
    expect(await state()).toEqual(before);
  });

  it('with an unreadable image that is to be returned', async () => {
    const broken = (await picture(13)).subarray(0, 300);
    const parts = [...fieldParts({ markId: at(service).markId }), filePart(broken, 'a.png', 'image/png')];
    const response = await send(parts, '/api/c2pa/manifests', { accept: 'image/*' });
    expect(response.status).toBe(400);
    expect(JSON.parse(String(response.bytes)).code).toBe('BAD_REQUEST');
    expect(await state()).toEqual(before);
  });
});

/** Sends the first part of a form, and closes the connection when the server has read it. */
async function hangUp(form: Uint8Array, length: number, path: CreationPath = creationPaths[0]): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const request = sendRequest({
    hostname,
    port,
    path,
    method: 'POST',
    headers: {
      authorization: `Bearer ${at(service).owner.token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': form.length,
    },
  });
  const ended = new Promise<void>((resolve) => request.once('close', resolve));
  request.on('error', () => undefined);
  await new Promise<void>((resolve) => request.write(form.subarray(0, length), () => resolve()));
  request.destroy();
  await ended;
}

describe('uploads', () => {
  it('are never written below the data folder while they arrive', async () => {
    const files = async () =>
      (await readdir(service.dataDir, { recursive: true })).filter((name) => !name.includes('public')).sort();
    const file = randomBytes(LARGE);
    const form = formBody([...fieldsFor(file), filePart(file)]);
    const [quiet, published] = [await files(), await listPublishedFiles(service)];
    const { hostname, port } = new URL(service.url);
    const request = sendRequest({
      hostname,
      port,
      path: creationPaths[0],
      method: 'POST',
      headers: {
        authorization: `Bearer ${at(service).owner.token}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'content-length': form.length,
      },
    });
    const STEP = 4 * 1024 * 1024;
    for (let sent = 0; sent < form.length; sent += STEP) {
      await new Promise<void>((resolve) => request.write(form.subarray(sent, sent + STEP), () => resolve()));
      expect(await listPublishedFiles(service)).toEqual(published);
      expect(await files()).toEqual(quiet);
    }
    request.end();
    const [response] = await once(request, 'response');
    response.resume();
    expect(response.statusCode).toBe(201);
    expect(await files()).toEqual(quiet);
    expect(await listPublishedFiles(service)).toHaveLength(published.length + 3);
    expect((await read(fingerprintOf(file))).metadata.size).toBe(LARGE);
  });

  it('of clients that disconnect, or are refused, leave nothing behind, not even in memory', async () => {
    const published = await listPublishedFiles(service);
    const file = randomBytes(31 * 1024 * 1024);
    const vanishing = formBody([...fieldsFor(file), filePart(file)]);
    const incomplete = formBody([filePart(file), ...fieldParts({ filename: 'a.bin' })]);
    const cut = vanishing.subarray(0, vanishing.length - 1000);
    // Together they are more than the server keeps: memory that is not released would be missing below.
    for (let time = 0; time < 2; time += 1) {
      await hangUp(vanishing, vanishing.length - 1000);
      expect((await send(incomplete)).status).toBe(400);
      expect((await send(cut)).status).toBe(400);
    }
    expect(await listPublishedFiles(service)).toEqual(published);
    expect(await query(service.databaseUrl, 'select * from drafts')).toEqual([]);
    // Only a file in memory is inspected. This one needs more than one of those above would leave free.
    const [width, height] = [2100, 2100];
    const raw = { width, height, channels: 3 } as const;
    const image = new Uint8Array(
      await sharp(randomBytes(width * height * 3), { raw })
        .png()
        .toBuffer(),
    );
    expect(image.length).toBeGreaterThan(10 * 1024 * 1024);
    expect((await send([...fieldsFor(image), filePart(image)])).status).toBe(201);
    expect((await read(fingerprintOf(image))).metadata.pHash).toMatch(/^0x/);
  });

  it('leave files, tables and counters that agree', async () => {
    await expectConsistentStorage(service);
    expect(service.output().log).not.toContain('"level":50');
  });
});
