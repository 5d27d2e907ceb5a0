// Brings the database's schema up to date, forward only, while processes of the release before go on. The schema remembers
// the release that has migrated it, so that an older one can say which release it needs.

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { readVersion } from '../paths.js';
import type { Database, DatabaseAddress } from './connection.js';
import { listMigrations, type Migration, readMigration } from './migrations/files.js';
import { MIGRATION_TABLE, PROGRESS_TABLE, runMigration } from './migrations/runner.js';

/** Held while a process migrates; PostgreSQL releases it when the process dies. Releases up to 0.2.0 wait for it, too. */
const MIGRATION_LOCK = '3853314791062309107';
/** Between two attempts to get it. */
const LOCK_POLL_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** The comment on the table of migrations. */
const releaseForm = /^migrated by release (\S+)$/;

/** A newer release has migrated this database. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

export interface MigrateOptions {
  readonly release?: string;
  /** Ends the migration where it is; the next call goes on from there. */
  readonly stop?: AbortSignal | undefined;
}

/** Runs a query and returns its rows: on the pool, or on the connection of a migration. */
type Query = <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>;

/** Safe to run in several processes at once: one migrates, the others wait for it. */
export async function migrateToLatest(
  address: DatabaseAddress,
  { release = readVersion(), stop }: MigrateOptions = {},
): Promise<void> {
  stop?.throwIfAborted();
  const client = new pg.Client({
    ...address,
    application_name: 'provenance-registry migration',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on('error', () => {});
  // Cuts the connection if a statement is under way.
  const end = () => void client.end().catch(() => {});
  stop?.addEventListener('abort', end);
  try {
    await client.connect();
    await liftLimits(client);
    await acquireLock(client, stop);
    await client.query(bookkeepingTables);
    const query: Query = async (text) => (await client.query(text)).rows;
    await refuseNewerSchema(query, release);
    for (const migration of await listPending(query)) await runMigration(client, migration, { release, stop });
  } finally {
    stop?.removeEventListener('abort', end);
    await client.end().catch(() => {});
  }
}

export async function isMigrated(database: Database, release = readVersion()): Promise<boolean> {
  const query = queryOn(database);
  await refuseNewerSchema(query, release);
  return (await listPending(query)).length === 0;
}

/** In their order. */
export function listPendingMigrations(database: Database): Promise<Migration[]> {
  return listPending(queryOn(database));
}

/** When the first migration created this database. */
export async function readCreationTime(database: Database): Promise<Date> {
  const { rows } = await sql<{ first: string }>`
    select min(timestamp) as first from ${sql.table(MIGRATION_TABLE)}`.execute(database);
  return new Date(rows[0]?.first ?? '');
}

/** A migration takes as long as it takes; the settings of a role or database may limit statements. */
async function liftLimits(client: pg.Client): Promise<void> {
  await client.query(`
    set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set jit = off`);
  // When this process is killed, its statement ends soon, and with it the lock. Not every system can tell.
  await client.query(`set client_connection_check_interval = '2s'`).catch(() => {});
}

/** By polling: a statement that waits would hold a snapshot, for whose end a new index waits. */
async function acquireLock(client: pg.Client, stop: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${MIGRATION_LOCK}) as held`);
    if (rows[0]?.held) return;
    await delay(LOCK_POLL_MS, undefined, { signal: stop });
  }
}

/** The first one has this form since release 0.1.0. The other has a row while a migration is under way. */
const bookkeepingTables = `
  create table if not exists ${MIGRATION_TABLE} (name varchar(255) primary key, "timestamp" varchar(255) not null);
  create table if not exists ${PROGRESS_TABLE} (
    name text primary key,
    step integer not null,                -- finished ones
    steps integer not null,
    title text not null,                  -- of the current step
    cursor text,                          -- of its last batch
    done bigint not null default 0,       -- rows of its batches
    total bigint,
    attempts integer not null default 1   -- to get its locks
  )`;

function queryOn(database: Database): Query {
  return async <Row extends pg.QueryResultRow>(text: string) => (await sql.raw<Row>(text).execute(database)).rows;
}

async function listPending(query: Query): Promise<Migration[]> {
  const done = new Set(await listDone(query));
  return Promise.all((await listMigrations()).filter((name) => !done.has(name)).map(readMigration));
}

async function listDone(query: Query): Promise<string[]> {
  const [table] = await query(`select 1 where to_regclass('${MIGRATION_TABLE}') is not null`);
  if (!table) return [];
  const rows = await query<{ name: string }>(`select name from ${MIGRATION_TABLE} order by name`);
  return rows.map(({ name }) => name);
}

async function refuseNewerSchema(query: Query, release: string): Promise<void> {
  const known = await listMigrations();
  const unknown = (await listDone(query)).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [table] = await query<{ comment: string | null }>(
    `select obj_description('${MIGRATION_TABLE}'::regclass, 'pg_class') as comment`,
  );
  const newer = releaseForm.exec(table?.comment ?? '')?.[1];
  throw new NewerSchemaError(
    newer && newer !== release
      ? `The database was migrated by release ${newer}; this is ${release}: install ${newer} or newer.`
      : `The database was migrated by a newer release; this is ${release}, which has no migration ${unknown}: ` +
          'install a newer release.',
  );
}
