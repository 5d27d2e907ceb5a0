// Whether PostgreSQL archives its write-ahead log, which every role may read.

import { sql } from 'kysely';
import type { Database } from './connection.js';

/** Undefined without an archive. */
export async function readWalArchive(database: Database): Promise<{ readonly isFailing: boolean } | undefined> {
  const { rows } = await sql<{ isFailing: boolean }>`
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as "isFailing"
    from pg_stat_archiver where current_setting('archive_mode') <> 'off'`.execute(database);
  return rows[0];
}
