// Lookups that a streaming replica of the database answers, and that its primary answers while the replica is behind or gone.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import { createArtifact, type Fingerprint, newArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import {
  createDatabase,
  query,
  startPostgres,
  startStandby,
  type TestPostgres,
} from '../../../../test/support/postgres.js';
import { call, type Service, startService } from '../../../../test/support/service.js';

let primary: TestPostgres;
let standby: TestPostgres;
let service: Service;
let owner: TestUser;
let markId: string;
let standbyUrl: string;
beforeAll(async () => {
  primary = await startPostgres();
  const databaseUrl = await createDatabase(primary.url);
  standby = await startStandby(primary.url);
  standbyUrl = standby.url.replace(/\/postgres$/, new URL(databaseUrl).pathname);
  service = await startService({ DATABASE_URL: databaseUrl, DATABASE_READ_URL: standbyUrl });
  owner = await createUser(service);
  markId = (await createMark(service, owner)).body.id;
});
afterAll(async () => {
  await service?.end();
  await standby?.remove();
  await primary?.remove();
});

async function replicaState(): Promise<unknown> {
  return (await call(service, 'GET', '/readyz')).body.checks.replica;
}

async function register(): Promise<Fingerprint> {
  const fingerprint = newFingerprint();
  expect((await createArtifact(service, owner, newArtifact({ markId, fingerprint }))).status).toBe(201);
  return fingerprint;
}

async function isFound(fingerprint: Fingerprint): Promise<boolean> {
  const value = Buffer.from(fingerprint.slice(2), 'hex').toString('base64');
  const { status, body } = await call(service, 'POST', '/api/c2pa/matches/byBinding', {
    body: { alg: 'com.service.sha256', value },
  });
  expect(status).toBe(200);
  return body.matches.length === 1;
}

async function countReads(): Promise<number> {
  const [row] = await query<{ reads: number }>(
    standbyUrl,
    `select idx_scan::integer as reads from pg_stat_user_tables where relname = 'artifacts'`,
  );
  return row?.reads ?? 0;
}

it('answers lookups of what it has', async () => {
  await expect.poll(replicaState).toBe('ok');
  const fingerprint = await register();
  await expect
    .poll(() => query(standbyUrl, `select from artifacts where fingerprint = '\\x${fingerprint.slice(2)}'`))
    .toHaveLength(1);
  const before = await countReads();
  for (let time = 0; time < 20; time++) expect(await isFound(fingerprint)).toBe(true);
  await expect.poll(countReads).toBeGreaterThanOrEqual(before + 20);
});

it('leaves what it has not received yet to the primary: found from the moment its creation was answered', async () => {
  await query(standbyUrl, 'select pg_wal_replay_pause()');
  const fingerprints = await Promise.all(Array.from({ length: 10 }, register));
  for (const fingerprint of fingerprints) expect(await isFound(fingerprint)).toBe(true);
  expect(await isFound(newFingerprint())).toBe(false);
  // Not used at all once it is too far behind, and again when it has caught up.
  await expect.poll(replicaState).toBe('is too far behind');
  for (const fingerprint of fingerprints) expect(await isFound(fingerprint)).toBe(true);
  await query(standbyUrl, 'select pg_wal_replay_resume()');
  await expect.poll(replicaState).toBe('ok');
});

it('is not missed when it is gone', async () => {
  const fingerprint = await register();
  await standby.stop('SIGKILL');
  for (let time = 0; time < 5; time++) expect(await isFound(fingerprint)).toBe(true);
  await expect.poll(replicaState).toBe('is unavailable');
  expect((await call(service, 'GET', '/readyz')).status).toBe(200);
  await standby.start();
  await expect.poll(replicaState).toBe('ok');
});

it('that is promoted, or is of another registry, is not asked', async () => {
  const other = await startService({ DATABASE_URL: await createDatabase(primary.url), DATABASE_READ_URL: standbyUrl });
  const stateOf = async (at: Service) => (await call(at, 'GET', '/readyz')).body.checks.replica;
  await expect.poll(() => stateOf(other)).toBe('has the database of another registry');
  await other.end();
  await query(standbyUrl, 'select pg_promote()');
  await expect.poll(replicaState).toBe('is not a replica, or no longer');
  expect(await isFound(await register())).toBe(true);
});
