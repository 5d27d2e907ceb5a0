// The order of the feed: positions are given after the commit, in one process at a time, whatever else is under way.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { ChainOutboxQueries } from '../../src/database/queries/artifacts/chainOutbox.js';
import { FeedQueries } from '../../src/database/queries/events/feed.js';
import { watchFeed } from '../../src/domain/events/feedChanges.js';
import type { Feed } from '../../src/domain/ports/index.js';
import { startEventOrderer } from '../../src/events/orderer.js';
import { noNotices } from '../../src/jobs/workNotices.js';
import { openOutbox } from '../support/registrations.js';

let url: string;
let database: Database;
let feed: Feed;
const clients: pg.Client[] = [];

beforeAll(async () => {
  url = await createMigratedDatabase();
  database = openDatabase({ connectionString: url });
  feed = new FeedQueries(database);
});

afterAll(async () => {
  for (const client of clients) await client.end();
  await database.destroy();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  clients.push(client);
  await client.connect();
  return client;
}

async function newUser(): Promise<string> {
  const id = randomUUID();
  await (await connect()).query(`insert into users (id, name) values ($1, 'Ada')`, [id]);
  return id;
}

const append = (client: pg.Client, userId: string, name: string) =>
  client.query(`insert into events (type, user_id, data) values ('account.password_changed', $1, $2)`, [
    userId,
    { name },
  ]);
const orderAll = async () => {
  while ((await feed.order(100)) > 0);
};
const namesOf = ({ events }: { events: readonly { data: unknown }[] }) =>
  events.map(({ data }) => (data as { name: string }).name);

describe('the order of events', () => {
  it('never changes below what was read, while a transaction is open', async () => {
    const userId = await newUser();
    const [slow, quick] = [await connect(), await connect()];
    await slow.query('begin');
    await append(slow, userId, 'written first');
    await append(quick, userId, 'committed first');
    await orderAll();
    const first = await feed.read({ userId }, { after: '0', limit: 10 });
    expect(namesOf(first)).toEqual(['committed first']);
    await append(quick, userId, 'second');
    await slow.query('commit');
    await orderAll();
    const rest = await feed.read({ userId }, { after: first.next, limit: 10 });
    expect(namesOf(rest).sort()).toEqual(['second', 'written first']);
    expect(BigInt(rest.events[0]?.position ?? 0)).toBeGreaterThan(BigInt(first.next));
    expect(namesOf(await feed.read({ userId }, { after: '0', limit: 10 }))).toEqual([
      ...namesOf(first),
      ...namesOf(rest),
    ]);
  });

  it('has no gap and no event twice with two processes that order, one of which is killed, while others write', async () => {
    const userId = await newUser();
    const before = await feed.readEnd();
    const other = openDatabase({ connectionString: url });
    const orderers = [feed, new FeedQueries(other)].map((one) =>
      startEventOrderer({ feed: one, notices: noNotices, log: () => {} }),
    );
    const writers = await Promise.all([1, 2, 3].map(() => connect()));
    const seen: string[] = [];
    let position = before;
    const read = async () => {
      const page = await feed.read({ userId }, { after: position, limit: 7 });
      seen.push(...namesOf(page));
      position = page.next;
    };
    let isWriting = true;
    const reading = (async () => {
      // Its connection may be one of those that are cut.
      while (isWriting) await read().catch(() => {});
    })();
    await Promise.all(
      writers.map(async (client, writer) => {
        for (let index = 0; index < 60; index += 1) {
          await client.query('begin');
          await append(client, userId, `${writer}-${index}`);
          if (index % 20 === 10) {
            await client.query(
              `select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and application_name = 'provenance-registry'`,
            );
          }
          await client.query('commit');
        }
      }),
    );
    const written = writers.flatMap((_, writer) => Array.from({ length: 60 }, (_one, index) => `${writer}-${index}`));
    isWriting = false;
    await reading;
    await waitUntil(async () => (await feed.readBacklog().catch(() => undefined))?.waiting === 0, 'all are ordered');
    for (;;) {
      const from = position;
      await read();
      if (position === from) break;
    }
    await Promise.all(orderers.map((orderer) => orderer.close()));
    await other.destroy();
    expect(seen.toSorted()).toEqual(written.toSorted());
    // Those of one writer are in the order of its commits.
    for (const writer of [0, 1, 2]) {
      const own = seen.filter((name) => name.startsWith(`${writer}-`));
      expect(own).toEqual(written.filter((name) => name.startsWith(`${writer}-`)));
    }
    expect(await feed.readEnd()).toBe(String(BigInt(before) + 180n));
  });

  it('is undone as a whole when the process dies before its commit', async () => {
    const userId = await newUser();
    const client = await connect();
    await append(client, userId, 'late');
    const before = await feed.readEnd();
    const dying = await connect();
    await dying.query('begin; select last_position from event_feed for update');
    await dying.query('update events set position = 1000000 where position is null');
    expect(await feed.order(10)).toBe(0);
    await client.query('select pg_terminate_backend($1)', [(dying as unknown as { processID: number }).processID]);
    await waitUntil(async () => (await feed.order(10)) === 1, 'another process orders it');
    expect(await feed.readEnd()).toBe(String(BigInt(before) + 1n));
    await expect(client.query('update events set position = position + 1')).rejects.toThrow(
      'events are never changed or removed',
    );
  });

  it('is given while the database comes and goes, with one line in the log for each outage', async () => {
    const lines: string[] = [];
    let isAvailable = false;
    let calls = 0;
    const orderer = startEventOrderer({
      feed: {
        order: async () => {
          calls += 1;
          if (!isAvailable) throw new Error('no connection');
          return 0;
        },
      },
      notices: noNotices,
      log: (level, _details, message) => lines.push(`${level}: ${message}`),
    });
    await waitUntil(() => calls >= 2, 'it was tried again');
    isAvailable = true;
    await waitUntil(() => lines.length === 2, 'it works again');
    await orderer.close();
    expect(lines).toEqual(['warn: events cannot be ordered', 'info: events are ordered again']);
  });
});

describe('waiting readers', () => {
  it('share one query, and only those whose events came are woken', async () => {
    let polls = 0;
    let concernedIds: string[] = [];
    let end = 5n;
    const changes = watchFeed({
      readProgress: async () => {
        polls += 1;
        return { end: String(end), concernedIds };
      },
    });
    const signalOf = () => new AbortController().signal;
    const woken: number[] = [];
    const waiting = Array.from({ length: 100 }, (_, index) =>
      changes
        .waitForEvents({ end: '5', concernedIds: [`mark ${index}`] }, index === 7 ? 60_000 : 1_000, signalOf())
        .then(() => woken.push(index)),
    );
    await waitUntil(() => polls === 2, 'it was polled');
    expect(woken).toEqual([]);
    [end, concernedIds] = [6n, ['mark 7']];
    await waitUntil(() => woken.length > 0, 'one is woken');
    expect([woken, polls]).toEqual([[7], 3]);
    // Not noticed any more by the poll: read at once.
    await changes.waitForEvents({ end: '5', concernedIds: ['mark 7'] }, 60_000, signalOf());
    await Promise.all(waiting);
    expect(woken.length).toBe(100);
  });
});

describe('the outcome of a registration', () => {
  it('that failed is told for the Artifact and its signed copies, once', async () => {
    const outbox = await openOutbox();
    const queue = new ChainOutboxQueries(outbox.database);
    const [artifact] = await outbox.add(1);
    if (!artifact) throw new Error('no Artifact');
    const [copy] = await outbox.add(1, { renditionOf: artifact });
    const lease = { name: 'chain', holder: 'this test', ms: 60_000 };
    await queue.acquireLease(lease);
    const failed = [{ artifactId: artifact.id, reason: 'No.' }];
    await queue.settle(lease, { failed });
    await queue.settle(lease, { failed });
    const events = await outbox.query('select type, actor_id, data, is_listed from events order by type');
    expect(events).toEqual([
      {
        type: 'artifact.failed',
        actor_id: null,
        data: { fingerprint: artifact.fingerprint, manifestId: artifact.id, reason: 'No.' },
        is_listed: false,
      },
      {
        type: 'rendition.failed',
        actor_id: null,
        data: {
          fingerprint: copy?.fingerprint,
          manifestId: artifact.id,
          renditionOf: artifact.fingerprint,
          reason: expect.any(String),
        },
        is_listed: false,
      },
    ]);
    await outbox.close();
  });
});
