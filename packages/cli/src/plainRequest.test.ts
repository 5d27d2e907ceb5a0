import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { sendPlainRequest, toPlainRequest } from './plainRequest.js';

const LARGE = 'x'.repeat(1_000_000);
const closers: (() => void)[] = [];
afterEach(closeServers);

function closeServers(): void {
  for (const close of closers.splice(0)) close();
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const request = toPlainRequest(url, { redirect: 'manual', ...init });
  if (!request) throw new Error(`${url} is not for a plain request`);
  return sendPlainRequest(request);
}

async function readText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return text;
    text += decoder.decode(part.value, { stream: true });
  }
}

it.each(['POST', 'PATCH', 'DELETE'])(
  'sends body and headers with %s, and reads a compressed response',
  async (method) => {
    const url = await serve(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const [type, encoding] = [request.headers['content-type'], request.headers['accept-encoding']];
      response.writeHead(201, { 'content-encoding': 'gzip', 'content-type': 'text/plain', link: ['<a>', '<b>'] });
      response.end(gzipSync(`${request.method} ${type} ${encoding} ${Buffer.concat(parts)} ${LARGE}`));
    });
    const headers = { 'content-type': 'application/json' };
    const response = await send(url, { method, headers, body: '{"name":"Zoë"}' });
    const { status, ok } = response;
    expect([status, ok, response.headers.get('Content-Type'), response.headers.get('link')]).toEqual([
      ...[201, true, 'text/plain', '<a>, <b>'],
    ]);
    expect(await readText(response)).toBe(`${method} application/json gzip {"name":"Zoë"} ${LARGE}`);
    expect(response.headers.get('retry-after')).toBeNull();
  },
);

it('does not follow redirects', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const { status, ok, headers } = await send(url);
  expect([status, ok, headers.get('location')]).toEqual([302, false, '/elsewhere']);
});

it.each([
  ['plain', { 'content-length': '10' }, Buffer.from('12345')],
  ['compressed', { 'content-encoding': 'gzip' }, gzipSync(LARGE).subarray(0, 500)],
])('a %s response that ends early fails', async (_, headers, part) => {
  const url = await serve((__, response) => {
    response.writeHead(200, headers);
    response.write(part, () => response.destroy());
  });
  await expect(readText(await send(url))).rejects.toThrow();
});

it('an abort ends a response that arrives, and a request without one', async () => {
  const url = await serve((request, response) => {
    if (request.method === 'GET') response.writeHead(200).write('part');
  });
  const arriving = new AbortController();
  const reading = readText(await send(url, { signal: arriving.signal }));
  arriving.abort();
  await expect(reading).rejects.toThrow();
  const pending = new AbortController();
  const sending = send(url, { method: 'POST', signal: pending.signal });
  pending.abort();
  await expect(sending).rejects.toMatchObject({ message: 'fetch failed', cause: { name: 'AbortError' } });
});

it('a server that refuses connections fails as with fetch', async () => {
  const url = await serve(() => {});
  closeServers();
  await expect(send(url)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
});

it('leaves to fetch what only fetch does', () => {
  const isPlain = (input: string, init: RequestInit = {}) =>
    toPlainRequest(input, { redirect: 'manual', ...init }) !== undefined;
  expect(['http://a.example', 'https://a.example/path', 'http://127.0.0.1:8080'].every((url) => isPlain(url))).toBe(
    true,
  );
  const others = [
    'http://a.example:6667',
    'http://a.example:25',
    'http://a.example:10080',
    'http://name@a.example',
    'data:,',
  ];
  expect(others.filter((url) => isPlain(url))).toEqual([]);
  const url = 'http://a.example';
  const inits: RequestInit[] = [{ redirect: 'follow' }, { body: new FormData() }, { headers: new Headers() }];
  expect(inits.filter((init) => isPlain(url, init))).toEqual([]);
});
