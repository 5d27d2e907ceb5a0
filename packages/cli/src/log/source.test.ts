import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLogSource } from './source.js';

const content = Buffer.from('x'.repeat(1_000));
const counts = new Map<string, number>();
let folder: string;
let url: string;

/** What the server does with a path, by the number of the request. */
const replies: Readonly<Record<string, (response: ServerResponse, count: number) => void>> = {
  '/log/tile/0/000': (response) => response.end(content),
  '/log/zipped': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(content)),
  '/log/bomb': (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000))),
  '/log/busy': (response, count) => (count < 3 ? response.writeHead(503).end() : response.end(content)),
  '/log/cut': (response, count) => {
    if (count > 1) return response.end(content);
    response.writeHead(200, { 'content-length': '1000' }).write('x');
    return setImmediate(() => response.destroy());
  },
  '/log/forbidden': (response) => response.writeHead(403).end(),
  '/log/down': (response) => response.writeHead(503).end(),
  '/log/gone': (response) => response.writeHead(410).end(),
};

const server = createServer(({ url: path = '' }, response) => {
  const count = (counts.get(path) ?? 0) + 1;
  counts.set(path, count);
  const reply = replies[path];
  if (reply) reply(response, count);
  else response.writeHead(404).end();
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-source-'));
  await mkdir(join(folder, 'tile/0'), { recursive: true });
  await writeFile(join(folder, 'tile/0/000'), content);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/log`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const open = (address: string, signal = new AbortController().signal) =>
  openLogSource(address, { cwd: folder, signal });

describe('a source of a log', () => {
  it('reads files of an address and of a folder, and tells which are missing', async () => {
    for (const address of [url, `${url}/`, folder, '.']) {
      const { read } = open(address);
      expect(content.equals((await read('tile/0/000', 1_000)) ?? Buffer.of())).toBe(true);
      for (const path of ['tile/0/001', 'tile/0/000/001']) expect(await read(path, 1_000)).toBeUndefined();
      await expect(read('tile/0/000', 999)).rejects.toThrow('more than 999 bytes');
    }
    expect(await open(url).read('gone', 1_000)).toBeUndefined();
    expect(() => open('http://[')).toThrow('not an address');
  });

  it('decompresses, up to the limit', async () => {
    expect((await open(url).read('zipped', 1_000))?.length).toBe(1_000);
    await expect(open(url).read('bomb', 1_000)).rejects.toThrow('more than 1000 bytes');
  });

  it('tries again what fails in passing, and nothing else', async () => {
    for (const path of ['busy', 'cut']) expect((await open(url).read(path, 1_000))?.length).toBe(1_000);
    await expect(open(url).read('forbidden', 1_000)).rejects.toThrow('status 403');
    expect([...counts].filter(([path]) => /busy|cut|forbidden|bomb/.test(path))).toEqual([
      ['/log/bomb', 1],
      ['/log/busy', 3],
      ['/log/cut', 2],
      ['/log/forbidden', 1],
    ]);
  });

  it('ends with the signal', async () => {
    const controller = new AbortController();
    const { read } = openLogSource(url, {
      cwd: folder,
      signal: controller.signal,
      onRetry: () => controller.abort(),
    });
    await expect(read('down', 10)).rejects.toThrow(/abort/i);
    expect(counts.get('/log/down')).toBe(1);
    await expect(open(url, controller.signal).read('tile/0/000', 1_000)).rejects.toThrow(/abort/i);
  });
});
