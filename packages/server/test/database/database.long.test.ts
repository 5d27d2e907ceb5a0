// An external PostgreSQL server: migrations, outages, and the guarantees of the schema.

import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabase, query, startPostgres, type TestPostgres } from '../../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import {
  call,
  launchService,
  newDataFolder,
  type ServiceProcess,
  signUp,
  startService,
} from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import packageJson from '../../package.json' with { type: 'json' };

/** Database connections of a process. */
const POOL_SIZE = 10;
const { version } = packageJson;

describe('a database that a newer release has migrated', () => {
  it('is refused with the release that is needed', async () => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'));
    await (await startService({ DATABASE_URL })).end();
    const [recorded] = await query<{ comment: string }>(
      DATABASE_URL,
      `select obj_description('migrations'::regclass) as comment`,
    );
    expect(recorded?.comment).toBe(`migrated by release ${version}`);
    await query(DATABASE_URL, `insert into migrations (name, "timestamp") values ('9999_future', 'now')`);
    await query(DATABASE_URL, `comment on table migrations is 'migrated by release 99.1.0'`);
    const service = await launchService({ DATABASE_URL, DATA_DIR: await newDataFolder() });
    const [code] = await once(service.process, 'close');
    expect({ code, messages: service.output().messages }).toEqual({
      code: 1,
      messages: `The database was migrated by release 99.1.0; this is ${version}: install 99.1.0 or newer.\n`,
    });
    // As releases before the record left it.
    await query(DATABASE_URL, 'comment on table migrations is null');
    await expect(startService({ DATABASE_URL })).rejects.toThrow(
      /migrated by a newer release; .* no migration 9999_future: install a newer release/,
    );
    const rows = await query(DATABASE_URL, `select name from migrations where name = '9999_future'`);
    expect(rows).toHaveLength(1);
  });
});

async function textIn(service: ServiceProcess, text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (service.output().messages.includes(text)) resolve();
    };
    service.process.stderr?.on('data', look);
    look();
  });
}

describe('a database that is unavailable', () => {
  let postgres: TestPostgres;
  let service: ServiceProcess;

  beforeAll(async () => {
    postgres = await startPostgres();
    await postgres.stop('SIGINT');
    service = await launchService({ DATABASE_URL: postgres.url, DATA_DIR: await newDataFolder() });
  });
  afterAll(async () => {
    await service.end();
    await postgres.remove();
  });

  it('at the start is waited for', async () => {
    await textIn(service, 'Waiting for the database');
    await postgres.start();
    await textIn(service, 'is ready');
  });

  it('makes requests fail with 503 UNAVAILABLE and Retry-After until it is available again', async () => {
    const person = await signUp(service);
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      await postgres.stop(signal);
      for (const response of [
        await call(service, 'GET', '/api/v1/me', { token: person.token }),
        await call(service, 'POST', '/api/v1/auth/login', { body: { email: person.email, password: person.password } }),
        (await signUp(service)).response,
        await call(service, 'GET', '/readyz'),
      ]) {
        expect([response.status, response.body.code]).toEqual([503, 'UNAVAILABLE']);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(response.body.error).not.toMatch(/ECONN|postgres|127\.0\.0\.1/i);
      }
      // The page is served nevertheless: it shows the problem, and retries.
      const page = await call(service, 'GET', `/artifacts/0x${'00'.repeat(32)}`, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
      expect(page.body).toContain('<script type="module"');
      expect((await call(service, 'GET', '/healthz')).status).toBe(200);
      await postgres.start();
      expect((await call(service, 'GET', '/api/v1/me', { token: person.token })).status).toBe(200);
      expect((await call(service, 'GET', '/readyz')).status).toBe(200);
    }
  });

  it('during a request fails that request with 503 and leaves nothing of it behind', async () => {
    const blocker = new pg.Client({ connectionString: postgres.url });
    blocker.on('error', () => {});
    await blocker.connect();
    await blocker.query('begin; lock table users in access exclusive mode');
    const email = 'in-the-middle@example.com';
    const underWay = signUp(service, { email });
    await waitingForLock(blocker);
    await postgres.stop('SIGKILL');
    const { response } = await underWay;
    expect([response.status, response.body.code]).toEqual([503, 'UNAVAILABLE']);
    await postgres.start();
    expect(await query(postgres.url, 'select 1 from users where email = $1', [email])).toEqual([]);
    expect((await signUp(service, { email })).response.status).toBe(201);
  });

  it('for writes, as a former primary does, serves reads, and its connections are replaced', async () => {
    const person = await signUp(service);
    const isReadable = async () => (await call(service, 'GET', '/api/v1/me', { token: person.token })).status === 200;
    const operator = new pg.Client({ connectionString: postgres.url });
    await operator.connect();
    await operator.query('alter role current_user set default_transaction_read_only = on');
    const { rows } = await operator.query(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity where application_name = 'provenance-registry'`,
    );
    const remaining = () =>
      operator.query('select from pg_stat_activity where pid = any($1)', [rows.map(({ pid }) => pid)]);
    await waitUntil(async () => (await remaining()).rowCount === 0, 'the connections of before are closed');
    await waitUntil(isReadable, 'the service has connected again');
    const { response } = await signUp(service);
    expect([response.status, response.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(await isReadable()).toBe(true);

    await operator.query('alter role current_user reset default_transaction_read_only');
    await operator.end();
    // Open connections are still read-only: each is replaced after the first write that it refuses.
    const statuses: number[] = [];
    do {
      statuses.push((await signUp(service)).response.status);
    } while (statuses.at(-1) === 503 && statuses.length <= POOL_SIZE);
    expect(statuses.at(-1)).toBe(201);
  });
});

/** Waits until a statement of the service waits for the lock. */
async function waitingForLock(client: pg.Client): Promise<void> {
  for (;;) {
    // A new connection each time is fine: the catalog is not locked.
    const { rows } = await client.query('select 1 from pg_locks where not granted');
    if (rows.length > 0) return;
  }
}

describe('the schema', () => {
  let url: string;
  let markId: string;
  let userId: string;

  beforeAll(async () => {
    url = await createDatabase(inject('postgresUrl'));
    const service = await startService({ DATABASE_URL: url });
    userId = (await signUp(service)).id;
    markId = randomUUID();
    await query(
      url,
      `insert into marks (id, name, search_name, visibility, license, admin_id, owner_id) values ($1, 'Mark', 'mark', 'public', 'MIT', $2, $2)`,
      [markId, userId],
    );
  });

  const insertArtifact = (fingerprint: Buffer, status = 0, reason: string | null = null) =>
    query(
      url,
      `insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata, status, error_reason)
       values ($1, $2, $3, $4, $5, '{}', $6, $7)`,
      [randomUUID(), markId, userId, fingerprint, randomBytes(32), status, reason],
    );

  it('allows one Artifact for each fingerprint, and another one after that has failed', async () => {
    const fingerprint = randomBytes(32);
    await insertArtifact(fingerprint, 3, 'the chain refused it');
    await insertArtifact(fingerprint);
    for (const status of [0, 1, 2]) {
      await expect(insertArtifact(fingerprint, status)).rejects.toMatchObject({ code: '23505' });
    }
    await insertArtifact(fingerprint, 3, 'the chain refused it again');
  });

  it('finds an Artifact by its fingerprint through an index', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select id from artifacts where fingerprint = '\\x00'::bytea and error_reason is null`,
    );
    await client.end();
    expect(JSON.stringify(rows)).toContain('artifacts_by_fingerprint');
  });

  it.each([
    ['a fingerprint of 31 bytes', () => insertArtifact(randomBytes(31))],
    [
      'a rendition of itself',
      () =>
        query(
          url,
          'insert into artifacts (id, rendition_of, mark_id, created_by, fingerprint, manifest_hash, metadata) values ($1, $1, $2, $3, $4, $4, $5)',
          [randomUUID(), markId, userId, randomBytes(32), '{}'],
        ),
    ],
    ['a failure without a reason', () => insertArtifact(randomBytes(32), 3)],
    ['a reason without a failure', () => insertArtifact(randomBytes(32), 0, 'why?')],
    ['an unknown status', () => insertArtifact(randomBytes(32), 9)],
    [
      'a sixth API key in the counter',
      () => query(url, 'update counters set api_keys = 6 where owner_id = $1', [userId]),
    ],
    [
      'a Mark with two owners',
      () => query(url, 'update marks set organization_id = $1 where id = $2', [randomUUID(), markId]),
    ],
    [
      'more members than units',
      () =>
        query(url, `insert into organizations (id, name, owner_id, member_count) values ($1, 'Org', $2, 2)`, [
          randomUUID(),
          userId,
        ]),
    ],
  ])('refuses %s', async (_, write) => {
    await expect(write()).rejects.toMatchObject({ code: '23514' });
  });
});
