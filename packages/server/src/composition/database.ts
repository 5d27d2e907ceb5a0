// The database from the settings: the embedded one or another, waited for, migrated or checked.

import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, ConfigError } from '../config/config.js';
import {
  type Database,
  type DatabaseAddress,
  keepsPreparedStatements,
  openDatabase,
  pingDatabase,
} from '../database/connection.js';
import { type EmbeddedDatabase, type EmbeddedOptions, joinEmbeddedDatabase } from '../database/embedded/index.js';
import { isMigrated } from '../database/migrate.js';
import { ReadReplica } from '../database/readReplica.js';
import type { CloserStack, StopSignals } from '../jobs/closers.js';

/** A database that starts at the same time as the service may need a moment. */
const DATABASE_WAIT_MS = 30_000;
const DATABASE_POLL_MS = 250;

export interface DatabaseConnection {
  readonly database: Database;
  readonly address: DatabaseAddress;
}

interface DatabaseOptions {
  /** Starts or joins the embedded database; used when the settings name no other. */
  readonly openEmbedded: (options: EmbeddedOptions) => Promise<EmbeddedDatabase>;
  readonly onLost: (reason: unknown) => void;
  readonly notify: (message: string) => void;
  readonly stop?: StopSignals | undefined;
  /** Migrates the schema, or checks that it is current. */
  readonly prepare: (connection: DatabaseConnection) => Promise<void>;
  readonly statementMs?: number;
}

export async function connectDatabase(
  { databaseUrl, dataDir }: Config,
  closers: CloserStack,
  { openEmbedded, onLost, notify, stop, prepare, statementMs }: DatabaseOptions,
): Promise<DatabaseConnection> {
  let address: DatabaseAddress;
  if (databaseUrl === undefined) {
    const opening = openEmbedded({ dataDir, notify, onLost, stop });
    // Before it is open: a stop waits until a start in progress has undone its part.
    closers.push(async () => (await opening.catch(() => undefined))?.stop());
    address = (await opening).address;
  } else address = { connectionString: databaseUrl };
  const database = openDatabase(address, statementMs);
  closers.push(() => database.destroy());
  await waitForDatabase(database, notify);
  if (databaseUrl !== undefined) await requirePreparedStatements(address);
  const connection = { database, address };
  await prepare(connection);
  return connection;
}

/** Connects a command beside the service, which alone changes the schema. */
export async function joinDatabase(
  config: Config,
  closers: CloserStack,
  options: Pick<DatabaseOptions, 'onLost' | 'notify' | 'statementMs'>,
): Promise<Database> {
  const joined = { ...options, openEmbedded: joinEmbeddedDatabase, prepare: requireMigrated };
  return (await connectDatabase(config, closers, joined)).database;
}

/** A lookup that has to wait longer asks the primary. */
const REPLICA_STATEMENT_MS = 1_000;

/** The replica that the settings name. A `worker` answers no lookups. */
export function followReplica(
  { databaseReadUrl, role }: Config,
  primary: Database,
  logger: FastifyBaseLogger,
  closers: CloserStack,
): ReadReplica | undefined {
  if (databaseReadUrl === undefined || role === 'worker') return undefined;
  const database = openDatabase({ connectionString: databaseReadUrl }, REPLICA_STATEMENT_MS);
  closers.push(() => database.destroy());
  const replica = new ReadReplica(primary, database, (message) => logger.warn(message));
  closers.push(() => replica.stop());
  return replica;
}

async function requireMigrated({ database }: DatabaseConnection): Promise<void> {
  if (await isMigrated(database)) return;
  throw new Error('The database schema is not current: run `provenance-server migrate`, or start the service.');
}

async function requirePreparedStatements(address: DatabaseAddress): Promise<void> {
  if (await keepsPreparedStatements(address)) return;
  throw new ConfigError([
    'DATABASE_URL: the connection pooler loses prepared statements: PgBouncer needs version 1.21 or newer with ' +
      'max_prepared_statements above 0, or pool_mode = session',
  ]);
}

async function waitForDatabase(database: Database, notify: (message: string) => void): Promise<void> {
  const startedAt = Date.now();
  let hasNotified = false;
  for (;;) {
    try {
      await pingDatabase(database);
      return;
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      if (Date.now() - startedAt > DATABASE_WAIT_MS) throw new Error(`The database cannot be reached: ${reason}`);
      if (!hasNotified) notify(`Waiting for the database: ${reason}`);
      hasNotified = true;
      await delay(DATABASE_POLL_MS);
    }
  }
}
