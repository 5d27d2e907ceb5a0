// Notices of work between processes, by PostgreSQL.

import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { DatabaseWorkNotices } from '../../src/database/workNotices.js';

/** Longer than the time after the last notice in which loops keep to their intervals. */
const QUIET_MS = 21_000;
const CHECK_MS = 10_000;
const INTERVAL_MS = 200;

let url: string;
const opened: { readonly notices: DatabaseWorkNotices; readonly database: Database }[] = [];
beforeEach(async () => {
  url = await createDatabase(inject('postgresUrl'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { notices, database } of opened.splice(0)) {
    await notices.close();
    await database.destroy();
  }
});

/** As a process has them. Resolves when they listen. */
async function openNotices(): Promise<DatabaseWorkNotices> {
  const database = openDatabase({ connectionString: url });
  const notices = new DatabaseWorkNotices(database, { connectionString: url });
  opened.push({ notices, database });
  await nextNotice(notices);
  return notices;
}

function nextNotice(notices: DatabaseWorkNotices): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = notices.subscribe(() => {
      unsubscribe();
      resolve();
    });
  });
}

it('wake the loops of the own process at once, and those of others', async () => {
  const [own, other] = [await openNotices(), await openNotices()];
  let wokenCount = 0;
  own.subscribe(() => {
    wokenCount += 1;
  });
  const noticed = nextNotice(other);
  own.announce();
  expect(wokenCount).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  await noticed;
  // And not a second time by the database.
  await query(url, 'select 1');
  expect(wokenCount).toBe(1);
});

it('let loops look seldom while nothing happens', async () => {
  const [own, other] = [await openNotices(), await openNotices()];
  expect(other.pauseMs(INTERVAL_MS)).toBe(INTERVAL_MS);
  await vi.advanceTimersByTimeAsync(QUIET_MS);
  expect([other.pauseMs(INTERVAL_MS), other.pauseMs(60_000)]).toEqual([5_000, 60_000]);
  const noticed = nextNotice(other);
  own.announce();
  await vi.advanceTimersByTimeAsync(100);
  await noticed;
  expect(other.pauseMs(INTERVAL_MS)).toBe(INTERVAL_MS);
});

it('are not relied on while the connection that listens is lost', async () => {
  const notices = await openNotices();
  await vi.advanceTimersByTimeAsync(QUIET_MS);
  await query(
    url,
    "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select 1' or query like 'listen %'",
  );
  await expect.poll(() => notices.pauseMs(INTERVAL_MS)).toBe(INTERVAL_MS);
  const listening = nextNotice(notices);
  await vi.advanceTimersByTimeAsync(CHECK_MS);
  await listening;
  await vi.advanceTimersByTimeAsync(QUIET_MS);
  expect(notices.pauseMs(INTERVAL_MS)).toBe(5_000);
});
