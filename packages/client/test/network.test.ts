// Networks between the client and the service: failures that no retry cures, redirects, login pages, limits in time.

import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createSelfSignedCertificate } from '../../../test/support/tls.js';
import { createClientIn } from '../src/client.js';
import { defaultEnvironment } from '../src/environment.js';
import {
  ApiError,
  type ClientOptions,
  createClient,
  InvalidResponseError,
  type RegistryClient,
  type RetryEvent,
  ServiceUnreachableError,
} from '../src/index.js';
import {
  hang,
  type Responder,
  respondJson,
  respondText,
  respondWith,
  startScriptedServer,
} from './support/scriptedServer.js';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Resolves with the port. */
async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A client that records its retries instead of waiting. */
function createTestClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const retries: RetryEvent[] = [];
  const environment = { ...defaultEnvironment, sleep: async () => {} };
  const onRetry = (event: RetryEvent) => retries.push(event);
  return { client: createClientIn(environment, { baseUrl, onRetry, ...options }), retries };
}

/** A label of more than 63 characters does not exist, without asking a name server. */
const UNKNOWN_HOST = `${'x'.repeat(64)}.invalid`;

describe('A failure that a retry does not cure is reported at once:', () => {
  test.each<[string, () => Promise<string>, RegExp]>([
    [
      'an unknown host',
      async () => `http://${UNKNOWN_HOST}`,
      /^The host x+\.invalid does not exist\. Check the URL\.$/,
    ],
    [
      'a self-signed certificate',
      async () =>
        `https://127.0.0.1:${await listen(createHttpsServer(await createSelfSignedCertificate('127.0.0.1')))}`,
      /^The certificate of the host 127\.0\.0\.1:\d+ is not trusted: self-signed\. If you trust it, set NODE_EXTRA_CA_CERTS/,
    ],
    [
      'https where only http is spoken',
      async () => (await startScriptedServer(respondJson(200, {}))).url.replace('http:', 'https:'),
      /^The host 127\.0\.0\.1:\d+ does not accept https at this port \(\w+\)\. Check the URL\.$/,
    ],
    [
      'another protocol',
      async () => `http://127.0.0.1:${await listen(createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))}`,
      /^The host 127\.0\.0\.1:\d+ does not speak HTTP \(HPE_\w+\)\. Check the URL\.$/,
    ],
  ])('%s', async (_, start, message) => {
    const { client, retries } = createTestClient(await start());
    const error = await client.getHealth().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServiceUnreachableError);
    expect(error).toMatchObject({ isPermanent: true, message: expect.stringMatching(message) });
    expect(retries).toEqual([]);
  });

  test.each([401, 403])('status %i', async (status) => {
    const server = await startScriptedServer(respondJson(status, { error: 'No.', code: 'FORBIDDEN' }));
    await expect(createTestClient(server.url).client.getHealth()).rejects.toBeInstanceOf(ApiError);
    expect(server.received).toHaveLength(1);
  });
});

describe('A redirect', () => {
  const redirect = (status: number, location: string) => respondWith(status, { location });

  test('to another origin is named, and nothing is sent there', async () => {
    const other = await startScriptedServer(respondJson(200, { status: 'ok' }));
    const calls: [string, (client: RegistryClient) => Promise<unknown>][] = [
      ['a call', (client) => client.getMe()],
      ['a creation', (client) => client.createMark({ name: 'Ada' })],
      ['a manifest', (client) => client.manifestBytes('1')],
      ['a file', (client) => client.download(`${client.baseUrl}/cdn/1.png`)],
    ];
    for (const [name, call] of calls) {
      for (const status of [301, 302, 303, 307, 308]) {
        const { url } = await startScriptedServer(redirect(status, `${other.url}/secret?key=1`));
        const { client, retries } = createTestClient(url, { credential: 'secret' });
        const error = await call(client).catch((reason: unknown) => reason);
        expect([name, error]).toEqual([
          name,
          new InvalidResponseError(`${url} redirects to ${other.url}; use that URL if you trust it.`),
        ]);
        expect(retries).toEqual([]);
      }
    }
    expect(other.received).toEqual([]);
  });

  test('within the origin is followed by reads, with the credential, up to five times', async () => {
    const { url, received } = await startScriptedServer(
      redirect(308, '/moved'),
      redirect(302, '/again'),
      (...exchange) => respondJson(401, { error: 'Who are you?', code: 'UNAUTHORIZED' })(...exchange),
    );
    const { client } = createTestClient(url, { credential: 'secret' });
    await expect(client.getMe()).rejects.toThrow('Who are you?');
    expect(received.map(({ url: path, headers }) => [path, headers.authorization])).toEqual([
      [expect.stringContaining('/me'), 'Bearer secret'],
      ['/moved', 'Bearer secret'],
      ['/again', 'Bearer secret'],
    ]);
    const loop = await startScriptedServer(redirect(302, '/loop'));
    await expect(createTestClient(loop.url).client.getHealth()).rejects.toThrow(/redirects more than 5 times/);
    expect(loop.received).toHaveLength(6);
  });

  test('within the origin is not followed by writes', async () => {
    const { url, received } = await startScriptedServer(redirect(307, '/moved'));
    const { client } = createTestClient(url);
    await expect(client.createMark({ name: 'Ada' })).rejects.toThrow(`redirects to ${url}/moved. Check the URL`);
    expect(received).toHaveLength(1);
  });
});

describe('The login page of a network', () => {
  const page = '<!doctype html><title>Welcome to the airport</title>';
  const message = /responded with a web page instead of data\. Does your network ask you to log in/;
  test.each<[string, number, (client: RegistryClient) => Promise<unknown>]>([
    ['a call', 200, (client) => client.getHealth()],
    ['a call without a result', 200, (client) => client.deleteApiKey({ keyId: '1' })],
    ['a call that returns text', 200, (client) => client.getMetrics()],
    ['a call that is refused', 403, (client) => client.getHealth()],
    ['a manifest', 200, (client) => client.manifestBytes('1')],
    ['a file', 200, (client) => client.download(`${client.baseUrl}/cdn/1.png`)],
    ['an image', 200, (client) => client.signImage({ markId: '1', file: new Blob(['x']) })],
  ])('instead of %s (%i) is recognized', async (_, status, call) => {
    const { url } = await startScriptedServer(respondText(status, page));
    const error = await call(createTestClient(url).client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
  });

  test('or any other type is not accepted as a manifest', async () => {
    const serve = (type: string): Responder => respondWith(200, { 'content-type': type });
    const { url } = await startScriptedServer(serve('application/octet-stream'), serve('Application/C2PA; x=1'));
    const { client } = createTestClient(url);
    await expect(client.manifestBytes('1')).rejects.toThrow('is of type application/octet-stream');
    expect(await client.manifestBytes('1')).toHaveLength(0);
  });
});

describe('The limit of a client', () => {
  test('on attempts', async () => {
    const { url, received } = await startScriptedServer(respondText(503, ''));
    const { client } = createTestClient(url, { maxAttempts: 2 });
    await expect(client.getHealth()).rejects.toThrow('getHealth failed after 2 attempts');
    expect(received).toHaveLength(2);
  });

  test('on time ends a call that gets no response', async () => {
    const { url, received } = await startScriptedServer(hang);
    const client = createClient({ baseUrl: url, timeoutMs: 50 });
    await expect(client.getHealth()).rejects.toThrow(
      new ServiceUnreachableError('getHealth failed: no response within 0.05 s.'),
    );
    expect(received).toHaveLength(1);
  });

  test('on time allows no delay beyond it, and the last failure is reported', async () => {
    const { url, received } = await startScriptedServer(respondText(503, ''));
    // The first delay has half a second at least.
    const client = createClient({ baseUrl: url, timeoutMs: 499 });
    await expect(client.getHealth()).rejects.toThrow('getHealth failed: the service responded with 503.');
    expect(received).toHaveLength(1);
  });

  test('on time is extended by the time that the service is asked to wait', async () => {
    const limits: number[] = [];
    const schedule: typeof defaultEnvironment.schedule = (ms, work) => {
      limits.push(ms);
      return defaultEnvironment.schedule(1, work);
    };
    const { url } = await startScriptedServer(hang);
    const client = createClientIn({ ...defaultEnvironment, schedule }, { baseUrl: url, timeoutMs: 5000 });
    await expect(client.getArtifact({ fingerprint: `0x${'a'.repeat(64)}`, wait: 10 })).rejects.toThrow('within 15 s');
    expect(limits[0]).toBe(15_000);
  });
});
