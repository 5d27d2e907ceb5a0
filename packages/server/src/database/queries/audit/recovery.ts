// Queries of the recovery: what the database lacks, who registered it, and adding it again.

import { type Fingerprint, artifactStatusCode as status } from '@provenance-registry/core';
import { type RawBuilder, sql } from 'kysely';
import type {
  Hex,
  LoggedEntry,
  MarkWriter,
  OriginalArtifact,
  RecoveredArtifact,
  RecoveredSignedCopy,
  RecoveryRecords,
} from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import { retryConflicts } from '../../retries.js';
import { insertIntoChainOutbox } from '../artifacts/chainOutbox.js';
import { Queries } from '../queries.js';
import { AuditQueries } from './audit.js';

/** Sorts before all ids. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

export class RecoveryQueries extends Queries implements RecoveryRecords {
  async findMissing(entries: readonly LoggedEntry[]) {
    const { rows } = await sql<{ place: number }>`
      select input.place::integer from unnest(
        ${entries.map(({ fingerprint }) => bytes(fingerprint))}::bytea[],
        ${entries.map(({ manifestId }) => manifestId)}::uuid[]
      ) with ordinality as input (fingerprint, manifest_id, place)
      where not exists (
        select 1 from artifacts
        where artifacts.fingerprint = input.fingerprint
          and (error_reason is null or coalesce(rendition_of, id) = input.manifest_id)
      ) order by place`.execute(this.database);
    return rows.flatMap(({ place }) => entries[place - 1] ?? []);
  }

  async readOriginals(ids: readonly string[]) {
    const { rows } = await sql<OriginalArtifact & { id: string }>`
      select id, mark_id as "markId", created_by as "createdBy", metadata ->> 'mediaType' as "mediaType"
      from artifacts where id = any(${ids}::uuid[]) and rendition_of is null and error_reason is null`.execute(
      this.database,
    );
    return new Map(rows.map(({ id, ...original }) => [id, original]));
  }

  findKnownIds(ids: readonly string[]) {
    return new AuditQueries(this.database).findKnownIds(ids);
  }

  listUserIds(after: string | undefined, limit: number) {
    return this.#listIds(sql`users`, after, limit);
  }

  listMarkIds(after: string | undefined, limit: number) {
    return this.#listIds(sql`marks`, after, limit);
  }

  async #listIds(table: RawBuilder<unknown>, after: string | undefined, limit: number) {
    const { rows } = await sql<{ id: string }>`
      select id from ${table} where id > ${after ?? LOWEST_ID} order by id limit ${limit}`.execute(this.database);
    return rows.map(({ id }) => id);
  }

  async listWriters(markIds: readonly string[]) {
    const { rows } = await sql<MarkWriter>`
      with asked as (select id, admin_id, owner_id, organization_id from marks where id = any(${markIds}::uuid[])),
      writers as (
        select id as mark_id, admin_id as user_id from asked
        union select id, owner_id from asked where owner_id is not null
        union select mark_id, user_id from mark_members where mark_id = any(${markIds}::uuid[])
        union select id, member.user_id from asked join organization_members member using (organization_id)
      )
      select mark_id as "markId", user_id as "userId", users.name as "userName"
      from writers join users on users.id = user_id`.execute(this.database);
    return rows;
  }

  async addArtifact(artifact: RecoveredArtifact) {
    const added = sql`
      insert into artifacts (
        id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, ai_preferences, status,
        transaction_hash, content_private, recovered_at
      )
      select ${artifact.id}, mark.id, ${artifact.createdBy}, ${artifact.createdAt}, ${bytes(artifact.fingerprint)},
        ${bytes(artifact.manifestHash)}, ${JSON.stringify(artifact.metadata)}::jsonb,
        ${artifact.aiPreferences && JSON.stringify(artifact.aiPreferences)}::jsonb, ${statusOf(artifact.transactionHash)},
        ${artifact.transactionHash ? bytes(artifact.transactionHash) : null}, ${artifact.isIncomplete},
        case when ${artifact.isIncomplete}::boolean then now() end
      from mark on conflict do nothing
      returning id, mark_id, (created_at at time zone 'utc')::date as day`;
    // The locks are taken in the order of a creation: Mark, Artifact, counter of the owner.
    return this.#add(artifact, added, [
      sql`counted as (
        update counters set
          lifetime_artifacts = lifetime_artifacts + 1,
          daily_artifacts = daily_artifacts + case when added.day = counters.day then 1 else 0 end
        from added cross join mark where counters.owner_id = mark.owner_id
      )`,
      sql`mark_counts as (
        update mark_counters set artifacts = artifacts + 1 from added where mark_counters.mark_id = added.mark_id
      )`,
    ]);
  }

  async addSignedCopy(signedCopy: RecoveredSignedCopy) {
    const added = sql`
      insert into artifacts (
        id, rendition_of, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, status, transaction_hash
      )
      select gen_random_uuid(), original.id, mark.id, ${signedCopy.createdBy}, ${signedCopy.createdAt},
        ${bytes(signedCopy.fingerprint)}, ${bytes(signedCopy.manifestHash)},
        ${JSON.stringify({ mediaType: signedCopy.mediaType })}::jsonb, ${status.submitted}::smallint,
        ${bytes(signedCopy.transactionHash)}
      from mark join artifacts original on original.id = ${signedCopy.artifactId} and original.error_reason is null
      on conflict do nothing
      returning id`;
    return this.#add(signedCopy, added, []);
  }

  /** The submitter watches what is on chain for reorganizations, and registers the rest. */
  async #add(
    { markId, fingerprint }: Pick<RecoveredArtifact, 'markId' | 'fingerprint'>,
    added: RawBuilder<unknown>,
    others: readonly RawBuilder<unknown>[],
  ) {
    const parts = [
      sql`mark as materialized (
        select id, coalesce(owner_id, organization_id) as owner_id from marks where id = ${markId} for share
      )`,
      sql`added as (${added})`,
      ...others,
      sql`queued as (${insertIntoChainOutbox(sql`select id, null from added`)})`,
      sql`mirrored as (
        update chain_entries set is_own = true
        where fingerprint = ${bytes(fingerprint)} and exists (select 1 from added)
      )`,
    ];
    const { rows } = await retryConflicts(() =>
      sql<{ added: number }>`with ${sql.join(parts)} select count(*)::integer as added from added`.execute(
        this.database,
      ),
    );
    return rows[0]?.added === 1;
  }

  async findUnknownFingerprints(fingerprints: readonly Fingerprint[]) {
    const { rows } = await sql<{ fingerprint: Uint8Array }>`
      select fingerprint from unnest(${fingerprints.map(bytes)}::bytea[]) as input (fingerprint)
      where not exists (select 1 from artifacts where artifacts.fingerprint = input.fingerprint)
        and not exists (select 1 from chain_entries where chain_entries.fingerprint = input.fingerprint)`.execute(
      this.database,
    );
    return rows.map(({ fingerprint }) => hex(fingerprint));
  }

  async listPublishedDownloads() {
    const rows = await this.database
      .selectFrom('download_files')
      .select('name')
      .where('is_published', '=', true)
      .execute();
    return rows.map(({ name }) => name);
  }

  async forgetDownloads(names: readonly string[]) {
    await sql`delete from download_files where name = any(${names})`.execute(this.database);
  }
}

function statusOf(transactionHash: Hex | undefined) {
  return sql`${transactionHash === undefined ? status.pending : status.submitted}::smallint`;
}
