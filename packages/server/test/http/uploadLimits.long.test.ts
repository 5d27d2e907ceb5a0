// Uploads that stall or crowd out others: limits of their number, speed and memory.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ports } from '../../src/domain/ports/index.js';
import type { HttpLimits } from '../../src/http/budgets/limits.js';
import { buildBareServer } from '../support/bareServer.js';
import { parseRaw } from '../support/rawHttp.js';

const apps: ReturnType<typeof buildBareServer>[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

/** Finds every file. Trusts `X-Forwarded-For` from this machine. */
async function listenWith(limits: Partial<HttpLimits>): Promise<Server> {
  const ports = {
    store: { lookups: { findHolder: async () => ({ kind: 'artifact', artifactId: 'an-id' }) } },
  } as unknown as Ports;
  const options = { ports, maxUploadBytes: 100_000_000, trustedProxies: ['127.0.0.1'] };
  const app = buildBareServer({ lingerMs: 50, ...limits }, options);
  apps.push(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server;
}

interface Sender {
  readonly socket: Socket;
  /** Of the whole response, when the server or `end` closes the connection. */
  readonly response: Promise<ReturnType<typeof parseRaw>>;
  send(bytes: Buffer | string): Promise<void>;
}

/** A request whose body is sent by hand. Resolves when the server has its headers. */
async function begin(
  server: Server,
  path: string,
  { client = '192.0.2.1', type = 'video/mp4', length = 1_000_000 } = {},
): Promise<Sender> {
  const arrived = once(server, 'request');
  const socket = connect(portOf(server), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const response = new Promise<ReturnType<typeof parseRaw>>((resolve) => {
    socket.once('close', () => received && resolve(parseRaw(received)));
  });
  await once(socket, 'connect');
  const send = (bytes: Buffer | string) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  const headers = `host: a\r\nx-forwarded-for: ${client}\r\ncontent-type: ${type}\r\ncontent-length: ${length}`;
  await send(`POST ${path} HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`);
  await arrived;
  return { socket, response, send };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const content = '/api/c2pa/matches/byContent';
const binding = '/api/c2pa/matches/byBinding';
const slow = { uploadCheckMs: 100, uploadBytesPerCheck: 10 };
const form = 'multipart/form-data; boundary=part';

describe('an upload', () => {
  it.each([
    ['a file', { type: 'video/mp4' }, 'a'.repeat(20)],
    ['a form', { type: form }, '--part\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\naaaaa'],
    [
      'a form without a file',
      { type: form },
      '--part\r\ncontent-disposition: form-data; name="alg"\r\n\r\naaaaaaaaaaa',
    ],
    ['a file without a byte', { type: 'video/mp4' }, ''],
  ])('that stalls gets 408 and is disconnected: %s', async (_, options, start) => {
    const upload = await begin(await listenWith(slow), content, options);
    await upload.send(start);
    const { status, body } = await upload.response;
    expect([status, body.code]).toEqual([408, 'REQUEST_TIMEOUT']);
    expect(body.error).toContain('slower than 100 bytes per second');
  });

  it('beyond those of its client gets 503 with Retry-After; other clients, and the next one, are served', async () => {
    const server = await listenWith({ uploadsPerClient: 2 });
    const first = await begin(server, content);
    await begin(server, content);
    const third = await (await begin(server, content)).response;
    expect([third.status, third.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(third.head).toContain('retry-after: ');
    const upload = async (client: string) => {
      const sender = await begin(server, content, { client, length: 5 });
      await sender.send('hello');
      return (await sender.response).status;
    };
    expect(await upload('192.0.2.2')).toBe(200);
    first.socket.destroy();
    await expect.poll(() => upload('192.0.2.1')).toBe(200);
  });

  it('of another client takes the place of one of those with the most, when there are too many in total', async () => {
    const server = await listenWith({ uploads: 3, uploadsPerClient: 3 });
    const stalled = [await begin(server, content), await begin(server, content), await begin(server, content)];
    const refused = await (await begin(server, content)).response;
    expect(refused.status).toBe(503);
    const sender = await begin(server, content, { client: '192.0.2.2', length: 5 });
    await sender.send('hello');
    expect((await sender.response).status).toBe(200);
    const ended = await Promise.race(stalled.map(({ response }) => response));
    expect([ended.status, ended.body.code]).toEqual([503, 'UNAVAILABLE']);
  });
});

describe('a lookup by content', () => {
  const marker = Buffer.from('jumdc2pa');
  const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

  /** Nothing is found by fingerprint; no manifest can be read, after this. */
  async function listenWithoutMatches(limits: Partial<HttpLimits>, read = Promise.resolve()) {
    const ports = {
      store: { lookups: { findHolder: async () => ({ kind: 'none' }) } },
      media: { inspect: async () => ({ kind: 'image', mediaType: 'image/png' }) },
      manifestInspector: { inspect: () => read },
    } as unknown as Ports;
    const options = { ports, maxUploadBytes: 100_000_000, trustedProxies: ['127.0.0.1'] };
    const app = buildBareServer({ lingerMs: 50, ...limits }, options);
    apps.push(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    return app.server;
  }

  it.each([
    ['an image with a manifest', [png, Buffer.alloc(120_000), marker], 503],
    ['one whose manifest arrives first', [png, marker, Buffer.alloc(150_000)], 503],
    ['one that fits', [png, marker, Buffer.alloc(50_000)], 200],
    ['an image without one', [png, Buffer.alloc(150_000)], 200],
    ['another file', [Buffer.from('PK\x03\x04'), marker, Buffer.alloc(150_000)], 200],
    ['an image that is too large for recognition', [png, marker, Buffer.alloc(20_000_000)], 200],
  ])('that has no memory for %s', async (_, parts, status) => {
    const server = await listenWithoutMatches({ publicMemoryBytes: 100_000 });
    const body = Buffer.concat(parts);
    const sender = await begin(server, content, { type: 'image/png', length: body.length });
    await sender.send(body);
    const response = await sender.response;
    expect([response.status, response.body.code]).toEqual([status, status === 503 ? 'UNAVAILABLE' : undefined]);
    if (status === 503) expect(response.head).toContain('retry-after: ');
  });

  it.each([
    ['the same client', () => '192.0.2.1'],
    ['other clients', (count: number) => `192.0.2.${count}`],
  ])('waits for the images of %s that fill the memory, and is not refused', async (_, clientOf) => {
    let finishReading = () => {};
    const reading = new Promise<void>((resolve) => {
      finishReading = resolve;
    });
    const server = await listenWithoutMatches({ publicMemoryBytes: 100_000 }, reading);
    const image = Buffer.concat([png, marker, Buffer.alloc(60_000)]);
    const senders: Sender[] = [];
    for (let count = 0; count < 4; count += 1) {
      const sender = await begin(server, content, {
        client: clientOf(count),
        type: 'image/png',
        length: image.length,
      });
      await sender.send(image);
      senders.push(sender);
    }
    finishReading();
    const statuses = await Promise.all(senders.map(async ({ response }) => (await response).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  it('does not wait for long for the image of another client that is slow', async () => {
    const server = await listenWithoutMatches({ publicMemoryBytes: 100_000, fileTurnMs: 100 });
    const image = Buffer.concat([png, marker, Buffer.alloc(60_000)]);
    const slow = await begin(server, content, { client: '192.0.2.1', type: 'image/png', length: image.length });
    await slow.send(image.subarray(0, 10_000));
    const other = await begin(server, content, { client: '192.0.2.2', type: 'image/png', length: image.length });
    await other.send(image);
    expect((await other.response).status).toBe(200);
    await slow.send(image.subarray(10_000));
    expect((await slow.response).status).toBe(200);
  });
});

describe('JSON bodies', () => {
  const json = JSON.stringify({ alg: 'com.service.sha256', value: Buffer.alloc(32).toString('base64') });
  const type = 'application/json';

  it.each([
    ['of the same client', '192.0.2.1'],
    ['of another client', '192.0.2.2'],
  ])('that are never completed do not keep the memory from those %s', async (_, client) => {
    const server = await listenWith({ bodyMemoryBytes: 400_000 });
    const stalled: Sender[] = [];
    for (let count = 0; count < 4; count += 1) stalled.push(await begin(server, binding, { type, length: 117_000 }));
    for (const { send } of stalled) await send(Buffer.alloc(110_000, ' '));
    // Three fit; the fourth is not smaller than they are.
    expect(await Promise.race(stalled.map(async ({ response }) => (await response).status))).toBe(503);
    const bodies = Array.from({ length: 3 }, async () => {
      const sender = await begin(server, binding, { client, type, length: 80_000 });
      await sender.send(json.padEnd(80_000));
      return (await sender.response).status;
    });
    expect(await Promise.all(bodies)).toEqual([200, 200, 200]);
  });
});
