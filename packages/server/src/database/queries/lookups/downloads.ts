// Queries about the signed downloads: whose turn it is, what is in them, and their files.

import type { AiPreferences } from '@provenance-registry/core';
import { sql } from 'kysely';
import type { DownloadRecords, Downloads } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

interface GroupRow {
  is_stated: boolean;
  allow_ai_training: boolean | null;
  ai_preferences: AiPreferences | null;
  fingerprints: Uint8Array;
}

export class DownloadQueries extends Queries implements Downloads, DownloadRecords {
  async findIndex() {
    const row = await this.database.selectFrom('downloads').select('jws').executeTakeFirst();
    return row?.jws ?? undefined;
  }

  async acquireBuildLease(holder: string, intervalMs: number, holdMs: number) {
    const { numUpdatedRows } = await this.database
      .updateTable('downloads')
      .set({ holder, held_until: later(holdMs), last_attempt_at: sql`clock_timestamp()` })
      .where(sql<boolean>`last_attempt_at <= ${later(-intervalMs)}`)
      .where(sql<boolean>`held_until is null or held_until < clock_timestamp()`)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async extendTurn(holder: string, holdMs: number) {
    const { numUpdatedRows } = await this.database
      .updateTable('downloads')
      .set({ held_until: later(holdMs) })
      .where('holder', '=', holder)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async readMirroredBlock() {
    const row = await this.database
      .selectFrom('chain_mirror')
      .select('mirrored_block')
      .where('checked_at', 'is not', null)
      .executeTakeFirst();
    return row ? Number(row.mirrored_block) : null;
  }

  // Grouped, so that a page is a few rows: ten million would occupy the event loop.
  async listFingerprints(after: Uint8Array | undefined = Buffer.alloc(0), limit: number) {
    const { rows } = await sql<GroupRow>`
      select is_stated, allow_ai_training, ai_preferences,
        string_agg(fingerprint, ''::bytea order by fingerprint) as fingerprints
      from (
        select distinct on (fingerprint) fingerprint, is_stated, allow_ai_training, ai_preferences
        from (
          (
            select artifacts.fingerprint, 1 as place, marks.visibility = 'public' as is_stated,
              case when marks.visibility = 'public'
                then (coalesce(original.metadata, artifacts.metadata) ->> 'allowAiTraining')::boolean
              end as allow_ai_training,
              case when marks.visibility = 'public'
                then coalesce(original.ai_preferences, artifacts.ai_preferences)
              end as ai_preferences
            from artifacts
            join marks on marks.id = artifacts.mark_id
            left join artifacts original on original.id = artifacts.rendition_of
            where artifacts.error_reason is null and artifacts.fingerprint > ${after}
            order by artifacts.fingerprint limit ${limit}
          )
          union all
          (
            select distinct fingerprint, 2, false, null::boolean, null::jsonb
            from chain_entries
            where manifest_id is not null and fingerprint > ${after}
            order by fingerprint limit ${limit}
          )
        ) entries
        order by fingerprint, place limit ${limit}
      ) page
      group by is_stated, allow_ai_training, ai_preferences`.execute(this.database);
    return rows.map((row) => ({
      stated: row.is_stated ? { allowAiTraining: row.allow_ai_training, aiPreferences: row.ai_preferences } : null,
      fingerprints: row.fingerprints,
    }));
  }

  async addFile(name: string) {
    const row = await this.database
      .insertInto('download_files')
      .values({ name })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ unused_since: null }))
      .returning('is_published')
      .executeTakeFirst();
    return row?.is_published === true;
  }

  async markPublished(name: string) {
    await this.database.updateTable('download_files').set({ is_published: true }).where('name', '=', name).execute();
  }

  finish(holder: string, { jws, names }: { readonly jws: string; readonly names: readonly string[] }) {
    return this.database.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('downloads')
        .set({ jws, holder: null, held_until: null })
        .where('holder', '=', holder)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return false;
      await sql`
        update download_files set unused_since = now()
        where unused_since is null and name <> all(${names})`.execute(transaction);
      return true;
    });
  }

  async listUnused(graceMs: number) {
    const rows = await this.database
      .selectFrom('download_files')
      .select('name')
      .where(sql<boolean>`unused_since < ${later(-graceMs)}`)
      .execute();
    return rows.map(({ name }) => name);
  }

  async removeFile(name: string) {
    await this.database
      .deleteFrom('download_files')
      .where('name', '=', name)
      .where('unused_since', 'is not', null)
      .execute();
  }
}

function later(ms: number) {
  return sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;
}
