// Whose is a file? The public resolution API, through HTTP, as the C2PA's own document has it and as people use it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { Compile } from 'typebox/schema';
import { beforeAll, describe, expect, it } from 'vitest';
import { childrenOf, labelOf } from '../dist/c2pa/jumbf.js';
import official from './c2pa-2.2/softbinding-resolution-api.json' with { type: 'json' };
import { createMark, person, refusal, type TestPerson } from './support/people.js';
import {
  ALGORITHM,
  fileOf,
  filesWith,
  lookUp,
  newFile,
  readerOf,
  register,
  sendRaw,
  untilSubmitted,
} from './support/resolution.js';
import { call, type Service, startService, temporaryFolder } from './support/service.js';

const MAX_UPLOAD_BYTES = 3 * 1024 * 1024;
const rubbish = 'Bearer rubbish';

let dataDir: string;
let service: Service;
let owner: TestPerson;
let mark: { token: string; markId: string };
let api: string;
const photo = newFile();
let photoId: string;

beforeAll(async () => {
  dataDir = await temporaryFolder();
  service = await startService({ DATA_DIR: dataDir, MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
  owner = await person(service, 'creator');
  mark = { token: owner.token, markId: (await createMark(service, owner)).body.id };
  api = `${service.url}/api/c2pa`;
  photoId = await register(service, mark, photo);
  await untilSubmitted(service, owner.token, photo);
});

const found = () => ({ matches: [{ manifestId: photoId, endpoint: api, similarityScore: 100 }] });
const nothing = { matches: [] };

describe('a lookup by binding', () => {
  it('answers with the manifest and where it is served, and with nothing more', async () => {
    expect((await lookUp(service, photo.value)).body).toEqual(found());
  });

  it('answers alike when the binding comes as a body', async () => {
    const body = { alg: ALGORITHM, value: photo.value };
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body });
    expect([answer.status, answer.body]).toEqual([200, found()]);
  });

  it.each(['com.service.sha256', 'org.service.sha256', 'sha256'])('knows the algorithm as %s', async (alg) => {
    expect((await lookUp(service, photo.value, { alg })).body).toEqual(found());
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body: { alg, value: photo.value } });
    expect(answer.body).toEqual(found());
  });

  it.each(['', 'SHA256', 'sha-256', 'com.service.sha512', 'com.service.sha256 ', 'x'.repeat(300), 'toString'])(
    'refuses the algorithm "%s"',
    async (alg) => {
      expect(refusal(await lookUp(service, photo.value, { alg }))).toEqual([400, 'BAD_REQUEST']);
      const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body: { alg, value: photo.value } });
      expect(refusal(answer)).toEqual([400, 'BAD_REQUEST']);
    },
  );

  it('answers 200 and an empty list to what is registered nowhere', async () => {
    const answer = await lookUp(service, newFile().value);
    expect([answer.status, answer.body]).toEqual([200, nothing]);
  });

  it('finds an Artifact from the moment its creation was answered', async () => {
    const files = Array.from({ length: 10 }, newFile);
    await Promise.all(
      files.map(async (file) => {
        const manifestId = await register(service, mark, file);
        expect((await lookUp(service, file.value)).body.matches).toEqual([
          { manifestId, endpoint: api, similarityScore: 100 },
        ]);
      }),
    );
  });

  it('answers many at once, each with its own', async () => {
    const files = Array.from({ length: 8 }, newFile);
    const ids = await Promise.all(files.map((file) => register(service, mark, file)));
    const unknown = newFile();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => lookUp(service, (files[index % 10] ?? unknown).value)),
    );
    expect(answers.map(({ body }) => body.matches[0]?.manifestId)).toEqual(answers.map((_, index) => ids[index % 10]));
  });

  it.each(['0', '-1', '1.5', 'ten', '', '1e1', ' 1'])('refuses maxResults=%s', async (maxResults) => {
    expect(refusal(await lookUp(service, photo.value, { maxResults }))).toEqual([400, 'BAD_REQUEST']);
  });

  it.each(['1', '10', '2147483647'])('takes maxResults=%s', async (maxResults) => {
    expect((await lookUp(service, photo.value, { maxResults })).body).toEqual(found());
  });

  it.each([
    ['nothing at all', ''],
    ['no algorithm', `?value=${'A'.repeat(43)}`],
    ['no value', `?alg=${ALGORITHM}`],
    ['two values', `?alg=${ALGORITHM}&value=${'A'.repeat(43)}&value=${'A'.repeat(43)}`],
    ['two algorithms', `?alg=${ALGORITHM}&alg=sha256&value=${'A'.repeat(43)}`],
  ])('refuses %s', async (_, query) => {
    expect(refusal(await call(service, 'GET', `/api/c2pa/matches/byBinding${query}`))).toEqual([400, 'BAD_REQUEST']);
  });

  it('says 414 when the address is too long, and 400 when the body has too long a value', async () => {
    expect(refusal(await lookUp(service, 'A'.repeat(9_000)))).toEqual([414, 'URI_TOO_LONG']);
    const body = { alg: ALGORITHM, value: 'A'.repeat(9_000) };
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body });
    expect(refusal(answer)).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['a list', []],
    ['null', null],
    ['a number as value', { alg: ALGORITHM, value: 7 }],
    ['bytes as value', { alg: ALGORITHM, value: [1, 2, 3] }],
    ['nothing', {}],
  ])('refuses %s as the body', async (_, body) => {
    const answer = await call(service, 'POST', '/api/c2pa/matches/byBinding', { body });
    expect(refusal(answer)).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('the value of a binding', () => {
  // Its base64 has both characters that differ between the dialects.
  const file = fileOf(Buffer.from('dialect 3'));
  let id: string;
  beforeAll(async () => {
    id = await register(service, mark, file);
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
    for (const answer of await both(write())) expect(refusal(answer)).toEqual([400, 'BAD_REQUEST']);
  });

  it('may not have bits to spare that say something', async () => {
    // 32 bytes leave two bits of the last character unused; of four characters one says nothing with them.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const last = letters.indexOf(file.value.charAt(42));
    for (const spare of [1, 2, 3]) {
      const value = `${file.value.slice(0, 42)}${letters.charAt(last + spare)}=`;
      expect(Buffer.from(value, 'base64')).toEqual(Buffer.from(file.value, 'base64'));
      for (const answer of await both(value)) expect(refusal(answer)).toEqual([400, 'BAD_REQUEST']);
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

  it('takes the file as a part of a form', async () => {
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
  ])('takes the file as a body of type %s', async (type) => {
    const answer = await send(photo.bytes, { 'content-type': type });
    expect([answer.status, answer.body]).toEqual([200, found()]);
  });

  it.each([
    ['is empty', ''],
    ['is a word', 'rubbish'],
    ['is a slash', '/'],
  ])('says 415 to a body whose type %s', async (_, type) => {
    const headers = { 'content-type': type };
    const answer = await sendRaw(service, path, { method: 'POST', headers, body: photo.bytes });
    expect([answer.status, JSON.parse(String(answer.body)).code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('takes the file as a body of no stated type', async () => {
    const answer = await sendRaw(service, path, { method: 'POST', body: photo.bytes });
    expect([answer.status, JSON.parse(String(answer.body))]).toEqual([200, found()]);
  });

  it('takes JSON as the file that it is, also when it is malformed', async () => {
    for (const text of ['{"a": 1}', '{', '{"__proto__": 1}', 'null']) {
      const file = fileOf(Buffer.from(`${text} ${process.pid}`));
      const manifestId = await register(service, mark, file);
      const answer = await send(file.bytes, { 'content-type': 'application/json' });
      expect(answer.body.matches[0]?.manifestId).toBe(manifestId);
    }
  });

  it('takes a body that tells no length', async () => {
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
    const file = fileOf(Buffer.alloc(MAX_UPLOAD_BYTES, 7));
    const manifestId = await register(service, mark, file);
    expect((await send(file.bytes)).body.matches[0]?.manifestId).toBe(manifestId);
    expect((await send(form(['file', file.bytes]))).body.matches[0]?.manifestId).toBe(manifestId);
    const other = Buffer.from(file.bytes);
    other.writeUInt8(8, other.length - 1);
    expect((await send(other)).body).toEqual(nothing);
  });

  it('says 413 to a file that is larger than the limit, in either form', async () => {
    const large = Buffer.alloc(MAX_UPLOAD_BYTES + 1);
    expect(refusal(await send(large))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(refusal(await send(form(['file', large])))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('takes an empty file for what it is: a file with a fingerprint', async () => {
    const empty = fileOf(Buffer.alloc(0));
    expect((await send(form(['file', empty.bytes]))).body).toEqual(nothing);
    const manifestId = await register(service, mark, empty);
    expect((await send(form(['file', empty.bytes]))).body.matches[0]?.manifestId).toBe(manifestId);
    const raw = await send(empty.bytes, { 'content-type': 'application/octet-stream' });
    expect(raw.body.matches[0]?.manifestId).toBe(manifestId);
  });

  it('says 400 to a request without any body or type', async () => {
    expect((await sendRaw(service, path, { method: 'POST' })).status).toBe(400);
  });

  it.each([
    ['a form without a file', () => form(['picture', photo.bytes])],
    ['a form with two files', () => form(['file', photo.bytes], ['file', photo.bytes])],
    ['an empty form', () => new FormData()],
  ])('says 400 to %s', async (_, make) => {
    expect(refusal(await send(make()))).toEqual([400, 'BAD_REQUEST']);
  });

  it('says 400 to a form whose file is a text field', async () => {
    const data = new FormData();
    data.append('file', 'text');
    expect(refusal(await send(data))).toEqual([400, 'BAD_REQUEST']);
  });

  it.each([
    ['has no boundary', 'multipart/form-data', '--x\r\n\r\n--x--\r\n'],
    [
      'ends too early',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ],
    ['is no form', 'multipart/form-data; boundary=x', 'hello'],
  ])('says 400 to a form that %s', async (_, type, text) => {
    const answer = await sendRaw(service, path, {
      method: 'POST',
      headers: { 'content-type': type },
      body: Buffer.from(text),
    });
    expect([answer.status, JSON.parse(String(answer.body)).code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('takes the hints of the official document, and refuses an algorithm that is not ours', async () => {
    const query = '?alg=sha256&maxResults=3&hintAlg=org.example.watermark&hintValue=AAAA';
    expect((await send(photo.bytes, {}, query)).body).toEqual(found());
    expect(refusal(await send(photo.bytes, {}, '?alg=md5'))).toEqual([400, 'BAD_REQUEST']);
    expect(refusal(await send(photo.bytes, {}, '?maxResults=0'))).toEqual([400, 'BAD_REQUEST']);
  });

  it('keeps nothing of the file on disk', async () => {
    const secret = 'nobody keeps this sentence';
    await send(Buffer.from(secret));
    await send(form(['file', Buffer.from(secret)]));
    expect(await filesWith(dataDir, Buffer.from(secret))).toEqual([]);
    expect(await filesWith(dataDir, Buffer.from(photoId))).not.toEqual([]);
  });
});

describe('a manifest', () => {
  const get = (id: string, headers: Record<string, string> = {}, query = '') =>
    sendRaw(service, `/api/c2pa/manifests/${id}${query}`, { headers });
  const json = (body: Buffer) => JSON.parse(String(body));

  it('is where its links lead', async () => {
    const answer = await get(photoId);
    expect([answer.status, json(answer.body)]).toEqual([
      200,
      { manifestUrl: `${service.url}/cdn/${photoId}.json`, manifestBinaryUrl: `${service.url}/cdn/${photoId}.c2pa` },
    ]);
    const { manifestUrl, manifestBinaryUrl } = json(answer.body);
    expect(await (await fetch(manifestUrl)).json()).toMatchObject({ active_manifest: `urn:c2pa:${photoId}` });
    expect((await fetch(manifestBinaryUrl)).headers.get('content-type')).toBe('application/c2pa');
  });

  it.each(['application/c2pa', 'Application/C2PA', 'application/c2pa, */*;q=0.1', 'application/c2pa;q=0.9'])(
    'is the sidecar itself to Accept: %s',
    async (accept) => {
      const answer = await get(photoId, { accept });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/c2pa']);
      expect(answer.body.equals(await readFile(join(dataDir, 'public', `${photoId}.c2pa`)))).toBe(true);
    },
  );

  it.each(['*/*', 'application/json', 'text/html', 'application/*', 'application/c2pa;q=0', 'rubbish', ''])(
    'is the links to Accept: %s',
    async (accept) => {
      const answer = await get(photoId, { accept });
      expect([answer.status, json(answer.body).manifestUrl]).toEqual([200, `${service.url}/cdn/${photoId}.json`]);
    },
  );

  it.each([
    ['bare', (id: string) => id],
    ['in upper case', (id: string) => id.toUpperCase()],
    ['as a URN', (id: string) => `urn:c2pa:${id}`],
    ['as a URN with its colons escaped', (id: string) => `urn%3Ac2pa%3a${id}`],
    ['as a URN in upper case', (id: string) => `URN:C2PA:${id.toUpperCase()}`],
  ])('may be asked for by its id %s', async (_, write) => {
    expect((await get(write(photoId))).status).toBe(200);
    expect((await get(write(photoId), { accept: 'application/c2pa' })).headers['content-type']).toBe(
      'application/c2pa',
    );
  });

  it.each([
    ['unknown', crypto.randomUUID()],
    ['an unknown URN', `urn:c2pa:${crypto.randomUUID()}`],
    ['another URN', `urn:uuid:${crypto.randomUUID()}`],
    ['a URN in a URN', `urn:c2pa:urn:c2pa:${crypto.randomUUID()}`],
    ['a URN of nothing', 'urn:c2pa:'],
    ['nothing', ''],
    ['a word', 'manifest'],
    ['a number', '0'],
    ['a name with an end', `${crypto.randomUUID()}.json`],
    ['braces round it', `{${crypto.randomUUID()}}`],
    ['of a thousand letters', 'a'.repeat(1_000)],
    ['a path upwards', '../../etc/passwd'],
    ['a path upwards, escaped', '..%2f..%2fetc%2fpasswd'],
    ['a path upwards, escaped twice', '..%252f..%252fetc%252fpasswd'],
    ['a NUL', '%00'],
    ['a quote', "'%20or%201=1--"],
    ['a word of JavaScript', '__proto__'],
    ['letters of another script', '%E2%98%83'],
    ['half a letter', '%E2%98'],
    ['a percent sign alone', '%'],
    ['a percent sign and rubbish', '%zz'],
  ])('whose id is %s is not found', async (_, id) => {
    for (const accept of ['*/*', 'application/c2pa']) {
      const answer = await get(id, { accept });
      expect([answer.status, json(answer.body).code]).toEqual([404, 'NOT_FOUND']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('refuses a returnActiveManifest that is neither true nor false', async () => {
    expect((await get(photoId, {}, '?returnActiveManifest=maybe')).status).toBe(400);
    expect((await get(photoId, {}, '?returnActiveManifest=false')).status).toBe(200);
  });

  it('with earlier versions comes with them, or as the active one alone, which the reference implementation reads', async () => {
    const [first, second] = [newFile(), newFile()];
    const firstId = await register(service, mark, first, { filename: 'one' });
    const fields = { filename: 'two', previousFingerprint: first.fingerprint };
    const secondId = await register(service, mark, second, fields);
    await untilSubmitted(service, owner.token, second);
    const sidecar = { accept: 'application/c2pa' };
    const whole = (await get(secondId, sidecar)).body;
    const active = (await get(secondId, sidecar, '?returnActiveManifest=true')).body;
    expect(childrenOf(whole).map(labelOf)).toEqual([`urn:c2pa:${firstId}`, `urn:c2pa:${secondId}`]);
    expect(childrenOf(active).map(labelOf)).toEqual([`urn:c2pa:${secondId}`]);
    // Byte for byte as it was signed.
    expect(
      childrenOf(active)
        .at(-1)
        ?.equals(childrenOf(whole).at(-1) ?? Buffer.alloc(0)),
    ).toBe(true);

    const reader = await readerOf(dataDir);
    const report = await reader.read('application/c2pa', active);
    const checks = (codes: string[]) => expect.arrayContaining(codes.map((code) => expect.objectContaining({ code })));
    expect(report).toMatchObject({
      active_manifest: `urn:c2pa:${secondId}`,
      validation_results: {
        activeManifest: {
          success: checks(['claimSignature.validated', 'signingCredential.trusted', 'timeStamp.validated']),
          // The second: there is no file beside it.
          failure: [{ code: 'ingredient.manifest.missing' }, { code: 'assertion.dataHash.mismatch' }],
        },
      },
    });
  });
});

describe('what the service says about itself', () => {
  it('is its one algorithm, by its canonical name', async () => {
    const { status, body } = await call(service, 'GET', '/api/c2pa/services/supportedAlgorithms');
    expect([status, body]).toEqual([200, { fingerprints: [{ alg: ALGORITHM }] }]);
  });

  it('is what it can do, by which specification', async () => {
    const { status, body } = await call(service, 'GET', '/api/c2pa/services/capabilities');
    expect(status).toBe(200);
    expect(body).toEqual({
      c2paSpecificationVersion: '2.2',
      supportedCapabilities: ['byBinding', 'byContent', 'manifests'],
    });
  });

  it('is that it is well, and what time it is', async () => {
    const before = Date.now();
    const { status, body } = await call(service, 'GET', '/api/c2pa/services/status');
    expect([status, body.status]).toEqual([200, 'ok']);
    expect(Date.parse(body.timestamp)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.timestamp)).toBeLessThanOrEqual(Date.now());
  });

  it('is at a well-known address, and every address there answers', async () => {
    const { body } = await call(service, 'GET', '/.well-known/c2pa-soft-binding-resolution');
    expect(body).toEqual({
      apiEndpoint: api,
      c2paSpecificationVersion: '2.2',
      capabilitiesEndpoint: `${api}/services/capabilities`,
      statusEndpoint: `${api}/services/status`,
    });
    for (const url of [
      body.capabilitiesEndpoint,
      body.statusEndpoint,
      `${body.apiEndpoint}/services/supportedAlgorithms`,
    ])
      expect((await fetch(url)).status).toBe(200);
  });

  it('is where its contract is, and what can be asked of it', async () => {
    const { status, headers, body } = await call(service, 'GET', '/c2pa/contract');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      abi: JSON.parse(JSON.stringify(contentRegistryAbi)),
      chainId: 31_337,
      rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    const node = await call({ url: body.rpcUrl }, 'POST', '', {
      body: { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [body.address, 'latest'] },
    });
    expect(node.body.result.length).toBeGreaterThan(1000);
  });
});

describe('an Artifact under a private Mark', () => {
  it('is found like any other, and the lookup tells nothing more', async () => {
    const { body } = await createMark(service, owner, { name: 'Secret project', visibility: 'private' });
    const file = newFile();
    const manifestId = await register(service, { token: owner.token, markId: body.id }, file, { filename: 'plan.txt' });
    const match = { manifestId, endpoint: api, similarityScore: 100 };
    expect((await lookUp(service, file.value)).body).toEqual({ matches: [match] });
    await untilSubmitted(service, owner.token, file);
    const { body: links } = await call(service, 'GET', `/api/c2pa/manifests/${manifestId}`);
    const accept = { headers: { accept: 'application/c2pa' } };
    const sidecar = (await sendRaw(service, `/api/c2pa/manifests/${manifestId}`, accept)).body;
    const told = [JSON.stringify(links), await (await fetch(links.manifestUrl)).text(), sidecar.toString('latin1')];
    for (const secret of ['Secret project', 'plan.txt', owner.name, owner.id, body.id]) {
      expect(told.filter((text) => text.includes(secret))).toEqual([]);
    }
  });
});

describe('anyone', () => {
  const requests = (): [method: string, path: string, init: { headers?: Record<string, string>; body?: Buffer }][] => {
    const binding = `/api/c2pa/matches/byBinding?alg=sha256&value=${encodeURIComponent(photo.value)}`;
    const json = { 'content-type': 'application/json' };
    const unknown = crypto.randomUUID();
    return [
      ['GET', '/api/c2pa/services/supportedAlgorithms', {}],
      ['GET', '/api/c2pa/services/capabilities', {}],
      ['GET', '/api/c2pa/services/status', {}],
      ['GET', '/.well-known/c2pa-soft-binding-resolution', {}],
      ['GET', '/c2pa/contract', {}],
      ['GET', binding, {}],
      [
        'POST',
        '/api/c2pa/matches/byBinding',
        { headers: json, body: Buffer.from(JSON.stringify({ alg: 'sha256', value: photo.value })) },
      ],
      ['POST', '/api/c2pa/matches/byContent', { body: photo.bytes }],
      ['GET', `/api/c2pa/manifests/${photoId}`, {}],
      ['GET', `/api/c2pa/manifests/${photoId}`, { headers: { accept: 'application/c2pa' } }],
      // And what is refused.
      ['GET', `/api/c2pa/manifests/${unknown}`, {}],
      ['GET', '/api/c2pa/matches/byBinding?alg=md5&value=', {}],
      ['POST', '/api/c2pa/matches/byBinding', { headers: json, body: Buffer.from('{') }],
      ['POST', '/api/c2pa/matches/byBinding', { headers: { 'content-type': 'text/plain' }, body: Buffer.from('{}') }],
      ['POST', '/api/c2pa/matches/byContent', { body: Buffer.alloc(MAX_UPLOAD_BYTES + 1) }],
      ['GET', '/api/c2pa/nothing/here', {}],
      ['GET', `/api/c2pa/manifests/%zz`, {}],
      ['GET', `/api/c2pa/matches/byBinding?value=${'A'.repeat(9_000)}`, {}],
      ['POST', '/api/c2pa/manifests', { headers: json, body: Buffer.from('{}') }],
    ];
  };
  const origin = { origin: 'https://pages.example' };

  it('may ask from a page of any origin, and may read refusals there too; no cookie is ever set', async () => {
    for (const [method, path, { headers, body }] of requests()) {
      const answer = await sendRaw(service, path, {
        method,
        headers: { ...headers, ...origin },
        ...(body && { body }),
      });
      const { 'access-control-allow-origin': allowed, 'set-cookie': cookie } = answer.headers;
      expect([path, allowed, cookie]).toEqual([path, '*', undefined]);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('may send a credential that is rubbish: it is not looked at', async () => {
    for (const [method, path, { headers, body }] of requests().slice(0, 11)) {
      const send = (more: Record<string, string>) =>
        sendRaw(service, path, { method, headers: { ...headers, ...more }, ...(body && { body }) });
      const expected = (await send({})).status;
      for (const authorization of [
        'Bearer rubbish',
        'Basic dXNlcjpwYXNz',
        '',
        'Bearer',
        'Bearer svc_0000000000000000000000',
      ]) {
        expect([path, (await send({ authorization })).status]).toEqual([path, expected]);
      }
      expect([path, (await send({ cookie: 'session=1' })).status]).toEqual([path, expected]);
    }
  });

  it('but needs one for making a manifest', async () => {
    const answer = await call(service, 'POST', '/api/c2pa/manifests', {
      body: {},
      headers: { authorization: rubbish },
    });
    expect(refusal(answer)).toEqual([401, 'UNAUTHORIZED']);
    expect(refusal(await call(service, 'POST', '/api/c2pa/manifests', { body: {} }))).toEqual([401, 'UNAUTHORIZED']);
  });

  it.each([
    ['/api/c2pa/matches/byBinding', 'POST', 'content-type'],
    ['/api/c2pa/matches/byContent', 'POST', 'content-type'],
    ['/api/c2pa/manifests', 'POST', 'authorization, content-type, idempotency-key'],
    ['/api/c2pa/manifests/some-id', 'GET', 'x-request-id'],
    ['/api/c2pa/services/status', 'GET', 'x-request-id'],
    ['/c2pa/contract', 'GET', 'x-request-id'],
    ['/.well-known/c2pa-soft-binding-resolution', 'GET', 'x-request-id'],
  ])('may send from a page to %s what its browser asks about first', async (path, method, headers) => {
    const asked = { 'access-control-request-method': method, 'access-control-request-headers': headers };
    const answer = await call(service, 'OPTIONS', path, { headers: { ...origin, ...asked } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const allowed = (name: string) => (answer.headers.get(name) ?? '').toLowerCase().split(', ');
    expect(allowed('access-control-allow-methods')).toContain(method.toLowerCase());
    expect(allowed('access-control-allow-headers')).toEqual(expect.arrayContaining(headers.split(', ')));
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it('may read on a page where a manifest was put', async () => {
    const { headers } = await call(service, 'GET', '/api/c2pa/services/status');
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['link', 'location', 'x-request-id']));
  });

  it('on a page may not reach the rest of the API', async () => {
    const { headers } = await call(service, 'GET', '/api/v1/me', { headers: origin });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const preflight = { ...origin, 'access-control-request-method': 'GET' };
    const answer = await call(service, 'OPTIONS', '/api/v1/me', { headers: preflight });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, null]);
  });
});

describe("the C2PA's own document of the API", () => {
  const schemas = official.components.schemas;
  type Described = { parameters?: { name: string; in: string }[]; responses: Record<string, unknown> };
  const operations = Object.entries(official.paths).flatMap(([path, methods]) =>
    Object.entries<Described>(methods).map(([method, described]) => ({ path, method, described })),
  );

  it.each(operations)(
    'has $method $path, and so has ours, with every parameter',
    async ({ path, method, described }) => {
      const document = JSON.parse(await (await fetch(`${service.url}/api/openapi.json`)).text());
      const ours = document.paths[`/api/c2pa${path}`]?.[method];
      const names = (list: { name: string; in: string }[] = []) => list.map((one) => `${one.in} ${one.name}`).sort();
      expect(names(ours.parameters)).toEqual(expect.arrayContaining(names(described.parameters)));
      expect(ours.security ?? []).toEqual([]);
    },
  );

  it('takes our answers', async () => {
    const Found = Compile(schemas['c2pa.softBindingQueryResult']);
    const Algorithms = Compile(schemas['c2pa.softBindingAlgList']);
    for (const value of [photo.value, newFile().value]) {
      expect(Found.Errors((await lookUp(service, value)).body)).toEqual([true, []]);
    }
    const { body } = await call(service, 'GET', '/api/c2pa/services/supportedAlgorithms');
    expect(Algorithms.Errors(body)).toEqual([true, []]);
  });

  it('has examples of lookups that we answer as it says', async () => {
    const Query = Compile(schemas['c2pa.softBindingQuery']);
    expect(Query.Check({ alg: ALGORITHM, value: photo.value })).toBe(true);
    for (const returnActiveManifest of ['true', 'false']) {
      const path = `/api/c2pa/manifests/${photoId}?returnActiveManifest=${returnActiveManifest}`;
      const answer = await sendRaw(service, path, { headers: { accept: 'application/c2pa' } });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/c2pa']);
    }
  });
});
