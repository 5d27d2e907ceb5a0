// Compression and entity tags, byte by byte over a real connection.

import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openApiDocument } from '@provenance-registry/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBareServer } from '../support/bareServer.js';

const app = buildBareServer({});
let url: string;
beforeAll(async () => {
  app.get('/token', (_request, reply) => reply.send({ token: 'x'.repeat(5_000) }));
  app.get('/page', (_request, reply) => reply.header('vary', 'cookie').type('text/html').send('é'.repeat(1_024)));
  app.get('/image', (_request, reply) => reply.type('image/png').send(Buffer.alloc(5_000)));
  app.post('/token', (_request, reply) => reply.send({ token: 'x'.repeat(5_000) }));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const PATH = '/api/openapi.json';
const document = JSON.stringify(openApiDocument('http://127.0.0.1', '0'));

async function send(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = openRequest(url + path, { method, headers }).end();
  const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Uint8Array) => bytes };

describe('a large response that anyone may read', () => {
  it.each([
    ['br', 'gzip, deflate, br'],
    ['br', 'br;q=0.5, gzip;q=0.1'],
    ['gzip', 'gzip'],
    ['gzip', '*'],
    ['gzip', 'br;q=0, gzip'],
    ['identity', 'gzip;q=0'],
    ['identity', 'identity'],
    ['identity', ''],
  ] as const)('is sent as %s to a client that accepts "%s"', async (encoding, accepted) => {
    const { headers, body } = await send(PATH, accepted === '' ? {} : { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers['content-length']).toBe(String(body.length));
    expect(String(decoders[encoding](body)) === document).toBe(true);
    if (encoding !== 'identity') expect(body.length).toBeLessThan(document.length / 4);
  });

  it('has the same headers for HEAD, and a tag of its own in each encoding', async () => {
    const tags = new Set<unknown>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { date: _, 'x-request-id': _id, ...headers } = (await send(PATH, { 'accept-encoding': encoding })).headers;
      const head = await send(PATH, { 'accept-encoding': encoding }, 'HEAD');
      expect([head.body.length, head.headers]).toEqual([0, expect.objectContaining(headers)]);
      tags.add(headers.etag);
    }
    expect(tags.size).toBe(3);
  });

  it('is 304 without a body for a client that has it in the encoding that it would get', async () => {
    const first = await send(PATH, { 'accept-encoding': 'br' });
    const etag = String(first.headers.etag);
    const known = { 'if-none-match': etag };
    const again = await send(PATH, { ...known, 'accept-encoding': 'br' });
    expect([again.status, again.body.length, again.headers['content-encoding']]).toEqual([304, 0, undefined]);
    for (const name of ['etag', 'vary', 'cache-control']) expect(again.headers[name]).toBe(first.headers[name]);
    expect(first.headers['cache-control']).toBe('public, max-age=300');
    expect((await send(PATH, { ...known, 'accept-encoding': 'gzip' })).status).toBe(200);
    expect((await send(PATH, { 'if-none-match': `"x", W/${etag}`, 'accept-encoding': 'br' })).status).toBe(304);
  });

  it('keeps what it depends on already, and is compressed by its bytes', async () => {
    const { headers, body } = await send('/page', { 'accept-encoding': 'br' });
    expect([headers.vary, String(brotliDecompressSync(body))]).toEqual(['cookie, Accept-Encoding', 'é'.repeat(1_024)]);
  });
});

describe('a response that is not compressed', () => {
  const accepted = { 'accept-encoding': 'br, gzip' };

  it.each([
    ['is small', '/healthz', {}, 'GET'],
    ['belongs to a request with credentials', '/token', { authorization: 'Bearer x' }, 'GET'],
    ['is not a read', '/token', {}, 'POST'],
    ['is an image', '/image', {}, 'GET'],
  ])('%s', async (_, path, headers, method) => {
    const response = await send(path, { ...accepted, ...headers }, method);
    expect([response.status, response.headers['content-encoding'], response.headers.vary]).toEqual([
      200,
      undefined,
      undefined,
    ]);
  });
});
