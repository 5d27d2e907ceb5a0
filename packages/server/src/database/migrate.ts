// Brings the database's schema up to date from plain SQL files, forward only. The schema remembers the release that has
// migrated it, so that an older one can say which release it needs.

import { readdir, readFile } from 'node:fs/promises';
import { type Migration, Migrator, sql } from 'kysely';
import { packageFolder, readVersion } from '../paths.js';
import type { Database } from './connection.js';

/** Ordered by their numbers. No commit has had a 0013. */
const migrationsFolder = new URL('migrations/', packageFolder);
const MIGRATION_TABLE = 'migrations';
/** The comment on the table of migrations. */
const releaseForm = /^migrated by release (\S+)$/;

/** A newer release has migrated this database. */
class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

/** Safe to run in several processes at once: one migrates, the others wait for it. */
export async function migrateToLatest(database: Database, release = readVersion()): Promise<void> {
  await refuseNewerSchema(database, release);
  const { error } = await createMigrator(database, release).migrateToLatest();
  if (error) throw error;
}

export async function isMigrated(database: Database, release = readVersion()): Promise<boolean> {
  await refuseNewerSchema(database, release);
  const migrations = await createMigrator(database, release).getMigrations();
  return migrations.every(({ executedAt }) => executedAt !== undefined);
}

/** When the first migration created this database. */
export async function readCreationTime(database: Database): Promise<Date> {
  const { rows } = await sql<{ first: string }>`
    select min(timestamp) as first from ${sql.table(MIGRATION_TABLE)}`.execute(database);
  return new Date(rows[0]?.first ?? '');
}

async function refuseNewerSchema(database: Database, release: string): Promise<void> {
  const { rows: tables } = await sql<{ comment: string | null }>`
    select obj_description(to_regclass(${MIGRATION_TABLE}), 'pg_class') as comment
    where to_regclass(${MIGRATION_TABLE}) is not null`.execute(database);
  const [table] = tables;
  if (!table) return;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
    database,
  );
  const known = await listMigrations();
  const unknown = rows.find(({ name }) => !known.includes(name));
  if (!unknown) return;
  const newer = releaseForm.exec(table.comment ?? '')?.[1];
  throw new NewerSchemaError(
    newer && newer !== release
      ? `The database was migrated by release ${newer}; this is ${release}: install ${newer} or newer.`
      : `The database was migrated by a newer release; this is ${release}, which has no migration ${unknown.name}: ` +
          'install a newer release.',
  );
}

function createMigrator(database: Database, release: string): Migrator {
  return new Migrator({
    db: database,
    provider: { getMigrations: () => readMigrations(release) },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: 'migrations_lock',
  });
}

async function readMigrations(release: string): Promise<Record<string, Migration>> {
  const migrations = (await listMigrations()).map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(`${name}.sql`, migrationsFolder), 'utf8');
    return [
      name,
      { up: async (transaction) => void (await sql.raw(`${text};\n${recordRelease(release)}`).execute(transaction)) },
    ];
  });
  return Object.fromEntries(await Promise.all(migrations));
}

async function listMigrations(): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  return files.filter((name) => name.endsWith('.sql')).map((name) => name.replace(/\.sql$/, ''));
}

/** A version consists of digits, letters, dots, plus and minus signs. */
function recordRelease(release: string): string {
  return `comment on table ${MIGRATION_TABLE} is 'migrated by release ${release}'`;
}
