// Requests that are small to send and could be large to handle: deeply nested, compressed, or with very many parts. Each gets
// its answer, and the service stays available. Slow clients: http/slowClients.long.test.ts.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  fieldParts,
  filePart,
  newFingerprint,
  type Part,
  type RegistryProcess,
  sendForm,
  startRegistryProcess,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { exchange, parseRaw } from '../support/rawHttp.js';

const MEGABYTE = 1_048_576;

let service: RegistryProcess;
let port: number;
let user: TestUser;
let markId: string;

beforeAll(async () => {
  service = await startRegistryProcess({ ...(await unreachableChain()), MAX_UPLOAD_BYTES: String(MEGABYTE) });
  port = Number(new URL(service.url).port);
  user = await createUser(service);
  markId = (await createMark(service, user)).body.id;
});

const statusOf = async (path: string, init: RequestInit) => (await fetch(`${service.url}${path}`, init)).status;

describe('a body of JSON', () => {
  const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const withKeys = (count: number) =>
    JSON.stringify({ name: 'a', ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])) });

  // With and without what makes them larger than the operation takes.
  it.each<[string, string, number]>([
    ['with lists nested half a million deep', nested('[', ']', MEGABYTE / 2), 413],
    ['with lists nested 10,000 deep', nested('[', ']', 10_000), 400],
    ['with a list that never ends', '['.repeat(20_000), 400],
    ['with objects nested 2,000 deep', `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, 400],
    ['with __proto__ at its deepest', `${'{"a":'.repeat(10)}{"__proto__":1}${'}'.repeat(10)}`, 400],
    ['with 80,000 keys', withKeys(80_000), 413],
    ['with 2,000 keys', withKeys(2_000), 400],
    ['with a number of a million digits', `{"name":"a","license":1${'0'.repeat(1_000_000)}}`, 413],
    ['with a number of 20,000 digits', `{"name":"a","license":1${'0'.repeat(20_000)}}`, 400],
    ['with an infinite number', '{"name":"a","visibility":1e999999}', 400],
    ['with a name of a million letters', JSON.stringify({ name: 'a'.repeat(1_000_000) }), 413],
    ['with a name of 20,000 letters', JSON.stringify({ name: 'a'.repeat(20_000) }), 400],
    ['with 4,000 escapes', `{"name":"${'\\u0041'.repeat(4_000)}"}`, 400],
    ['with one key 2,000 times', `{${'"name":"a",'.repeat(2_000)}"name":"b"}`, 400],
    ['with one key 100 times', `{${'"name":"a",'.repeat(100)}"name":"b"}`, 201],
  ])('%s is answered', async (_, body, status) => {
    const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
    expect(await statusOf('/api/v1/marks', { method: 'POST', headers, body })).toBe(status);
  });

  it.each(['gzip', 'deflate', 'br', 'zstd', 'x-unknown'])('is never decompressed (%s)', async (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    const body = gzipSync(Buffer.alloc(MEGABYTE, ' '));
    expect(await statusOf('/api/v1/auth/login', { method: 'POST', headers, body })).toBe(400);
  });
});

describe('a URL', () => {
  it.each<[string, string, number]>([
    ['with 2,000 parameters', Array.from({ length: 2_000 }, (_, i) => `${i}=`).join('&'), 414],
    ['with 1,500 parameters', Array.from({ length: 1_500 }, (_, i) => `${i}`).join('&'), 200],
    ['with one parameter 900 times', Array.from({ length: 900 }, () => 'limit=1').join('&'), 400],
    ['with separators only', '&'.repeat(8_000), 200],
    ['with nested brackets', `a${'[b]'.repeat(2_500)}=1`, 200],
  ])('%s is answered', async (_, query, status) => {
    expect(await statusOf(`/api/v1/gallery/marks?${query}`, {})).toBe(status);
  });
});

describe('headers', () => {
  it.each<[string, string[], number]>([
    ['1,000 short ones', Array.from({ length: 1_000 }, (_, i) => `a${i}: b`), 200],
    ['5,000 short ones', Array.from({ length: 5_000 }, (_, i) => `a${i}: b`), 431],
    ['one of 20 kB', [`a: ${'b'.repeat(20_000)}`], 431],
    ['one name of 20 kB', [`${'a'.repeat(20_000)}: b`], 431],
    ['an endless list of types', [`accept: ${'a/b;q=0.1,'.repeat(1_200)}`], 200],
    ['an endless list of tags', [`if-none-match: ${'"a",'.repeat(3_000)}`], 200],
    ['many ranges', [`range: bytes=${'0-,'.repeat(4_000)}0-`], 200],
  ])('%s are answered', async (_, lines, status) => {
    const head = ['GET /healthz HTTP/1.1', 'host: a', 'connection: close', ...lines].join('\r\n');
    expect(parseRaw(await exchange(port, (socket) => socket.write(`${head}\r\n\r\n`))).status).toBe(status);
  });
});

describe('a form', () => {
  const fields = () => fieldParts({ markId, fingerprint: newFingerprint(), filename: 'a.txt' });
  const numbered = (count: number): Part[] => Array.from({ length: count }, (_, i) => ({ name: `f${i}`, content: '' }));
  const part = (headers: string) => `--${BOUNDARY}\r\n${headers}\r\n\r\n\r\n`;
  const end = `--${BOUNDARY}--\r\n`;

  it.each<[string, () => Part[] | Buffer, number]>([
    ['with 1,000 fields', () => [...fields(), ...numbered(1_000)], 400],
    ['with 1,000 files', () => [...fields(), ...Array.from({ length: 1_000 }, () => filePart('x'))], 400],
    ['with a field of a megabyte', () => [...fields(), { name: 'size', content: '1'.repeat(MEGABYTE) }], 413],
    ['with a field name of 10 kB', () => [...fields(), { name: 'a'.repeat(10_000), content: '' }], 400],
    ['with a file name of 60 kB', () => [...fields(), filePart('x', `${'a'.repeat(60_000)}.txt`)], 400],
    ['with a part of 10,000 headers', () => Buffer.from(part('a: b\r\n'.repeat(10_000)) + end), 400],
    [
      'with a part header that never ends',
      () => Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: ${'a'.repeat(MEGABYTE)}`),
      400,
    ],
    ['of boundaries only', () => Buffer.from(`--${BOUNDARY}\r\n`.repeat(20_000) + end), 400],
    ['with nothing after a megabyte of preamble', () => Buffer.from('a'.repeat(MEGABYTE)), 400],
  ])('%s is answered', async (_, form, status) => {
    expect((await sendForm(service, user, form())).status).toBe(status);
  });

  it('with a boundary of 10 kB is answered', async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${'b'.repeat(10_000)}` };
    expect((await sendForm(service, user, [], { headers })).status).toBe(400);
  });
});

describe('clients that are answered before all of their request has arrived', () => {
  /** A file that is larger than allowed, of which a part is sent. Resolves with the first bytes of the response. */
  async function sendTooMuch(): Promise<{ socket: Socket; response: string }> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const head = ['POST /api/c2pa/matches/byContent HTTP/1.1', 'host: a', 'content-type: application/octet-stream'];
    socket.write(`${[...head, `content-length: ${10 * MEGABYTE}`].join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(2 * MEGABYTE));
    const [response] = await once(socket, 'data');
    return { socket, response: String(response) };
  }

  it('may disconnect or stay: the service goes on', async () => {
    const { socket: leaving, response } = await sendTooMuch();
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    leaving.destroy();
    const { socket: staying } = await sendTooMuch();
    // It is disconnected when its time is up, which is after that of the first.
    await new Promise((resolve) => staying.once('close', resolve));
    expect(await statusOf('/healthz', {})).toBe(200);
  });
});

describe('idle connections', () => {
  it('by the thousand keep no other client from being served', async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < 1_000; count += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
    }
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(await statusOf('/readyz', {})).toBe(200);
    expect(await statusOf('/api/v1/me', { headers: { authorization: `Bearer ${user.token}` } })).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

it('after all of it the service answers, without an error in its log', async () => {
  expect(await statusOf('/readyz', {})).toBe(200);
  const errors = service
    .output()
    .log.split('\n')
    .filter((line) => /"level":(50|60)/.test(line));
  expect(errors).toEqual([]);
});
