// Queries and repairs of the audit. What is compared is read in one statement, so that it sees each concurrent change
// entirely or not at all.

import { type ArtifactStatus, artifactStatusCode as status } from '@provenance-registry/core';
import { sql } from 'kysely';
import pg from 'pg';
import type { AuditedArtifact, AuditedCount, AuditRecords, Hex, IdempotencyKey } from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { statusName } from '../artifacts/artifacts.js';
import { FAILED_WITH_ARTIFACT, insertIntoChainOutbox } from '../artifacts/chainOutbox.js';
import { lockArtifactCounters } from '../artifacts/counters.js';
import { Queries } from '../queries.js';
import { deriveImageHashes, findImageHashDifferences } from './imageHashAudit.js';

/** Sorts before all ids. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const today = sql`(now() at time zone 'utc')::date`;

const outboxState = sql<AuditedArtifact['outbox']>`
  case when outbox.id is null then 'none' when block_number is null then 'waiting' else 'watched' end`.as('outbox');

const counters = [
  'organizations',
  'marks',
  'api_keys',
  'lifetime_artifacts',
  'daily_artifacts',
  'mark_counters',
  'member_count',
] as const;

export class AuditQueries extends Queries implements AuditRecords {
  findImageHashDifferences(ids: readonly string[]) {
    return findImageHashDifferences(this.database, ids);
  }

  deriveImageHashes(artifactId: string) {
    return deriveImageHashes(this.database, artifactId);
  }

  async listArtifactIds(after: string | undefined = LOWEST_ID, limit: number) {
    const { rows } = await sql<{ id: string }>`
      select id from artifacts where id > ${after} order by id limit ${limit}`.execute(this.database);
    return rows.map(({ id }) => id);
  }

  async readArtifacts(ids: readonly string[]) {
    const rows = await this.database
      .selectFrom('artifacts')
      .leftJoin('artifacts as original', 'original.id', 'artifacts.rendition_of')
      .leftJoin('outbox', 'outbox.artifact_id', 'artifacts.id')
      .leftJoin('chain_transactions', 'chain_transactions.id', 'outbox.transaction_id')
      .select(['artifacts.id', 'artifacts.fingerprint', 'artifacts.status', 'artifacts.manifest_hash as manifestHash'])
      .select((select) => [
        select.fn.coalesce('original.id', 'artifacts.id').as('manifestId'),
        select.fn.coalesce('original.metadata', 'artifacts.metadata').as('metadata'),
        sql<boolean>`coalesce(original.recovered_at, artifacts.recovered_at) is not null`.as('isIncomplete'),
      ])
      .select(['artifacts.transaction_hash as transactionHash', outboxState])
      .where('artifacts.id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute();
    return rows.map((row) => ({
      ...row,
      fingerprint: hex(row.fingerprint),
      status: statusName(row.status),
      manifestHash: hex(row.manifestHash),
      transactionHash: row.transactionHash && hex(row.transactionHash),
    }));
  }

  async findKnownIds(ids: readonly string[]) {
    const { rows } = await sql<{ id: string }>`
      select id from artifacts where id = any(${ids}::uuid[]) and rendition_of is null
      union all select artifact_id from drafts where artifact_id = any(${ids}::uuid[])`.execute(this.database);
    return new Set(rows.map(({ id }) => id));
  }

  async findKnownDownloads(names: readonly string[]) {
    if (names.length === 0) return new Set<string>();
    const { rows } = await sql<{ name: string }>`
      select name from download_files where name = any(${names})`.execute(this.database);
    return new Set(rows.map(({ name }) => name));
  }

  async listOwnerIds(after: string | undefined = LOWEST_ID, limit: number) {
    const { rows } = await sql<{ id: string }>`
      (select id from users where id > ${after} order by id limit ${limit})
      union all (select id from organizations where id > ${after} order by id limit ${limit})
      order by id limit ${limit}`.execute(this.database);
    return rows.map(({ id }) => id);
  }

  async readCounts(ownerIds: readonly string[]) {
    const { rows } = await sql<CountRow>`
      select owner.id, counters.owner_id is not null as has_counters,
        counters.organizations,
        (select count(*) from organizations where owner_id = owner.id)::float8 as organizations_rows,
        counters.marks,
        (select count(*) from marks where owner_id = owner.id or organization_id = owner.id)::float8 as marks_rows,
        counters.api_keys,
        (select count(*) from api_keys where organization_id = owner.id and revoked_at is null)::float8 as api_keys_rows,
        counters.lifetime_artifacts::float8,
        existing.lifetime::float8 as lifetime_artifacts_rows,
        -- The counter of an earlier day has no meaning.
        case when counters.day = ${today} then counters.daily_artifacts end as daily_artifacts,
        existing.daily::float8 as daily_artifacts_rows,
        existing.right_marks::float8 as mark_counters,
        existing.marks::float8 as mark_counters_rows,
        organization.member_count,
        (select count(*) from organization_members where organization_id = owner.id)::float8 as member_count_rows
      from unnest(${ownerIds}::uuid[]) as owner (id)
      left join counters on counters.owner_id = owner.id
      left join organizations organization on organization.id = owner.id
      cross join lateral (${countArtifacts(sql`owner.id`)}) existing`.execute(this.database);
    return rows.flatMap(toCounts);
  }

  async listIdempotencyKeys(after: IdempotencyKey | undefined, limit: number) {
    const { rows } = await sql<IdempotencyKey>`
      select caller_id as "callerId", key from idempotency_keys
      where (caller_id, key) > (${after?.callerId ?? LOWEST_ID}, ${after?.key ?? ''})
      order by caller_id, key limit ${limit}`.execute(this.database);
    return rows;
  }

  async findKeysWithoutArtifact(keys: readonly IdempotencyKey[]) {
    const { rows } = await sql<IdempotencyKey>`
      select caller_id as "callerId", key from idempotency_keys
      join unnest(
        ${keys.map(({ callerId }) => callerId)}::uuid[], ${keys.map(({ key }) => key)}::text[]
      ) as input (caller_id, key) using (caller_id, key)
      where ${artifactIsMissing}`.execute(this.database);
    return rows;
  }

  async enqueue(artifactId: string, statuses: readonly ArtifactStatus[]) {
    // The submitter locks the row too, so this sees the Artifact before or after it is settled.
    const { numAffectedRows } = await sql`
      with artifact as materialized (
        select id from artifacts
        where id = ${artifactId} and status = any(${statuses.map((name) => status[name])}::smallint[]) for update
      )
      ${insertIntoChainOutbox(sql`select id, null from artifact`)}
      on conflict (artifact_id) do update set transaction_id = null, run_at = now()
      where exists (
        select 1 from chain_transactions where id = outbox.transaction_id and block_number is not null
      )`.execute(this.database);
    return numAffectedRows === 1n;
  }

  async dequeue(artifactId: string) {
    const { numAffectedRows } = await sql`
      delete from outbox using artifacts
      where artifacts.id = ${artifactId} and outbox.artifact_id = artifacts.id and artifacts.status = ${status.failed}
        and not exists (
          select 1 from chain_transactions where id = outbox.transaction_id and block_number is null
        )`.execute(this.database);
    return numAffectedRows === 1n;
  }

  markRegistered(artifactId: string, transactionHash: Hex) {
    return repairInTransaction(this.database, async (transaction) => {
      // The counter is locked first, as everywhere, to prevent deadlocks.
      await lockArtifactCounters(transaction, [artifactId]);
      const { rows } = await sql<{ registered: number }>`
        with artifact as (
          update artifacts
          set status = ${status.submitted}, error_reason = null, transaction_hash = ${bytes(transactionHash)}
          where id = ${artifactId} and status = ${status.failed} and not exists (
            select 1 from artifacts original where original.id = artifacts.rendition_of and original.error_reason is not null
          )
          returning id, rendition_of, mark_id, (created_at at time zone 'utc')::date as day
        ), watched as (
          ${insertIntoChainOutbox(sql`select id, null from artifact`)} on conflict do nothing
        ), counted as (
          update counters set
            lifetime_artifacts = lifetime_artifacts + 1,
            daily_artifacts = daily_artifacts + case when artifact.day = counters.day then 1 else 0 end
          from artifact join marks on marks.id = artifact.mark_id
          where counters.owner_id = coalesce(marks.owner_id, marks.organization_id) and artifact.rendition_of is null
        ), mark_counts as (
          update mark_counters set artifacts = artifacts + 1
          from artifact where mark_counters.mark_id = artifact.mark_id and artifact.rendition_of is null
        ) select count(*)::integer as registered from artifact`.execute(transaction);
      if (rows[0]?.registered !== 1) return false;
      await restoreSignedCopies(transaction, artifactId);
      return true;
    });
  }

  async setTransactionHash(artifactId: string, transactionHash: Hex) {
    const { numUpdatedRows } = await this.database
      .updateTable('artifacts')
      .set({ transaction_hash: bytes(transactionHash) })
      .where('id', '=', artifactId)
      .where('status', '=', status.submitted)
      .where('transaction_hash', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async setManifestHash(artifactId: string, manifestHash: Hex) {
    const { numUpdatedRows } = await this.database
      .updateTable('artifacts')
      .set({ manifest_hash: bytes(manifestHash) })
      .where('id', '=', artifactId)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  recount(ownerId: string) {
    return repairInTransaction(this.database, async (transaction) => {
      await sql`insert into counters (owner_id) values (${ownerId}) on conflict do nothing`.execute(transaction);
      // In a statement of its own, so that the next one counts what concurrent transactions have committed.
      await sql`select 1 from counters where owner_id = ${ownerId} for update`.execute(transaction);
      await sql`
        insert into mark_counters (mark_id, artifacts) select id, lifetime from (${countByMark(sql`${ownerId}::uuid`)}) existing
        on conflict (mark_id) do update set artifacts = excluded.artifacts`.execute(transaction);
      const { numAffectedRows } = await sql`
        update counters set
          organizations = (select count(*) from organizations where owner_id = ${ownerId}),
          marks = (select count(*) from marks where owner_id = ${ownerId} or organization_id = ${ownerId}),
          api_keys = (select count(*) from api_keys where organization_id = ${ownerId} and revoked_at is null),
          lifetime_artifacts = existing.lifetime,
          daily_artifacts = existing.daily,
          day = ${today}
        from (${countArtifacts(sql`${ownerId}::uuid`)}) existing
        where counters.owner_id = ${ownerId}`.execute(transaction);
      return numAffectedRows === 1n;
    });
  }

  recountMembers(organizationId: string) {
    return repairInTransaction(this.database, async (transaction) => {
      await sql`select 1 from organizations where id = ${organizationId} for update`.execute(transaction);
      const { numAffectedRows } = await sql`
        update organizations set member_count = (
          select count(*) from organization_members where organization_id = ${organizationId}
        ) where id = ${organizationId}`.execute(transaction);
      return numAffectedRows === 1n;
    });
  }

  async deleteIdempotencyRecord({ callerId, key }: IdempotencyKey) {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys
      where caller_id = ${callerId} and key = ${key} and ${artifactIsMissing}`.execute(this.database);
    return numAffectedRows === 1n;
  }
}

/** Those that failed with their Artifact, and whose fingerprints are still free. */
async function restoreSignedCopies(transaction: Database, artifactId: string): Promise<void> {
  await sql`
    with restored as (
      update artifacts set status = ${status.pending}, error_reason = null
      where rendition_of = ${artifactId} and error_reason = ${FAILED_WITH_ARTIFACT} and not exists (
        select 1 from artifacts holder where holder.fingerprint = artifacts.fingerprint and holder.error_reason is null
      )
      returning id
    )
    insert into outbox (artifact_id) select id from restored`.execute(transaction);
}

/** Artifacts of an owner that are not failed, without renditions: all, and those of today. */
function countArtifacts(ownerId: ReturnType<typeof sql>) {
  return sql`
    select coalesce(sum(lifetime), 0) as lifetime, coalesce(sum(daily), 0) as daily, count(id) as marks,
      count(id) filter (where mark_counters.artifacts is not distinct from lifetime) as right_marks
    from (${countByMark(ownerId)}) by_mark left join mark_counters on mark_counters.mark_id = by_mark.id`;
}

function countByMark(ownerId: ReturnType<typeof sql>) {
  return sql`
    select marks.id, count(artifacts.id) as lifetime,
      count(artifacts.id) filter (where (artifacts.created_at at time zone 'utc')::date = ${today}) as daily
    from marks left join artifacts
      on artifacts.mark_id = marks.id and artifacts.error_reason is null and artifacts.rendition_of is null
    where marks.owner_id = ${ownerId} or marks.organization_id = ${ownerId}
    group by marks.id`;
}

/** A stored id that is not a UUID belongs to no Artifact. */
const artifactIsMissing = sql`not exists (
  select 1 from artifacts where artifacts.id = case
    when idempotency_keys.response ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then (idempotency_keys.response ->> 'id')::uuid end
)`;

type CountRow = { readonly id: string; readonly has_counters: boolean } & {
  readonly [Counter in (typeof counters)[number]]: number | null;
} & { readonly [Counter in (typeof counters)[number] as `${Counter}_rows`]: number };

function toCounts(row: CountRow): AuditedCount[] {
  const counts = counters.flatMap((counter): AuditedCount[] => {
    const counted = row[counter];
    return counted === null ? [] : [{ ownerId: row.id, counter, counted, rows: row[`${counter}_rows`] }];
  });
  return row.has_counters ? counts : [...counts, { ownerId: row.id, counter: 'counters', counted: 0, rows: 1 }];
}

/** False when the repair would violate an integrity constraint. */
async function repairInTransaction(
  database: Database,
  repair: (transaction: Database) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await database.transaction().execute(repair);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code?.startsWith('23')) return false;
    throw error;
  }
}
