// Runs a migration step by step, while the service of this and of the release before go on. What a kill interrupts is taken
// up where it was: a step is recorded in the transaction that it runs in.

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Migration, type MigrationStep, withoutComments } from './files.js';

export const MIGRATION_TABLE = 'migrations';
export const PROGRESS_TABLE = 'migration_progress';

/**
 * How long a step waits for a lock: everything that needs the table afterwards waits behind it, so that it must be short
 * for a request.
 */
const LOCK_TIMEOUT_MS = 200;
/** Between two attempts to get a lock; doubled each time. A tenth of the requests of a busy table are delayed at most. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;
/** Lock timeout, deadlock, serialization failure: the step was rolled back, and may succeed now. */
const RETRYABLE_CODES = ['55P03', '40P01', '40001'];
/** Batches pause as long as they took, so that at most half of the server's time goes into them, and at least so long. */
const MIN_PAUSE_MS = 5;

export interface RunOptions {
  /** Recorded with each migration, so that an older release can say which one it needs. */
  readonly release: string;
  readonly stop?: AbortSignal | undefined;
}

/** Exclusively: the caller holds the lock of migrations. */
export async function runMigration(client: pg.Client, migration: Migration, options: RunOptions): Promise<void> {
  const { name, steps } = migration;
  const { rows } = await client.query<{ step: number; cursor: string | null }>(
    `select step, cursor from ${PROGRESS_TABLE} where name = $1`,
    [name],
  );
  const { step: finished, cursor } = rows[0] ?? { step: 0, cursor: null };
  for (const [index, step] of steps.entries()) {
    if (index < finished) continue;
    await announceStep(client, migration, index, step);
    const run: StepRun = {
      client,
      step,
      cursor: index === finished ? cursor : null,
      record: () => recordStep(client, migration, index + 1, options.release),
      stop: options.stop,
    };
    await runners[step.kind](run);
  }
}

interface StepRun {
  readonly client: pg.Client;
  readonly step: MigrationStep;
  /** Of the last batch before a kill. */
  readonly cursor: string | null;
  /** Called in the last transaction of the step. */
  readonly record: () => Promise<void>;
  readonly stop: AbortSignal | undefined;
}

const runners: Readonly<Record<MigrationStep['kind'], (run: StepRun) => Promise<void>>> = {
  transaction: runInTransaction,
  concurrently: buildConcurrently,
  batches: runBatches,
};

/** Before it begins, for those who want to know what takes long. */
async function announceStep(client: pg.Client, { name, steps }: Migration, index: number, step: MigrationStep) {
  await client.query(
    `insert into ${PROGRESS_TABLE} (name, step, steps, title, total)
     values ($1, $2, $3, $4, (select nullif(greatest(reltuples, 0), 0)::bigint from pg_class where oid = to_regclass($5)))
     on conflict (name) do update set title = excluded.title, total = excluded.total, attempts = 1`,
    [name, index, steps.length, step.title, step.table ?? null],
  );
}

/** After the last step, the migration is done. */
async function recordStep(client: pg.Client, { name, steps }: Migration, finished: number, release: string) {
  if (finished < steps.length) {
    await client.query(`update ${PROGRESS_TABLE} set step = $2, cursor = null, done = 0 where name = $1`, [
      name,
      finished,
    ]);
    return;
  }
  await client.query(`insert into ${MIGRATION_TABLE} (name, "timestamp") values ($1, $2)`, [
    name,
    new Date().toISOString(),
  ]);
  await client.query(`delete from ${PROGRESS_TABLE} where name = $1`, [name]);
  // A version consists of digits, letters, dots, plus and minus signs.
  await client.query(`comment on table ${MIGRATION_TABLE} is 'migrated by release ${release}'`);
}

function runInTransaction({ client, step, record, stop }: StepRun): Promise<void> {
  return retryLocks(client, stop, async () => {
    await client.query(step.sql);
    await record();
  });
}

/** An index that a kill has left unfinished is dropped and built again; one that was finished is kept. */
async function buildConcurrently({ client, step: { sql }, record, stop }: StepRun): Promise<void> {
  const index = findConcurrentIndex(sql);
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  if (rows[0]?.valid === false) await client.query(`drop index concurrently ${index}`);
  if (rows[0]?.valid !== true) await client.query(sql);
  await retryLocks(client, stop, record);
}

/** The name of the index that the statement creates. */
function findConcurrentIndex(sql: string): string {
  const name = /\bcreate (?:unique )?index concurrently (\w+)/.exec(withoutComments(sql))?.[1];
  if (name === undefined) throw new Error('A step with "concurrently" creates one index.');
  return name;
}

async function runBatches({ client, step: { sql }, cursor: first, record, stop }: StepRun): Promise<void> {
  for (let cursor: string | null | undefined = first; cursor !== undefined; ) {
    const startedAt = performance.now();
    const after: string | null = cursor;
    cursor = await retryLocks(client, stop, async (): Promise<string | undefined> => {
      const { rows } = await client.query<{ cursor: string; done: number }>(sql, [after]);
      const [batch] = rows;
      if (batch) {
        await client.query(`update ${PROGRESS_TABLE} set cursor = $1, done = done + $2`, [batch.cursor, batch.done]);
      } else await record();
      return batch?.cursor;
    });
    await delay(Math.max(MIN_PAUSE_MS, performance.now() - startedAt), undefined, { signal: stop });
  }
}

/** Does the work in a transaction, until it gets its locks. */
async function retryLocks<T>(client: pg.Client, stop: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const result = await work();
      await client.query('commit');
      return result;
    } catch (error) {
      const isRetryable = error instanceof pg.DatabaseError && RETRYABLE_CODES.includes(error.code ?? '');
      if (!isRetryable) throw error;
      await client.query('rollback');
    }
    await client.query(`update ${PROGRESS_TABLE} set attempts = attempts + 1`);
    await delay(pauseMs, undefined, { signal: stop });
  }
}
