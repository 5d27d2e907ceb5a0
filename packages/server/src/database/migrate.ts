// Brings the database's schema up to date from plain SQL files, forward only.

import { readdir, readFile } from 'node:fs/promises';
import { type Migration, Migrator, sql } from 'kysely';
import { packageFolder } from '../paths.js';
import type { Database } from './connection.js';

const migrationsFolder = new URL('migrations/', packageFolder);

/** Safe to run in several processes at once: one migrates, the others wait for it. */
export async function migrateToLatest(database: Database): Promise<void> {
  const { error } = await createMigrator(database).migrateToLatest();
  if (error) throw error;
}

export async function isMigrated(database: Database): Promise<boolean> {
  const migrations = await createMigrator(database).getMigrations();
  return migrations.every(({ executedAt }) => executedAt !== undefined);
}

function createMigrator(database: Database): Migrator {
  return new Migrator({
    db: database,
    provider: { getMigrations: readMigrations },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  });
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql'));
  const migrations = files.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(name, migrationsFolder), 'utf8');
    return [name.replace(/\.sql$/, ''), { up: async (transaction) => void (await sql.raw(text).execute(transaction)) }];
  });
  return Object.fromEntries(await Promise.all(migrations));
}
