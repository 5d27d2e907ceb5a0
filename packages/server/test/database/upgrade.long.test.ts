// An upgrade from the oldest data, with processes of release 0.2.0 that go on, new ones that wait for each other, and one
// that is killed in the middle. `bench/upgrade.mjs` does the same with two million Artifacts.

import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  createEarlierTables,
  FIRST_LATER_MIGRATION,
  fillTables,
  OlderProcess,
} from '../../../../bench/olderRelease.mjs';
import { UpgradeLoad } from '../../../../bench/upgradeLoad.mjs';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import {
  call,
  launchService,
  newDataFolder,
  type ServiceProcess,
  waitUntilReady,
} from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';

const SIZES = { artifacts: 4_000, users: 10 };

let url: string;
let client: pg.Client;
let older: OlderProcess[];
beforeAll(async () => {
  url = await createDatabase(inject('postgresUrl'));
  client = new pg.Client({ connectionString: url });
  await client.connect();
  await createEarlierTables(client, FIRST_LATER_MIGRATION);
  await fillTables(client, SIZES);
  const options = { connections: 3, users: SIZES.users };
  older = [1, 2].map(() => new OlderProcess({ connectionString: url }, options));
});
afterAll(async () => {
  await client.end();
  for (const one of older) await one.end();
});

async function readState(service: ServiceProcess) {
  const { status, body } = await call(service, 'GET', '/readyz').catch(() => ({ status: 0, body: {} }));
  return { status, ...body };
}

it('loses no request of older processes, and no Artifact, though the migrating process is killed', async () => {
  const load = new UpgradeLoad(older, { artifacts: SIZES.artifacts, lookups: 2, creations: 1 });
  load.begin('upgrade');
  // A new index waits for the end of transactions that may not see it.
  await client.query('begin isolation level repeatable read');
  await client.query('select 1 from users limit 1');
  const environment = { DATABASE_URL: url, JWT_SECRET: 'shared by two processes, 32 or more characters' };
  const launch = async () => launchService({ ...environment, DATA_DIR: await newDataFolder() });
  const isIndexing = async (service: ServiceProcess) =>
    (await readState(service)).migration?.title === 'index the renditions';
  const first = await launch();
  await waitUntil(() => isIndexing(first), 'the first process builds an index');
  const second = await launch();
  await waitUntil(() => isIndexing(second), 'the second process tells what the first one does');
  for (const state of [await readState(first), await readState(second)]) {
    expect(state).toMatchObject({
      status: 503,
      code: 'UNAVAILABLE',
      state: 'migrating',
      migration: { name: '0007_renditions' },
    });
    expect(state.error).toContain(
      'Not ready: the database is migrated. 0007_renditions (step 4 of 7): index the renditions',
    );
  }
  expect((await call(second, 'GET', '/healthz')).status).toBe(200);
  const lookup = await call(second, 'GET', '/api/v1/marks');
  expect([lookup.status, lookup.body.code, lookup.headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '10']);

  await first.end('SIGKILL');
  await client.query('commit');
  await waitUntilReady(second);
  await load.end();

  expect(load.failures).toEqual([]);
  expect(load.created).toBeGreaterThan(0);
  for (const one of older) {
    for (const number of one.created) expect(await one.lookUp(number)).toBeDefined();
  }
  const wrong = await query(
    url,
    `select marks.id from marks left join mark_counters on mark_id = marks.id where mark_counters.artifacts is distinct from (
       select count(*) from artifacts where mark_id = marks.id and rendition_of is null and error_reason is null
     )`,
  );
  expect(wrong).toEqual([]);
  expect((await call(second, 'GET', '/readyz')).status).toBe(200);
});
