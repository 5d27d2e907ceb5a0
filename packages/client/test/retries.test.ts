// What the client does when the service, or the way to it, is in trouble. Time stands still: waits are written down.

import { getEventListeners } from 'node:events';
import { api, exampleArtifact, type Operation } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import { createClientIn } from '../src/client.js';
import { type Surroundings, world } from '../src/environment.js';
import {
  ApiError,
  type ClientOptions,
  InvalidResponseError,
  type RetryEvent,
  ServiceUnreachableError,
} from '../src/index.js';
import { cut, cutInside, flood, hang, json, serve, type Turn, text } from './support/troubledServer.js';

const ok = json(200, { status: 'ok' });
const unavailable = json(503, { error: 'Away.', code: 'UNAVAILABLE' });
const artifact = { markId: exampleArtifact.mark.id, fingerprint: exampleArtifact.fingerprint, filename: 'a' };

/** A client whose waits are over at once, with what it waited for. */
async function facing(turns: readonly Turn[], options: Partial<ClientOptions> = {}, more: Partial<Surroundings> = {}) {
  const server = await serve(...turns);
  const waits: number[] = [];
  const events: RetryEvent[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  const client = createClientIn(
    { ...world, random: () => 1, sleep, ...more },
    { baseUrl: server.url, onRetry: (event) => events.push(event), ...options },
  );
  return { client, waits, events, seen: server.seen };
}

describe('A request that may be sent again', () => {
  test('is sent five times, after 1, 2, 4 and 8 seconds, and then given up', async () => {
    const { client, waits, events, seen } = await facing([unavailable]);
    const failing = client.getHealth();
    await expect(failing).rejects.toBeInstanceOf(ServiceUnreachableError);
    await expect(failing).rejects.toThrow('getHealth failed after 5 attempts: the service answered 503.');
    expect([seen.length, waits]).toEqual([5, [1000, 2000, 4000, 8000]]);
    expect(events[0]).toEqual({
      operation: 'getHealth',
      attempt: 1,
      delayMs: 1000,
      reason: 'the service answered 503',
    });
  });

  test('comes back after half the time at the earliest, as chance has it', async () => {
    const { client, waits } = await facing([unavailable], {}, { random: () => 0 });
    await expect(client.getHealth()).rejects.toThrow(ServiceUnreachableError);
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  test('comes back no sooner than the service asks for, and after 30 seconds in any case', async () => {
    const asking = (seconds: string) => json(503, {}, { 'retry-after': seconds });
    const { client, waits } = await facing([asking('7'), asking('3600'), asking('soon'), ok]);
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(waits).toEqual([7000, 30_000, 4000]);
  });

  test.each([
    ['half of the answers are 503', [unavailable, ok]],
    ['a proxy says in HTML that nobody is behind it', [text(502, '<h1>Bad gateway</h1>'), ok]],
    ['the connection is cut before the answer', [cut, ok]],
    ['the connection is cut inside the answer', [cutInside, ok]],
  ])('succeeds although %s', async (_, turns) => {
    const { client, seen } = await facing([...turns, ...turns]);
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(await client.getHealth()).toEqual({ status: 'ok' });
    expect(seen.length).toBe(4);
  });

  test('is given up after five connections that were refused', async () => {
    const client = createClientIn({ ...world, sleep: async () => {} }, { baseUrl: 'http://127.0.0.1:1' });
    await expect(client.getHealth()).rejects.toThrow(/after 5 attempts: .*(ECONNREFUSED|bad port)/);
  });

  test('gets an answer that has not come within its time as if it had failed', async () => {
    const times: number[] = [];
    const after: Surroundings['after'] = (ms, work) => {
      times.push(ms);
      return world.after(1, work);
    };
    const { client, events } = await facing([hang], {}, { after });
    await expect(client.getHealth()).rejects.toThrow(ServiceUnreachableError);
    expect([events[0]?.reason, times[0]]).toEqual(['no answer within 30 s', 30_000]);
    await expect(client.getArtifact({ fingerprint: artifact.fingerprint, wait: 40 })).rejects.toThrow(
      ServiceUnreachableError,
    );
    expect(times.at(-1)).toBe(70_000);
  });
});

describe('A creation', () => {
  test('is sent again with the same idempotency key, each creation with its own', async () => {
    const made = json(201, exampleArtifact);
    const { client, seen } = await facing([unavailable, cut, made, made]);
    await client.createArtifact(artifact);
    await client.createArtifact(artifact);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect([keys[0], keys[1], new Set(keys).size]).toEqual([keys[2], keys[2], 2]);
    expect(keys[0]).toMatch(/^\w{32}$/);
  });

  test('has the key that its caller gives', async () => {
    const { client, seen } = await facing([json(201, exampleArtifact)]);
    await client.createArtifact(artifact, { idempotencyKey: 'mine' });
    expect(seen[0]?.headers['idempotency-key']).toBe('mine');
  });

  test('that the service cannot recognise is never sent again', async () => {
    const twiceUnsafe = ['signUp', 'createMark', 'createOrganization', 'createApiKey', 'addMarkMember'] as const;
    for (const name of twiceUnsafe) {
      const { client, seen } = await facing([cut, ok]);
      const example: Operation = api[name];
      const call = client[name] as (input: unknown) => Promise<unknown>;
      await expect(call({ markId: 'x', ...Object(example.exampleBody) })).rejects.toThrow(ServiceUnreachableError);
      expect(seen.length).toBe(1);
    }
  });
});

test('a removal whose first answer was lost is done when the second says that there is nothing', async () => {
  const gone = json(404, { error: 'There is no such key.', code: 'NOT_FOUND' });
  const { client } = await facing([cut, gone]);
  await expect(client.deleteApiKey({ keyId: 'x' })).resolves.toBeUndefined();
  const { client: other } = await facing([gone]);
  await expect(other.deleteApiKey({ keyId: 'x' })).rejects.toThrow(ApiError);
});

describe('What is final is not asked again:', () => {
  test.each([
    ['a refusal', json(403, { error: 'No.', code: 'FORBIDDEN' }), { name: 'ApiError', code: 'FORBIDDEN', status: 403 }],
    [
      'a refusal by a code of tomorrow',
      json(403, { error: 'No.', code: 'NEW' }),
      { name: 'ApiError', code: 'FORBIDDEN' },
    ],
    ['a refusal of some other server', text(404, '<h1>Not found</h1>'), { name: 'InvalidResponseError' }],
    ['a page instead of an answer', text(200, '<h1>Welcome</h1>'), { name: 'InvalidResponseError' }],
    ['an answer in another form', json(200, { status: 'fine' }), { name: 'InvalidResponseError' }],
    ['an answer without end', flood, { name: 'InvalidResponseError' }],
  ])('%s', async (_, turn, expected) => {
    const { client, seen } = await facing([turn]);
    await expect(client.getHealth()).rejects.toMatchObject(expected);
    expect(seen.length).toBe(1);
  });

  test('fields that a later service adds are let through', async () => {
    const { client } = await facing([json(200, { status: 'ok', since: 'today' })]);
    expect(await client.getHealth()).toEqual({ status: 'ok', since: 'today' });
  });
});

describe('An abort', () => {
  test('by the caller ends a request that hangs, and nothing is sent again', async () => {
    const stop = new AbortController();
    const { client, seen } = await facing([
      (...turn) => {
        hang(...turn);
        stop.abort(new Error('enough'));
      },
    ]);
    const calling = client.getHealth({ signal: stop.signal });
    await expect(calling).rejects.toThrow('enough');
    expect(seen.length).toBe(1);
  });

  test('ends the wait between two attempts', async () => {
    const stop = new AbortController();
    const { client, seen } = await facing(
      [unavailable],
      { signal: stop.signal, onRetry: () => stop.abort(new Error('enough')) },
      { sleep: world.sleep },
    );
    await expect(client.getHealth()).rejects.toThrow('enough');
    expect(seen.length).toBe(1);
  });

  test('that came before sends nothing at all', async () => {
    const { client, seen } = await facing([ok], { signal: AbortSignal.abort(new Error('before')) });
    await expect(client.getHealth()).rejects.toThrow('before');
    expect(seen.length).toBe(0);
  });

  test('is heard by all calls that go on at once, and a signal that outlives them has one listener', async () => {
    const stop = new AbortController();
    let [arrived, listeners] = [0, 0];
    const turn: Turn = () => {
      arrived += 1;
      listeners = getEventListeners(stop.signal, 'abort').length;
      if (arrived === 20) stop.abort(new Error('enough'));
    };
    const { client } = await facing([turn], { signal: stop.signal });
    const calls = Array.from({ length: 20 }, () => client.getHealth({ signal: stop.signal }));
    const ends = await Promise.allSettled(calls);
    expect(ends.every((end) => end.status === 'rejected' && end.reason === stop.signal.reason)).toBe(true);
    expect(listeners).toBe(1);
  });
});

test('the credential goes to what asks for one, and nowhere else', async () => {
  const { client, seen } = await facing([json(200, {})], { credential: 'secret' });
  await client.getMe().catch((error) => expect(error).toBeInstanceOf(InvalidResponseError));
  await client.getHealth().catch((error) => expect(error).toBeInstanceOf(InvalidResponseError));
  const server = await serve(text(200, ''));
  await client.download(`${server.url}/file`);
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', undefined]);
  expect(server.seen[0]?.headers.authorization).toBeUndefined();
});

test.each(['file:///etc/hostname', 'data:text/plain,x', 'blob:x'])('%s is no published file', async (url) => {
  const { client } = await facing([ok]);
  await expect(client.download(url)).rejects.toThrow(TypeError);
});
