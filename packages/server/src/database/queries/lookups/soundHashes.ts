// Queries about the values by which recordings are found.

import { decodeChromaprint, extractSound } from '@provenance-registry/media';
import { type RawBuilder, sql } from 'kysely';
import type { AuditedSoundHashes, NewArtifact, SoundCandidate, SoundHashRecords } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class SoundHashQueries extends Queries implements SoundHashRecords, AuditedSoundHashes {
  async findCandidates({ values, exceptMarkId, limit }: Parameters<SoundHashRecords['findCandidates']>[0]) {
    const isOther = exceptMarkId === undefined ? sql`` : sql`and mark_id <> ${exceptMarkId}`;
    const { rows } = await sql<SoundCandidate>`
      with candidate as materialized (
        select artifacts.id
        from find_sounds(${values}::integer[]) found
        join artifacts on artifacts.id = found.artifact_id join marks on marks.id = mark_id
        where error_reason is null and not content_private and visibility = 'public' ${isOther}
        order by shared desc, artifacts.created_at, artifacts.id limit ${limit}
      )
      select
        id as "artifactId", '0x' || encode(fingerprint, 'hex') as fingerprint, mark_id as "markId",
        created_at as "createdAt", coalesce(metadata ->> 'hashesBy', 'service') as "hashesBy",
        metadata ->> 'chromaprint' as chromaprint
      from artifacts where id in (select id from candidate)`.execute(this.database);
    return rows;
  }

  async addMissing(limit: number) {
    return this.database.transaction().execute(async (transaction) => {
      // Skips what another process computes.
      const { rows } = await sql<{ id: string; chromaprint: string | null }>`
        select id, metadata ->> 'chromaprint' as chromaprint
        from sound_codes join artifacts on id = artifact_id
        where extract is null limit ${limit} for no key update of sound_codes skip locked`.execute(transaction);
      const computed = rows.map(({ id, chromaprint }) => ({ id, extract: computeExtract(chromaprint ?? '') }));
      await sql`
        update sound_codes set extract = computed.extract
        from json_to_recordset(${JSON.stringify(computed)}) as computed (id uuid, extract integer[])
        where artifact_id = computed.id`.execute(transaction);
      return rows.length;
    });
  }

  private async readWrong(ids: readonly string[]) {
    const { rows } = await sql<{ id: string; chromaprint: string | null; extract: number[] | null; hasRow: boolean }>`
    select id, metadata ->> 'chromaprint' as chromaprint, extract, artifact_id is not null as "hasRow"
    from artifacts left join sound_codes on artifact_id = id
    where id = any(${ids}::uuid[]) and (metadata ? 'chromaprint' or artifact_id is not null)`.execute(this.database);
    return rows
      .map((row) => ({ ...row, expected: row.chromaprint === null ? undefined : computeExtract(row.chromaprint) }))
      .filter(({ expected, extract, hasRow }) => {
        if (expected === undefined || !hasRow) return true;
        return extract !== null && extract.join() !== expected.join();
      });
  }

  async findWrong(ids: readonly string[]) {
    return new Set((await this.readWrong(ids)).map(({ id }) => id));
  }

  async repair(artifactId: string) {
    const [wrong] = await this.readWrong([artifactId]);
    if (!wrong) return false;
    const { expected } = wrong;
    if (expected === undefined)
      await sql`delete from sound_codes where artifact_id = ${artifactId}`.execute(this.database);
    else
      await sql`
        insert into sound_codes (artifact_id, extract) values (${artifactId}, ${expected}::integer[])
        on conflict (artifact_id) do update set extract = excluded.extract`.execute(this.database);
    return true;
  }
}

/** Empty for a malformed Chromaprint, and for sound that cannot be compared. */
export function computeExtract(chromaprint: string): number[] {
  const items = decodeChromaprint(chromaprint);
  return items ? extractSound(items) : [];
}

/** Part of the statement that records Artifacts. Most files are not sound. */
export function insertSoundHashes(artifacts: readonly NewArtifact[], isRecorded: RawBuilder<unknown>) {
  return artifacts.some(({ metadata }) => metadata.chromaprint !== undefined)
    ? sql`
      insert into sound_codes (artifact_id, extract)
      select id, sound_extract from input where sound_extract is not null and ${isRecorded}`
    : sql`select 1`;
}
