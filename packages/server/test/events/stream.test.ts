// The stream of events over HTTP: resuming, ending, and readers that do not read.

import { Readable, Writable } from 'node:stream';
import { ApiError, createClient, followEvents } from '@provenance-registry/client';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { type Registry, restartRegistry, startRegistry } from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { formatStream } from '../../src/http/routes/events/events.js';
import { openEventStream } from '../support/eventStream.js';

let service: Registry;
let user: TestUser;
beforeAll(async () => {
  service = await startRegistry();
  user = await createUser(service, 'enterprise');
});

const openStream = (reader: { token: string }, headers: Record<string, string> = {}, search = '') =>
  openEventStream(service, reader, headers, search);

describe('the stream of events', () => {
  it('tells events as they happen, and goes on after the last id', async () => {
    const first = await openStream(user);
    expect(first.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(first.response.headers.get('cache-control')).toBe('no-store');
    expect(first.response.headers.get('x-accel-buffering')).toBe('no');
    await waitUntil(() => first.text() !== '', 'it has begun');
    expect(first.text()).toMatch(/^retry: \d+\nid: \d+\n\n$/);
    await createMark(service, user);
    await waitUntil(() => first.ids().length === 1, 'the event came');
    expect(first.types()).toEqual(['mark.created']);
    first.close();
    await createMark(service, user);
    await createMark(service, user);
    const second = await openStream(user, { 'last-event-id': String(first.ids()[0]) });
    await waitUntil(() => second.ids().length === 2, 'those in between came');
    second.close();
    const everything = await openStream(user, { 'last-event-id': '0' });
    await waitUntil(() => everything.ids().length >= 3, 'all came');
    const { events } = (await call(service, 'GET', '/api/v1/events', { token: user.token })).body;
    const data = [...everything.text().matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(String(json)));
    expect(data).toEqual(events.slice(0, data.length));
    everything.close();
    const wrong = { token: user.token, headers: { 'last-event-id': 'x' } };
    expect(statusAndCode(await call(service, 'GET', '/api/v1/events/stream', wrong))).toEqual([400, 'BAD_REQUEST']);
  });

  it('ends before the next event when the key is revoked, or the user is no admin any more', async () => {
    const owner = await createUser(service, 'enterprise');
    const studio = await createOrganization(service, owner);
    const body = { organizationId: studio, name: 'key', scope: 'read' };
    const key = (await call(service, 'POST', '/api/v1/api-keys', { token: owner.token, body })).body;
    const byKey = await openStream(key);
    const byUser = await openStream(owner, {}, `?organizationId=${studio}`);
    const path = `/api/v1/api-keys/${key.id}?organizationId=${studio}`;
    expect((await call(service, 'DELETE', path, { token: owner.token })).status).toBe(204);
    await byKey.ended;
    expect(byKey.types()).not.toContain('key.revoked');
    await waitUntil(() => byUser.types().includes('key.revoked'), 'the owner is told');
    await query(service.databaseUrl, 'update organization_members set is_admin = false where user_id = $1', [owner.id]);
    expect((await call(service, 'POST', '/api/v1/api-keys', { token: owner.token, body })).status).toBe(201);
    await byUser.ended;
    expect(byUser.types().at(-1)).toBe('key.revoked');
  });

  it('is open at most ten times for one user, and again when one has ended', async () => {
    const busy = await createUser(service);
    const streams = await Promise.all(Array.from({ length: 10 }, () => openStream(busy)));
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
    const again = () => call(service, 'GET', '/api/v1/events?wait=1', { token: busy.token });
    expect(statusAndCode(await again())).toEqual([409, 'CONFLICT']);
    expect((await openStream(user)).response.status).toBe(200);
    for (const stream of streams) stream.close();
    await waitUntil(async () => (await again()).status === 200, 'others may read');
  });

  it('asks for no more events while the client does not read, and disconnects it after a while', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 1;
        yield { events: [], position: String(read) };
      }
    }
    let isDisconnected = false;
    const disconnect = () => {
      isDisconnected = true;
    };
    const stream = Readable.from(formatStream(endless(), disconnect, 20));
    // Never takes more than the first piece.
    stream.pipe(new Writable({ objectMode: true, highWaterMark: 1, write: () => {} }));
    await waitUntil(() => isDisconnected, 'it is disconnected');
    expect(read).toBeLessThan(10);
    stream.destroy();
  });

  it('does not delay a stop, and a follower goes on with the next process', async () => {
    const follower = await createUser(service);
    const port = new URL(service.url).port;
    const client = createClient({ baseUrl: service.url, credential: follower.token });
    const stop = new AbortController();
    let isOpen = false;
    const onOpen = () => {
      isOpen = true;
    };
    const followed = followEvents(client, { after: '0', signal: stop.signal, onOpen });
    const next = followed.next();
    await waitUntil(() => isOpen, 'it is connected');
    await service.end();
    service = await restartRegistry({ ...service.settings, PORT: port });
    await createMark(service, follower);
    expect((await next).value?.type).toBe('mark.created');
    stop.abort();
    await expect(followed.next()).rejects.toThrow(/abort/);
    const refused = followEvents(createClient({ baseUrl: service.url, credential: 'none' })).next();
    await expect(refused).rejects.toThrow(ApiError);
  });
});
