// How long events are kept: what is deleted, what stays, and what readers are told.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newArtifact,
  type Registry,
  restartRegistry,
  startRegistry,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { openDatabase } from '../../src/database/connection.js';
import { FeedQueries } from '../../src/database/queries/events/feed.js';

let service: Registry;
let owner: TestUser;
let studio: string;
let markId: string;
beforeAll(async () => {
  service = await startRegistry({ EVENT_RETENTION_MONTHS: '3' });
  owner = await createUser(service, 'enterprise');
  studio = await createOrganization(service, owner);
  markId = (await createMark(service, owner, { organizationId: studio })).body.id;
});

interface Event {
  readonly position: string;
  readonly type: string;
}
const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const isOfArtifact = (type: string) => type.startsWith('artifact.');

const readFeed = (search = '') => call(service, 'GET', `/api/v1/events?limit=200${search}`, { token: owner.token });

/** Makes all events so far older; the database refuses that otherwise. */
async function age(months: number): Promise<void> {
  const waiting = 'select 1 from events where position is null limit 1';
  await waitUntil(async () => (await query(service.databaseUrl, waiting)).length === 0, 'all events are ordered');
  await query(service.databaseUrl, 'alter table events disable trigger user');
  await query(service.databaseUrl, `update events set at = at - $1 * interval '1 month'`, [months]);
  await query(service.databaseUrl, 'alter table events enable trigger user');
}

/** Registers a file, and waits until its last event is written. */
async function register(): Promise<void> {
  const { fingerprint } = (await createArtifact(service, owner, newArtifact({ markId }))).body;
  const path = `/api/v1/artifacts/${fingerprint}?wait=10`;
  const isSubmitted = async () =>
    (await call(service, 'GET', path, { token: owner.token })).body.status === 'submitted';
  await waitUntil(isSubmitted, 'it is on chain');
}

describe('events that are older than EVENT_RETENTION_MONTHS', () => {
  it('are deleted if other lists have them; a reader who has missed some is told so', async () => {
    await register();
    await age(2);
    const before = (await readFeed()).body;
    await register();
    await age(2);
    await register();
    await age(0);
    // Does its chores at once.
    const second = await restartRegistry({ ...service.settings });
    await waitUntil(async () => (await readFeed('&after=1')).status === 410, 'old events are deleted');
    await second.end();

    const { events, next } = (await readFeed()).body;
    expect(typesOf(events).filter((type) => type === 'artifact.created')).toHaveLength(2);
    expect(typesOf(events)).not.toContain('mark.created');
    expect((await readFeed('&after=0')).body.events).toEqual(events);
    expect((await readFeed(`&after=${next}`)).status).toBe(200);
    // Complete for a reader who has read the last of those that were deleted.
    const kept = new Set(events.map(({ position }: Event) => position));
    const lastDeleted = before.events.findLast(
      ({ type, position }: Event) => isOfArtifact(type) && !kept.has(position),
    );
    expect((await readFeed(`&after=${lastDeleted.position}`)).body.events).toEqual(events);
    expect((await readFeed(`&after=${BigInt(lastDeleted.position) - 1n}`)).body).toMatchObject({ code: 'GONE' });
    const headers = { 'last-event-id': '1' };
    const stream = await call(service, 'GET', '/api/v1/events/stream', { token: owner.token, headers });
    expect(statusAndCode(stream)).toEqual([410, 'GONE']);

    const listed = await call(service, 'GET', `/api/v1/organizations/${studio}/events`, { token: owner.token });
    expect(typesOf(listed.body.events)).toContain('mark.created');
  });

  it('are deleted in small parts, which end before the first event that is not old', async () => {
    const database = openDatabase({ connectionString: service.databaseUrl });
    const feed = new FeedQueries(database);
    try {
      while ((await feed.deleteOld(3, 1_000)) > 0);
      await Promise.all([register(), register(), register()]);
      await age(4);
      await register();
      const parts = [];
      for (let part = 0; part < 20; part += 1) parts.push(await feed.deleteOld(3, 2));
      expect(Math.max(...parts)).toBeLessThanOrEqual(2);
      const { events } = (await readFeed()).body;
      expect(typesOf(events).filter((type) => type === 'artifact.created')).toHaveLength(1);
    } finally {
      await database.destroy();
    }
  });

  it.each([`is_listed and at < now() - interval '3 months'`, `not is_listed and at > now() - interval '1 day'`])(
    'are the only ones that the database lets be deleted, not those where %s',
    async (condition) => {
      await expect(query(service.databaseUrl, `delete from events where ${condition}`)).rejects.toThrow(
        'events are never changed or removed',
      );
    },
  );
});
