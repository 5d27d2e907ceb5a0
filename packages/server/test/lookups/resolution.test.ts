// Lookups by binding and by content over HTTP.

import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import { newFile, type TestFile, toTestFile } from '../../../../test/support/files.js';
import { call, type Service } from '../../../../test/support/service.js';
import {
  ALGORITHM,
  findFilesContaining,
  lookUp,
  MAX_UPLOAD_BYTES,
  registerFile,
  sendRaw,
  startServiceWithPhoto,
  waitUntilSubmitted,
} from '../support/resolution.js';

let dataDir: string;
let service: Service;
let owner: TestUser;
let mark: { token: string; markId: string };
let api: string;
let photo: TestFile;
let photoId: string;

beforeAll(async () => {
  ({ dataDir, service, owner, mark, api, photo, photoId } = await startServiceWithPhoto());
});

const found = () => ({ matches: [{ manifestId: photoId, endpoint: api, similarityScore: 100 }] });
const nothing = { matches: [] };

describe('a lookup by binding', () => {
  it('returns the manifest ID and its endpoint, and nothing more', async () => {
    expect((await lookUp(service, photo.value)).body).toEqual(found());
  });

  it('returns the same for a binding in the body', async () => {
    const body = { alg: ALGORITHM, value: photo.value };
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body });
    expect([answer.status, answer.body]).toEqual([200, found()]);
  });

  it.each(['com.service.sha256', 'org.service.sha256', 'sha256'])('accepts the algorithm %s', async (alg) => {
    expect((await lookUp(service, photo.value, { alg })).body).toEqual(found());
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body: { alg, value: photo.value } });
    expect(answer.body).toEqual(found());
  });

  it.each(['', 'SHA256', 'sha-256', 'com.service.sha512', 'com.service.sha256 ', 'x'.repeat(300), 'toString'])(
    'rejects the algorithm "%s"',
    async (alg) => {
      expect(statusAndCode(await lookUp(service, photo.value, { alg }))).toEqual([400, 'BAD_REQUEST']);
      const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body: { alg, value: photo.value } });
      expect(statusAndCode(answer)).toEqual([400, 'BAD_REQUEST']);
    },
  );

  it('returns 200 and an empty list for an unregistered file', async () => {
    const answer = await lookUp(service, newFile().value);
    expect([answer.status, answer.body]).toEqual([200, nothing]);
  });

  it('finds an Artifact as soon as its creation has responded', async () => {
    const files = Array.from({ length: 10 }, newFile);
    await Promise.all(
      files.map(async (file) => {
        const manifestId = await registerFile(service, mark, file);
        expect((await lookUp(service, file.value)).body.matches).toEqual([
          { manifestId, endpoint: api, similarityScore: 100 },
        ]);
      }),
    );
  });

  it('returns the right match to each of many simultaneous requests', async () => {
    const files = Array.from({ length: 8 }, newFile);
    const ids = await Promise.all(files.map((file) => registerFile(service, mark, file)));
    const unknown = newFile();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => lookUp(service, (files[index % 10] ?? unknown).value)),
    );
    expect(answers.map(({ body }) => body.matches[0]?.manifestId)).toEqual(answers.map((_, index) => ids[index % 10]));
  });

  it.each(['0', '-1', '1.5', 'ten', '', '1e1', ' 1'])('rejects maxResults=%s', async (maxResults) => {
    expect(statusAndCode(await lookUp(service, photo.value, { maxResults }))).toEqual([400, 'BAD_REQUEST']);
  });

  it.each(['1', '10', '2147483647'])('accepts maxResults=%s', async (maxResults) => {
    expect((await lookUp(service, photo.value, { maxResults })).body).toEqual(found());
  });

  it.each([
    ['nothing at all', ''],
    ['no algorithm', `?value=${'A'.repeat(43)}`],
    ['no value', `?alg=${ALGORITHM}`],
    ['two values', `?alg=${ALGORITHM}&value=${'A'.repeat(43)}&value=${'A'.repeat(43)}`],
    ['two algorithms', `?alg=${ALGORITHM}&alg=sha256&value=${'A'.repeat(43)}`],
  ])('refuses %s', async (_, query) => {
    expect(statusAndCode(await call(service, 'GET', `/api/c2pa/matches/byBinding${query}`))).toEqual([
      400,
      'BAD_REQUEST',
    ]);
  });

  it('returns 414 for a too long URL and 400 for a too long value in the body', async () => {
    expect(statusAndCode(await lookUp(service, 'A'.repeat(9_000)))).toEqual([414, 'URI_TOO_LONG']);
    const body = { alg: ALGORITHM, value: 'A'.repeat(9_000) };
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body });
    expect(statusAndCode(answer)).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['a list', []],
    ['null', null],
    ['a number as value', { alg: ALGORITHM, value: 7 }],
    ['bytes as value', { alg: ALGORITHM, value: [1, 2, 3] }],
    ['nothing', {}],
  ])('refuses %s as the body', async (_, body) => {
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body });
    expect(statusAndCode(answer)).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('the value of a binding', () => {
  // Its base64 has both characters that differ between the alphabets.
  const file = toTestFile(Buffer.from('dialect 3'));
  let id: string;
  beforeAll(async () => {
    id = await registerFile(service, mark, file);
  });
  const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');
  const both = async (value: string) => [
    await lookUp(service, value),
    await call(service, 'POST', '/api/c2pa/matches/byBinding', { body: { alg: ALGORITHM, value } }),
  ];

  it.each([
    ['standard base64, padded', (text: string) => text],
    ['standard base64, unpadded', (text: string) => text.slice(0, 43)],
    ['URL-safe base64, padded', urlSafe],
    ['URL-safe base64, unpadded', (text: string) => urlSafe(text).slice(0, 43)],
  ])('may be %s', async (_, write) => {
    expect(file.value).toMatch(/\+.*\/|\/.*\+/);
    for (const answer of await both(write(file.value))) expect(answer.body.matches[0]?.manifestId).toBe(id);
  });

  it.each([
    ['empty', () => ''],
    ['of 31 bytes', () => Buffer.alloc(31, 1).toString('base64')],
    ['of 33 bytes', () => Buffer.alloc(33, 1).toString('base64')],
    ['of 64 bytes', () => Buffer.alloc(64, 1).toString('base64')],
    ['the base64 of the hexadecimal text', () => Buffer.from(file.fingerprint.slice(2)).toString('base64')],
    ['the base64 of the whole fingerprint text', () => Buffer.from(file.fingerprint).toString('base64')],
    ['the fingerprint itself', () => file.fingerprint],
    ['the digits of the fingerprint', () => file.fingerprint.slice(2)],
    ['padded twice', () => `${file.value}=`],
    ['padded in front', () => `=${file.value.slice(0, 43)}`],
    ['with a space in front', () => ` ${file.value}`],
    ['with a space behind', () => `${file.value} `],
    ['with a line break behind', () => `${file.value}\n`],
    ['unpadded with a line break behind', () => `${file.value.slice(0, 43)}\n`],
    ['with a line break inside', () => `${file.value.slice(0, 20)}\n${file.value.slice(20)}`],
    ['with a plus that became a space', () => file.value.replaceAll('+', ' ')],
    ['with letters of another script', () => `é${file.value.slice(1)}`],
    ['with a NUL', () => `\0${file.value.slice(1)}`],
    ['a data URL', () => `data:;base64,${file.value}`],
  ])('may not be %s', async (_, write) => {
    for (const answer of await both(write())) expect(statusAndCode(answer)).toEqual([400, 'BAD_REQUEST']);
  });

  it('may not have unused bits that are set', async () => {
    // 32 bytes leave two bits of the last character unused: one of four characters has both unset.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const last = letters.indexOf(file.value.charAt(42));
    for (const spare of [1, 2, 3]) {
      const value = `${file.value.slice(0, 42)}${letters.charAt(last + spare)}=`;
      expect(Buffer.from(value, 'base64')).toEqual(Buffer.from(file.value, 'base64'));
      for (const answer of await both(value)) expect(statusAndCode(answer)).toEqual([400, 'BAD_REQUEST']);
    }
  });
});

describe('a lookup by content', () => {
  const path = '/api/c2pa/matches/byContent';
  const send = async (body: Uint8Array<ArrayBuffer> | FormData, headers: Record<string, string> = {}, query = '') => {
    const response = await fetch(`${service.url}${path}${query}`, { method: 'POST', body, headers });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const form = (...parts: [name: string, bytes: Uint8Array<ArrayBuffer>][]) => {
    const data = new FormData();
    for (const [name, bytes] of parts) data.append(name, new Blob([bytes]), 'photo.jpg');
    return data;
  };

  it('accepts the file as a part of a form', async () => {
    const answer = await send(form(['file', photo.bytes]));
    expect([answer.status, answer.body]).toEqual([200, found()]);
  });

  it.each([
    'image/jpeg',
    'audio/mpeg',
    'video/mp4',
    'model/gltf-binary',
    'text/plain; charset=utf-8',
    'application/pdf',
    'application/octet-stream',
    'application/json',
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'application/c2pa',
    'multipart/mixed; boundary=x',
    'IMAGE/PNG',
    'x-unheard-of/thing',
  ])('accepts the file as a body of type %s', async (type) => {
    const answer = await send(photo.bytes, { 'content-type': type });
    expect([answer.status, answer.body]).toEqual([200, found()]);
  });

  it.each([
    ['is empty', ''],
    ['is a word', 'rubbish'],
    ['is a slash', '/'],
  ])('returns 415 for a body whose type %s', async (_, type) => {
    const headers = { 'content-type': type };
    const answer = await sendRaw(service, path, { method: 'POST', headers, body: photo.bytes });
    expect([answer.status, JSON.parse(String(answer.body)).code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('accepts the file as a body without a type', async () => {
    const answer = await sendRaw(service, path, { method: 'POST', body: photo.bytes });
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([200, found()]);
  });

  it('treats JSON as a file, also if it is malformed', async () => {
    for (const text of ['{"a": 1}', '{', '{"__proto__": 1}', 'null']) {
      const file = toTestFile(Buffer.from(`${text} ${process.pid}`));
      const manifestId = await registerFile(service, mark, file);
      const answer = await send(file.bytes, { 'content-type': 'application/json' });
      expect(answer.body.matches[0]?.manifestId).toBe(manifestId);
    }
  });

  it('accepts a body without a length', async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (const byte of photo.bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const response = await fetch(`${api}/matches/byContent`, { method: 'POST', body: stream, duplex: 'half' });
    expect(await response.json()).toEqual(found());
  });

  it('hashes every byte of a large file', async () => {
    const file = toTestFile(Buffer.alloc(MAX_UPLOAD_BYTES, 7));
    const manifestId = await registerFile(service, mark, file);
    expect((await send(file.bytes)).body.matches[0]?.manifestId).toBe(manifestId);
    expect((await send(form(['file', file.bytes]))).body.matches[0]?.manifestId).toBe(manifestId);
    const other = Buffer.from(file.bytes);
    other.writeUInt8(8, other.length - 1);
    expect((await send(other)).body).toEqual(nothing);
  });

  it('returns 413 for a file above the limit, in a form or as the body', async () => {
    const large = Buffer.alloc(MAX_UPLOAD_BYTES + 1);
    expect(statusAndCode(await send(large))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(statusAndCode(await send(form(['file', large])))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('accepts an empty file, which has a fingerprint too', async () => {
    const empty = toTestFile(Buffer.alloc(0));
    expect((await send(form(['file', empty.bytes]))).body).toEqual(nothing);
    const manifestId = await registerFile(service, mark, empty);
    expect((await send(form(['file', empty.bytes]))).body.matches[0]?.manifestId).toBe(manifestId);
    const raw = await send(empty.bytes, { 'content-type': 'application/octet-stream' });
    expect(raw.body.matches[0]?.manifestId).toBe(manifestId);
  });

  it('returns 400 for a request without body and type', async () => {
    expect((await sendRaw(service, path, { method: 'POST' })).status).toBe(400);
  });

  it.each([
    ['a form without a file', () => form(['picture', photo.bytes])],
    ['a form with two files', () => form(['file', photo.bytes], ['file', photo.bytes])],
    ['an empty form', () => new FormData()],
  ])('returns 400 for %s', async (_, make) => {
    expect(statusAndCode(await send(make()))).toEqual([400, 'BAD_REQUEST']);
  });

  it('takes a text field called "file" for the file', async () => {
    const data = new FormData();
    data.append('file', 'text');
    expect(await send(data)).toMatchObject({ status: 200, body: { matches: [] } });
  });

  it.each([
    ['has no boundary', 'multipart/form-data', '--x\r\n\r\n--x--\r\n'],
    [
      'ends too early',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ],
    ['is no form', 'multipart/form-data; boundary=x', 'hello'],
  ])('returns 400 for a form that %s', async (_, type, text) => {
    const answer = await sendRaw(service, path, {
      method: 'POST',
      headers: { 'content-type': type },
      body: Buffer.from(text),
    });
    expect([answer.status, JSON.parse(String(answer.body)).code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('accepts the hints of the official document, and rejects other algorithms', async () => {
    const query = '?alg=sha256&maxResults=3&hintAlg=org.example.watermark&hintValue=AAAA';
    expect((await send(photo.bytes, {}, query)).body).toEqual(found());
    expect(statusAndCode(await send(photo.bytes, {}, '?alg=md5'))).toEqual([400, 'BAD_REQUEST']);
    expect(statusAndCode(await send(photo.bytes, {}, '?maxResults=0'))).toEqual([400, 'BAD_REQUEST']);
  });

  it('writes nothing of the file to disk', async () => {
    const secret = 'nobody keeps this sentence';
    await send(Buffer.from(secret));
    await send(form(['file', Buffer.from(secret)]));
    expect(await findFilesContaining(dataDir, Buffer.from(secret))).toEqual([]);
    expect(await findFilesContaining(dataDir, Buffer.from(photoId))).not.toEqual([]);
  });
});

describe('an Artifact under a private Mark', () => {
  it('is found like any other, without further information', async () => {
    const { body } = await createMark(service, owner, { name: 'Secret project', visibility: 'private' });
    const file = newFile();
    const manifestId = await registerFile(service, { token: owner.token, markId: body.id }, file, {
      filename: 'plan.txt',
    });
    const match = { manifestId, endpoint: api, similarityScore: 100 };
    expect((await lookUp(service, file.value)).body).toEqual({ matches: [match] });
    await waitUntilSubmitted(service, owner.token, file);
    const { body: links } = await call(service, 'GET', `/api/c2pa/manifests/${manifestId}`);
    const accept = { headers: { accept: 'application/c2pa' } };
    const sidecar = (await sendRaw(service, `/api/c2pa/manifests/${manifestId}`, accept)).body;
    const told = [JSON.stringify(links), await (await fetch(links.manifestUrl)).text(), sidecar.toString('latin1')];
    for (const secret of ['Secret project', 'plan.txt', owner.name, owner.id, body.id]) {
      expect(told.filter((text) => text.includes(secret))).toEqual([]);
    }
  });
});
