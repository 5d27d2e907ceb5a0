// How migrations run: in steps that lock little, that a kill interrupts and the next start takes up, beside processes of
// release 0.2.0, whose statements these tests send.

import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import {
  createEarlierTables,
  FIRST_LATER_MIGRATION,
  fillTables,
  OlderProcess,
} from '../../../../bench/olderRelease.mjs';
import {
  createDatabase,
  createEarlierDatabase,
  createMigratedDatabase,
  query,
} from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { migrateCommand } from '../../src/commands/migrate.js';
import { openDatabase } from '../../src/database/connection.js';
import { migrateToLatest } from '../../src/database/migrate.js';
import { listMigrations, parseSteps, readMigration } from '../../src/database/migrations/files.js';
import { listEffects } from '../../src/database/migrations/plan.js';
import {
  describeProgress,
  type MigrationProgress,
  readMigrationProgress,
} from '../../src/database/migrations/progress.js';
import { printSchema } from '../support/schemaText.js';
import { runServerCommand } from '../support/serverCommand.js';

const SIZES = { artifacts: 3_000, users: 4 };

const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

function readOriginal(name: string): Promise<string> {
  return readFile(new URL(`../../migrations/${name}.sql`, import.meta.url), 'utf8');
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  closers.push(() => client.end());
  await client.connect();
  return client;
}

/** As release 0.2.0 left it, with Artifacts. */
async function createOlderDatabase(): Promise<string> {
  const url = await createDatabase(inject('postgresUrl'));
  const client = await connect(url);
  await createEarlierTables(client, FIRST_LATER_MIGRATION);
  await fillTables(client, SIZES);
  return url;
}

function startOlderProcess(url: string): OlderProcess {
  const older = new OlderProcess({ connectionString: url }, { connections: 2, users: SIZES.users });
  closers.push(() => older.end());
  return older;
}

/** What is derived from Artifacts and Marks, without times and numbers that depend on the order. */
async function readDerived(url: string): Promise<unknown> {
  const [counters, images, recordings, preferences, renditions] = await Promise.all([
    query(url, 'select mark_id, artifacts from mark_counters order by mark_id'),
    query(url, 'select artifact_id, p_hash, d_hash from image_codes order by artifact_id'),
    query(url, 'select artifact_id from sound_codes order by artifact_id'),
    query(url, 'select mark_id, allow_ai_training from mark_preferences order by mark_id'),
    query(url, `select key from idempotency_keys where response ? 'renditions' order by key`),
  ]);
  return { counters, images, recordings, preferences, renditions };
}

/** Marks whose counter is not the number of their Artifacts. */
const WRONG_COUNTERS = `
  select marks.id from marks left join mark_counters on mark_id = marks.id where mark_counters.artifacts is distinct from (
    select count(*) from artifacts where mark_id = marks.id and rendition_of is null and error_reason is null
  )`;

describe('the steps of a migration', () => {
  it('are its whole text, or what begins with a line that names them', () => {
    expect(parseSteps('0001_one', 'create table a ();\n')).toEqual([
      { title: '0001_one', sql: 'create table a ();\n', kind: 'transaction' },
    ]);
    const text = [
      '-- A comment, with an index concurrently.',
      '-- step: add a column',
      'alter table a add column b text;',
      '-- step: index it',
      'create index concurrently a_by_b on a (b);',
      '-- batches of a: fill it',
      'update a set b = 1 where id > $1',
    ];
    expect(parseSteps('0002_two', text.join('\n')).map(({ sql, ...step }) => ({ ...step, sql: sql.trim() }))).toEqual([
      { title: 'add a column', kind: 'transaction', sql: text[2] },
      { title: 'index it', kind: 'concurrently', sql: text[4] },
      { title: 'fill it', kind: 'batches', table: 'a', sql: text[6] },
    ]);
  });

  it('make other processes wait for a moment at most, in all migrations since 0.2.0', async () => {
    const large = ['artifacts', 'events', 'chain_entries', 'image_codes', 'sound_codes', 'users', 'marks', 'sessions'];
    const migrations = await Promise.all((await listMigrations()).filter((name) => name > '0022').map(readMigration));
    const slow = migrations.flatMap(({ name, steps }) =>
      steps
        .flatMap((step) => listEffects(step, new Map()).map((effect) => ({ name, ...effect })))
        .filter(({ table, work, blocks }) => {
          const waits = blocks !== 'nothing' && work !== 'none';
          return large.includes(table) && (waits || work === 'changes');
        }),
    );
    expect(slow).toEqual([]);
  });
});

describe('a database of release 0.2.0', () => {
  it('gets the same schema and data step by step as by the original migrations', async () => {
    const [online, original] = [await createOlderDatabase(), await createOlderDatabase()];
    const client = await connect(original);
    for (const name of (await listMigrations()).filter((one) => one > FIRST_LATER_MIGRATION && one < '0030')) {
      await client.query(await readOriginal(name));
      await client.query(`insert into migrations values ($1, '2026-11-19T00:00:00.000Z')`, [name]);
    }
    const byOriginals = await readDerived(original);
    for (const url of [online, original]) await migrateToLatest({ connectionString: url });
    expect(await printSchema(online)).toBe(await printSchema(original));
    expect(await readDerived(online)).toEqual(byOriginals);
    expect(await readDerived(original)).toEqual(byOriginals);
    expect(await query(online, 'select * from migration_progress')).toEqual([]);
  });
});

describe('a migration that is interrupted', () => {
  it('drops the index that was left unfinished, and builds it again', async () => {
    const url = await createEarlierDatabase(inject('postgresUrl'), '0017');
    await query(url, 'create index artifacts_by_mark_and_name on artifacts (id)');
    await query(
      url,
      `update pg_index set indisvalid = false where indexrelid = 'artifacts_by_mark_and_name'::regclass`,
    );
    await migrateToLatest({ connectionString: url });
    const [index] = await query(url, `select indexdef from pg_indexes where indexname = 'artifacts_by_mark_and_name'`);
    expect(index?.['indexdef']).toContain('(mark_id, "left"(lower(');
    expect(await query(url, 'select 1 from pg_index where not indisvalid')).toEqual([]);
  });

  it('goes on after the last step, and after the last batch', async () => {
    const url = await createOlderDatabase();
    const database = openDatabase({ connectionString: url });
    closers.push(() => database.destroy());
    const blocker = await connect(url);
    /** Migrates until a step waits for the lock of that statement; returns how far it was. */
    const interruptAt = async (lock: string, isThere: (progress: MigrationProgress) => boolean) => {
      await blocker.query(`begin; ${lock}`);
      const stop = new AbortController();
      const migrating = migrateToLatest({ connectionString: url }, { stop: stop.signal });
      migrating.catch(() => {});
      const look = async () => {
        const progress = await readMigrationProgress(database);
        return progress && progress.attempts > 1 && isThere(progress) ? progress : undefined;
      };
      await waitUntil(async () => (await look()) !== undefined, 'a step waits for a lock');
      const progress = await look();
      stop.abort();
      await expect(migrating).rejects.toThrow();
      await blocker.query('rollback');
      return describeProgress(progress ?? expect.fail());
    };

    const counting = await interruptAt('select 1 from counters for update', ({ step }) => step === 1);
    expect(counting).toMatch(
      /^0030_writes_of_older_releases \(step 2 of 5\): count the Artifacts of each Mark, 0 %, waiting for a lock \(attempt \d+\)$/,
    );
    // In the second batch: the first one has two thousand Artifacts.
    const indexing = await interruptAt(
      `insert into image_codes (artifact_id, p_hash)
       select id, 1 from artifacts where metadata ? 'pHash' order by id desc limit 1`,
      ({ step }) => step === 3,
    );
    expect(indexing).toContain('(step 4 of 5): find images and recordings by look-alikes, 66 %, waiting for a lock');
    const [progress] = await query(url, 'select cursor, done from migration_progress');
    expect(progress).toEqual({ cursor: expect.stringMatching(/^[0-9a-f-]{36}$/), done: '2000' });
    await query(
      url,
      'delete from image_codes where artifact_id = (select min(artifact_id::text)::uuid from image_codes)',
    );

    await migrateToLatest({ connectionString: url });
    expect(await query(url, WRONG_COUNTERS)).toEqual([]);
    const missing = await query(
      url,
      `select 1 from artifacts where metadata ? 'pHash' and id not in (select artifact_id from image_codes)`,
    );
    // The one that was deleted below the cursor: what is done is not done again.
    expect(missing).toHaveLength(1);
  });
});

describe('while a table is locked', () => {
  it('a step that needs it gives way, and succeeds later; lookups do not wait for it', async () => {
    const url = await createOlderDatabase();
    const older = startOlderProcess(url);
    const database = openDatabase({ connectionString: url });
    closers.push(() => database.destroy());
    const reader = await connect(url);
    // As a backup does for as long as it takes.
    await reader.query('begin; lock table artifacts in access share mode');
    const migrating = migrateToLatest({ connectionString: url });
    await waitUntil(async () => ((await readMigrationProgress(database))?.attempts ?? 0) > 2, 'the third attempt');
    expect((await readMigrationProgress(database))?.name).toBe('0007_renditions');
    expect(await older.lookUp(1)).toBeDefined();
    await reader.query('commit');
    await migrating;
    expect(await older.lookUp(1)).toBeDefined();
  });
});

describe('processes of release 0.2.0, beside newer ones', () => {
  it('count for the Mark, and their images and recordings are found', async () => {
    const url = await createOlderDatabase();
    const older = startOlderProcess(url);
    const before = await older.create('before');
    await migrateToLatest({ connectionString: url });
    const [created, failed] = [await older.create('created'), await older.create('failed')];
    expect(await query(url, WRONG_COUNTERS)).toEqual([]);
    const ids = [before, created, failed].toSorted();
    for (const table of ['image_codes', 'sound_codes']) {
      const rows = await query(url, `select artifact_id as id from ${table} where artifact_id = any($1) order by 1`, [
        ids,
      ]);
      expect(rows).toEqual(ids.map((id) => ({ id })));
    }
    await older.fail([failed]);
    expect(await query(url, WRONG_COUNTERS)).toEqual([]);
    expect(await query(url, 'select error_reason from artifacts where id = $1', [failed])).toEqual([
      { error_reason: 'The contract refused it.' },
    ]);
  });

  it('may create Marks, which get their counters, and API keys, which get their makers', async () => {
    const url = await createMigratedDatabase();
    const [user, mark, organization] = [randomUUID(), randomUUID(), randomUUID()];
    await query(url, `insert into users (id, name) values ($1, 'Ada')`, [user]);
    await query(
      url,
      `insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
       values ($1, 'Mark', 'mark', 'public', 'MIT', $2, $2)`,
      [mark, user],
    );
    expect(await query(url, 'select * from mark_counters')).toEqual([{ mark_id: mark, artifacts: '0' }]);
    await query(url, `insert into organizations (id, name, owner_id) values ($1, 'Studio', $2)`, [organization, user]);
    await query(
      url,
      `insert into api_keys (id, organization_id, name, token_hash, prefix, last4)
       values (gen_random_uuid(), $1, 'Builds', sha256('key'), 'svc_1', 'last')`,
      [organization],
    );
    expect(await query(url, 'select created_by from api_keys')).toEqual([{ created_by: user }]);
  });
});

describe('provenance-server migrate', () => {
  it('prints what it would lock and write with --plan, and changes nothing', async () => {
    const url = await createOlderDatabase();
    const environment = { DATABASE_URL: url };
    const plan = await runServerCommand(migrateCommand, environment, '--plan');
    expect(plan.code).toBe(0);
    expect(plan.log).toContain(`0017_artifacts_by_name
  index the names of files
    artifacts (3,000 rows, 3 MB): nothing waits (SHARE UPDATE EXCLUSIVE), less than a second; writes an index of about 1 MB
`);
    expect(plan.log).toContain(
      'artifacts (3,000 rows, 3 MB): reads and writes wait (ACCESS EXCLUSIVE), less than a second\n',
    );
    expect(await query(url, 'select max(name) from migrations')).toEqual([{ max: '0005_refusals' }]);

    expect(await runServerCommand(migrateCommand, environment)).toMatchObject({
      code: 0,
      log: 'The schema is current.\n',
    });
    const again = await runServerCommand(migrateCommand, environment, '--plan');
    expect(again).toMatchObject({ code: 0, log: 'The schema is current: nothing to do.\n' });
  });
});
