// Retries when the service or the network fails. Delays are recorded instead of waited for.

import { getEventListeners } from 'node:events';
import { api, exampleArtifact, type Operation } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../test/support/ports.js';
import { createClientIn } from '../src/client.js';
import { defaultEnvironment, type Environment } from '../src/environment.js';
import {
  InvalidArgumentError,
  InvalidResponseError,
  type RegistryClient,
  ServiceUnreachableError,
} from '../src/index.js';
import {
  closeConnection,
  closeMidResponse,
  hang,
  type Responder,
  respondEndlessly,
  respondJson,
  respondText,
  respondWith,
  startScriptedServer,
  startScriptedServerAt,
} from './support/scriptedServer.js';
import { createTestClient } from './support/testClient.js';

const ok = respondJson(200, { status: 'ok' });
const unavailable = respondJson(503, { error: 'Unavailable.', code: 'UNAVAILABLE' });
const artifact = { markId: exampleArtifact.mark.id, fingerprint: exampleArtifact.fingerprint, filename: 'a' };

describe('A repeatable request', () => {
  test('is sent five times, with delays of 1, 2, 4 and 8 seconds', async () => {
    const { client, delays, events, received } = await createTestClient([unavailable]);
    const failing = client.getHealth();
    await expect(failing).rejects.toBeInstanceOf(ServiceUnreachableError);
    await expect(failing).rejects.toThrow('getHealth failed after 5 attempts: the service responded with 503.');
    expect([received.length, delays]).toEqual([5, [1000, 2000, 4000, 8000]]);
    expect(events[0]).toEqual({
      operation: 'getHealth',
      attempt: 1,
      delayMs: 1000,
      reason: 'the service responded with 503',
    });
  });

  test('has jitter that reduces a delay by up to half', async () => {
    const { client, delays } = await createTestClient([unavailable], {}, { random: () => 0 });
    await expect(client.getHealth()).rejects.toThrow(ServiceUnreachableError);
    expect(delays).toEqual([500, 1000, 2000, 4000]);
  });

  test('respects Retry-After up to 30 seconds', async () => {
    const unavailableFor = (seconds: string) => respondJson(503, {}, { 'retry-after': seconds });
    const { client, delays } = await createTestClient([
      unavailableFor('7'),
      unavailableFor('3600'),
      unavailableFor('soon'),
      ok,
    ]);
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(delays).toEqual([7000, 30_000, 4000]);
  });

  test.each([
    ['half of the responses are 503', [unavailable, ok]],
    ['a proxy reports a bad gateway in HTML', [respondText(502, '<h1>Bad gateway</h1>'), ok]],
    ['the connection is closed before the response', [closeConnection, ok]],
    ['the connection is closed in the middle of the response', [closeMidResponse, ok]],
  ])('succeeds although %s', async (_, responders) => {
    const { client, received } = await createTestClient([...responders, ...responders]);
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(received.length).toBe(4);
  });

  test('fails after five refused connections', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const client = createClientIn({ ...defaultEnvironment, sleep: async () => {} }, { baseUrl });
    await expect(client.getHealth()).rejects.toThrow(/after 5 attempts: .*ECONNREFUSED/);
  });

  test('is repeated when no response arrives within the timeout', async () => {
    const timeouts: number[] = [];
    const schedule: Environment['schedule'] = (ms, work) => {
      timeouts.push(ms);
      return defaultEnvironment.schedule(1, work);
    };
    const { client, events } = await createTestClient([hang], {}, { schedule });
    await expect(client.getHealth()).rejects.toThrow(ServiceUnreachableError);
    expect([events[0]?.reason, timeouts[0]]).toEqual(['no response within 30 s', 30_000]);
    await expect(client.getArtifact({ fingerprint: artifact.fingerprint, wait: 40 })).rejects.toThrow(
      ServiceUnreachableError,
    );
    expect(timeouts.at(-1)).toBe(70_000);
  });
});

describe('A creation', () => {
  test('keeps its idempotency key in all attempts, and each creation has another key', async () => {
    const created = respondJson(201, exampleArtifact);
    const { client, received } = await createTestClient([unavailable, closeConnection, created, created]);
    await client.createArtifact(artifact);
    await client.createArtifact(artifact);
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect([keys[0], keys[1], new Set(keys).size]).toEqual([keys[2], keys[2], 2]);
    expect(keys[0]).toMatch(/^\w{32}$/);
  });

  test('uses the idempotency key of the caller', async () => {
    const { client, received } = await createTestClient([respondJson(201, exampleArtifact)]);
    await client.createArtifact(artifact, { idempotencyKey: 'mine' });
    expect(received[0]?.headers['idempotency-key']).toBe('mine');
  });

  test('without an idempotency key is sent only once', async () => {
    const notRepeatable = [
      'signUp',
      'createMark',
      'createOrganization',
      'createApiKey',
      'createMarkInvitation',
    ] as const;
    for (const name of notRepeatable) {
      const { client, received } = await createTestClient([closeConnection, ok]);
      const example: Operation = api[name];
      const call = client[name] as (input: unknown) => Promise<unknown>;
      await expect(call({ markId: 'x', ...Object(example.exampleBody) })).rejects.toThrow(ServiceUnreachableError);
      expect(received.length).toBe(1);
    }
  });
});

describe('A signed copy', () => {
  const file = new Uint8Array(3);
  const requestCopies = {
    createSignedCopy: (client: RegistryClient) => client.createSignedCopy({ fingerprint: artifact.fingerprint, file }),
    signImage: (client: RegistryClient) => client.signImage({ markId: artifact.markId, file }),
  };
  const failures = { 'closed connection': closeConnection, 'response cut off': closeMidResponse, '503': unavailable };

  test.each(Object.keys(requestCopies) as (keyof typeof requestCopies)[])(
    'of %s is requested once if the service may have made it',
    async (name) => {
      for (const [reason, responder] of Object.entries(failures)) {
        const { client, received } = await createTestClient([responder, ok]);
        await expect(requestCopies[name](client), reason).rejects.toThrow(ServiceUnreachableError);
        expect([reason, received.length]).toEqual([reason, 1]);
      }
    },
  );

  test('is requested again while no connection can be made', async () => {
    const port = await freePort();
    const image = respondWith(201, {
      'content-type': 'image/png',
      location: '/api/v1/artifacts/x',
      link: '<y>; rel="z"',
    });
    const delays: number[] = [];
    const sleep = async (ms: number) => {
      delays.push(ms);
      if (delays.length === 2) await startScriptedServerAt(port, image);
    };
    const client = createClientIn({ ...defaultEnvironment, sleep }, { baseUrl: `http://127.0.0.1:${port}` });
    expect(await requestCopies.createSignedCopy(client)).toEqual({
      image: new Uint8Array(0),
      mediaType: 'image/png',
      location: `http://127.0.0.1:${port}/api/v1/artifacts/x`,
      manifestUrl: undefined,
    });
    expect(delays.length).toBe(2);
  });

  test('must be an image', async () => {
    const { client } = await createTestClient([respondJson(201, {})]);
    await expect(requestCopies.createSignedCopy(client)).rejects.toThrow(InvalidResponseError);
  });
});

describe('A final response is not requested again:', () => {
  test.each([
    [
      'a refusal',
      respondJson(403, { error: 'No.', code: 'FORBIDDEN' }),
      { name: 'ApiError', code: 'FORBIDDEN', status: 403 },
    ],
    [
      'a refusal with an unknown code',
      respondJson(403, { error: 'No.', code: 'NEW' }),
      { name: 'ApiError', code: 'FORBIDDEN' },
    ],
    ['an error page of another server', respondText(404, '<h1>Not found</h1>'), { name: 'InvalidResponseError' }],
    ['an HTML page', respondText(200, '<h1>Welcome</h1>'), { name: 'InvalidResponseError' }],
    ['an undocumented response', respondJson(200, { status: 'fine' }), { name: 'InvalidResponseError' }],
    ['an endless response', respondEndlessly, { name: 'InvalidResponseError' }],
  ])('%s', async (_, responder, expected) => {
    const { client, received } = await createTestClient([responder]);
    await expect(client.getHealth()).rejects.toMatchObject(expected);
    expect(received.length).toBe(1);
  });

  test('unknown fields are kept', async () => {
    const { client } = await createTestClient([respondJson(200, { status: 'ok', since: 'today' })]);
    expect(await client.getHealth()).toEqual({ status: 'ok', since: 'today' });
  });
});

describe('An abort', () => {
  test('by the caller ends a hanging request without a retry', async () => {
    const controller = new AbortController();
    const { client, received } = await createTestClient([
      (...exchange) => {
        hang(...exchange);
        controller.abort(new Error('enough'));
      },
    ]);
    const calling = client.getHealth({ signal: controller.signal });
    await expect(calling).rejects.toThrow('enough');
    expect(received.length).toBe(1);
  });

  test('ends the delay between two attempts', async () => {
    const controller = new AbortController();
    const { client, received } = await createTestClient(
      [unavailable],
      { signal: controller.signal, onRetry: () => controller.abort(new Error('enough')) },
      { sleep: defaultEnvironment.sleep },
    );
    await expect(client.getHealth()).rejects.toThrow('enough');
    expect(received.length).toBe(1);
  });

  test('before the call prevents the request', async () => {
    const { client, received } = await createTestClient([ok], { signal: AbortSignal.abort(new Error('before')) });
    await expect(client.getHealth()).rejects.toThrow('before');
    expect(received.length).toBe(0);
  });

  test('ends all concurrent calls, and a shared signal has one listener', async () => {
    const controller = new AbortController();
    let [requests, listeners] = [0, 0];
    const responder: Responder = () => {
      requests += 1;
      listeners = getEventListeners(controller.signal, 'abort').length;
      if (requests === 20) controller.abort(new Error('enough'));
    };
    const { client } = await createTestClient([responder], { signal: controller.signal });
    const calls = Array.from({ length: 20 }, () => client.getHealth({ signal: controller.signal }));
    const results = await Promise.allSettled(calls);
    expect(results.every((result) => result.status === 'rejected' && result.reason === controller.signal.reason)).toBe(
      true,
    );
    expect(listeners).toBe(1);
  });
});

test('the credential is sent only where it is required', async () => {
  const { client, received } = await createTestClient([respondJson(200, {})], { credential: 'secret' });
  await client.getMe().catch((error) => expect(error).toBeInstanceOf(InvalidResponseError));
  await client.getHealth().catch((error) => expect(error).toBeInstanceOf(InvalidResponseError));
  const server = await startScriptedServer(respondJson(200, {}));
  await client.download(`${server.url}/file`);
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', undefined]);
  expect(server.received[0]?.headers.authorization).toBeUndefined();
});

test.each(['file:///etc/hostname', 'data:text/plain,x', 'blob:x'])(
  '%s is not accepted as the URL of a published file',
  async (url) => {
    const { client } = await createTestClient([ok]);
    await expect(client.download(url)).rejects.toThrow(InvalidArgumentError);
  },
);
