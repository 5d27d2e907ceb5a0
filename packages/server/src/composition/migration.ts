// Migrates the database before the service starts. Meanwhile the port and the log say what is under way.

import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.js';
import type { Database } from '../database/connection.js';
import { isMigrated, migrateToLatest, NewerSchemaError } from '../database/migrate.js';
import { describeProgress, type MigrationProgress, readMigrationProgress } from '../database/migrations/progress.js';
import { type MigrationState, startMigrationServer } from '../http/migrationServer.js';
import type { DatabaseConnection } from './database.js';

const PROGRESS_INTERVAL_MS = 1_000;
/** A step that takes longer is logged again. */
const LOG_INTERVAL_MS = 10_000;
/** Between two attempts after a failure, such as a full disk; doubled each time. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/**
 * Resolves when the schema is current, whichever process has migrated it. A failure is tried again: a process that ended
 * and was started again would do no more.
 */
export async function migrateBeforeStart(
  { database, address }: DatabaseConnection,
  config: Config,
  { logger, stop }: { readonly logger: FastifyBaseLogger; readonly stop?: AbortSignal | undefined },
): Promise<void> {
  if (await isMigrated(database)) return;
  const observer = observeMigration(database, logger);
  const closeServer = await startMigrationServer(config, observer.readState);
  try {
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
      try {
        observer.setFailure(undefined);
        return await migrateToLatest(address, { stop });
      } catch (error) {
        if (stop?.aborted || error instanceof NewerSchemaError) throw error;
        observer.setFailure(error);
        logger.error({ err: error }, 'the migration failed, and is tried again');
      }
      await delay(pauseMs, undefined, { signal: stop });
    }
  } finally {
    observer.stop();
    await closeServer();
  }
}

interface MigrationObserver {
  readonly readState: () => MigrationState;
  readonly setFailure: (error: unknown) => void;
  readonly stop: () => void;
}

function observeMigration(database: Database, logger: FastifyBaseLogger): MigrationObserver {
  let progress: MigrationProgress | undefined;
  let failure: unknown;
  let logged = { text: '', at: 0 };
  async function look(): Promise<void> {
    // Without the database, the last known state stands.
    progress = await readMigrationProgress(database).catch(() => progress);
    if (!progress || failure !== undefined) return;
    const { name, step, title } = progress;
    const text = `${name} ${step}`;
    if (text === logged.text && performance.now() - logged.at < LOG_INTERVAL_MS) return;
    logged = { text, at: performance.now() };
    logger.info({ migration: name, title, progress: describeProgress(progress) }, 'migrating the database');
  }
  const timer = setInterval(() => void look(), PROGRESS_INTERVAL_MS);
  return {
    readState() {
      const message = failure === undefined ? 'the database is migrated.' : 'the migration failed, see the log.';
      if (!progress) return { state: 'migrating', message };
      const { percent, ...rest } = progress;
      return {
        state: 'migrating',
        message: `${message} ${describeProgress(progress)}.`,
        migration: { ...rest, ...(percent !== undefined && { percent }) },
      };
    },
    setFailure(error) {
      failure = error;
    },
    stop: () => clearInterval(timer),
  };
}
