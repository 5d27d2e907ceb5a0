// How far the migration under way is, for other connections: that of the process which migrates has no time to tell.

import { sql } from 'kysely';
import type { Database } from '../connection.js';
import { PROGRESS_TABLE } from './runner.js';

export interface MigrationProgress {
  readonly name: string;
  /** Finished ones. */
  readonly step: number;
  readonly steps: number;
  readonly title: string;
  /** Of the current step; undefined while its size is unknown. */
  readonly percent: number | undefined;
  /** More than one: the step waits for a lock. */
  readonly attempts: number;
}

interface ProgressRow extends Omit<MigrationProgress, 'percent'> {
  readonly done: number;
  readonly total: number | null;
}

/** Undefined while no migration is under way. */
export async function readMigrationProgress(database: Database): Promise<MigrationProgress | undefined> {
  const { rows: tables } = await sql`select 1 where to_regclass(${PROGRESS_TABLE}) is not null`.execute(database);
  if (tables.length === 0) return undefined;
  const { rows } = await sql<ProgressRow>`
    select name, step, steps, title, attempts,
      coalesce(index_blocks.done, progress.done)::float8 as done, coalesce(index_blocks.total, progress.total)::float8 as total
    from ${sql.table(PROGRESS_TABLE)} progress left join (
      -- The scan of the table, and then the check of what changed meanwhile.
      select blocks_done as done, nullif(blocks_total, 0) as total from pg_stat_progress_create_index
      where datname = current_database() and command = 'CREATE INDEX CONCURRENTLY'
    ) index_blocks on true limit 1`.execute(database);
  const [row] = rows;
  if (!row) return undefined;
  const { done, total, ...progress } = row;
  return { ...progress, percent: total === null ? undefined : Math.min(100, Math.floor((100 * done) / total)) };
}

export function describeProgress({ name, step, steps, title, percent, attempts }: MigrationProgress): string {
  const place = steps === 1 ? '' : ` (step ${step + 1} of ${steps})`;
  const share = percent === undefined ? '' : `, ${percent} %`;
  const wait = attempts === 1 ? '' : `, waiting for a lock (attempt ${attempts})`;
  return `${name}${place}: ${title}${share}${wait}`;
}
