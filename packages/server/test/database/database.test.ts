// A PostgreSQL server of somebody else's: migrations, outages, and what the schema itself guarantees.

import { randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabase, query, startPostgres, type TestPostgres } from '../../../../test/support/postgres.js';
import {
  call,
  launchService,
  type Service,
  signUp,
  startService,
  temporaryFolder,
} from '../../../../test/support/service.js';

describe('migrations', () => {
  it('are done once when six processes start at once on an empty database', async () => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'));
    const JWT_SECRET = 'shared by six processes, 32 or more characters';
    const services = await Promise.all(Array.from({ length: 6 }, () => startService({ DATABASE_URL, JWT_SECRET })));
    const migrations = await query(DATABASE_URL, 'select name from migrations order by name');
    const files = await readdir(new URL('../../migrations/', import.meta.url));
    expect(migrations).toEqual(files.toSorted().map((file) => ({ name: file.replace('.sql', '') })));
    const { token } = await signUp(services[0] as Service);
    for (const service of services) expect((await call(service, 'GET', '/api/v1/me', { token })).status).toBe(200);
  });
});

describe('a database that is not there', () => {
  it('at start is waited for', async () => {
    const postgres = await startPostgres();
    await postgres.stop('SIGINT');
    const service = await launchService({ DATABASE_URL: postgres.url, DATA_DIR: await temporaryFolder() });
    await textIn(service, 'Waiting for the database');
    await postgres.start();
    await textIn(service, 'is ready');
    await service.end();
    await postgres.remove();
  });
});

async function textIn(service: Service, text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (service.output().messages.includes(text)) resolve();
    };
    service.process.stderr?.on('data', look);
    look();
  });
}

describe('a database that goes away', () => {
  let postgres: TestPostgres;
  let service: Service;

  beforeAll(async () => {
    postgres = await startPostgres();
    service = await startService({ DATABASE_URL: postgres.url });
  });
  afterAll(async () => {
    await service.end();
    await postgres.remove();
  });

  it('makes requests answer 503 UNAVAILABLE with Retry-After, and serves them when it is back', async () => {
    const person = await signUp(service);
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      await postgres.stop(signal);
      for (const answer of [
        await call(service, 'GET', '/api/v1/me', { token: person.token }),
        await call(service, 'POST', '/api/v1/auth/login', { body: { email: person.email, password: person.password } }),
        (await signUp(service)).answer,
        await call(service, 'GET', '/readyz'),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(answer.body.error).not.toMatch(/ECONN|postgres|127\.0\.0\.1/i);
      }
      // The page comes all the same: it says what is the matter, and tries again.
      const page = await call(service, 'GET', `/artifacts/0x${'00'.repeat(32)}`, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
      expect(page.body).toContain('<script type="module"');
      expect((await call(service, 'GET', '/healthz')).status).toBe(200);
      await postgres.start();
      expect((await call(service, 'GET', '/api/v1/me', { token: person.token })).status).toBe(200);
      expect((await call(service, 'GET', '/readyz')).status).toBe(200);
    }
  });

  it('in the middle of a request gives that request a 503 and leaves nothing of it behind', async () => {
    const blocker = new pg.Client({ connectionString: postgres.url });
    blocker.on('error', () => {});
    await blocker.connect();
    await blocker.query('begin; lock table users in access exclusive mode');
    const email = 'in-the-middle@example.com';
    const underWay = signUp(service, { email });
    await waitingForLock(blocker);
    await postgres.stop('SIGKILL');
    const { answer } = await underWay;
    expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE']);
    await postgres.start();
    expect(await query(postgres.url, 'select 1 from users where email = $1', [email])).toEqual([]);
    expect((await signUp(service, { email })).answer.status).toBe(201);
  });
});

/** Until a statement of the service hangs on the lock. */
async function waitingForLock(client: pg.Client): Promise<void> {
  for (;;) {
    // A new connection each time would hang on nothing: the catalogue is not locked.
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

  it('lets one Artifact have a fingerprint, and gives it back when that one has failed', async () => {
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
