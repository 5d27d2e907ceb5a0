// Queries of an audit, and its repairs. What is compared is read in one statement, and so at one moment: whatever else
// goes on meanwhile, it sees all of a change or nothing of it.

import { type ArtifactMetadata, artifactStatusCode as status } from '@provenance-registry/core';
import { sql } from 'kysely';
import pg from 'pg';
import type { AnswerKey, AuditedArtifact, AuditedCount, AuditRecords } from '../../domain/ports/index.js';
import { bytes, hex } from '../bytes.js';
import type { Database } from '../connection.js';
import { statusName } from './artifacts.js';

/** Before all ids: not one that is made. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const today = sql`(now() at time zone 'utc')::date`;

const counters = [
  'organizations',
  'marks',
  'api_keys',
  'lifetime_artifacts',
  'daily_artifacts',
  'member_count',
] as const;

export function auditRecords(database: Database): AuditRecords {
  return {
    async artifactIds(after = FIRST_ID, limit) {
      const rows = await database
        .selectFrom('artifacts')
        .select('id')
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    async artifacts(ids) {
      const { rows } = await sql<ArtifactRow>`
        select artifacts.id, fingerprint, status, manifest_hash, metadata, transaction_hash,
          case when outbox.id is null then 'none' when block_number is null then 'waiting' else 'watched' end as outbox
        from artifacts left join outbox on outbox.artifact_id = artifacts.id
        left join chain_transactions on chain_transactions.id = outbox.transaction_id
        where artifacts.id = any(${ids}::uuid[])`.execute(database);
      return rows.map((row) => ({
        id: row.id,
        fingerprint: hex(row.fingerprint),
        status: statusName(row.status),
        manifestHash: hex(row.manifest_hash),
        metadata: row.metadata,
        transactionHash: row.transaction_hash && hex(row.transaction_hash),
        outbox: row.outbox,
      }));
    },

    async known(ids) {
      const { rows } = await sql<{ id: string }>`
        select id from artifacts where id = any(${ids}::uuid[])
        union all select artifact_id from drafts where artifact_id = any(${ids}::uuid[])`.execute(database);
      return new Set(rows.map(({ id }) => id));
    },

    async ownerIds(after = FIRST_ID, limit) {
      const { rows } = await sql<{ id: string }>`
        (select id from users where id > ${after} order by id limit ${limit})
        union all (select id from organizations where id > ${after} order by id limit ${limit})
        order by id limit ${limit}`.execute(database);
      return rows.map(({ id }) => id);
    },

    async counts(ownerIds) {
      const { rows } = await sql<CountRow>`
        select owner.id, counters.owner_id is not null as has_counters,
          counters.organizations,
          (select count(*) from organizations where owner_id = owner.id)::float8 as organizations_rows,
          counters.marks,
          (select count(*) from marks where owner_id = owner.id or organization_id = owner.id)::float8 as marks_rows,
          counters.api_keys,
          (select count(*) from api_keys where organization_id = owner.id and revoked_at is null)::float8 as api_keys_rows,
          counters.lifetime_artifacts::float8,
          made.lifetime::float8 as lifetime_artifacts_rows,
          -- Of another day it means nothing any more.
          case when counters.day = ${today} then counters.daily_artifacts end as daily_artifacts,
          made.daily::float8 as daily_artifacts_rows,
          organization.member_count,
          (select count(*) from organization_members where organization_id = owner.id)::float8 as member_count_rows
        from unnest(${ownerIds}::uuid[]) as owner (id)
        left join counters on counters.owner_id = owner.id
        left join organizations organization on organization.id = owner.id
        cross join lateral (${artifactsOf(sql`owner.id`)}) made`.execute(database);
      return rows.flatMap(countsIn);
    },

    async answers(after, limit) {
      const { rows } = await sql<{ caller_id: string; key: string }>`
        select caller_id, key from idempotency_keys
        where (caller_id, key) > (${after?.callerId ?? FIRST_ID}, ${after?.key ?? ''})
        order by caller_id, key limit ${limit}`.execute(database);
      return rows.map(toAnswer);
    },

    async answersWithoutArtifact(answers) {
      const { rows } = await sql<{ caller_id: string; key: string }>`
        select caller_id, key from idempotency_keys
        join unnest(
          ${answers.map(({ callerId }) => callerId)}::uuid[], ${answers.map(({ key }) => key)}::text[]
        ) as asked (caller_id, key) using (caller_id, key)
        where ${tellsOfNothing}`.execute(database);
      return rows.map(toAnswer);
    },

    async putIntoOutbox(artifactId, statuses) {
      // Whoever settles it holds the row: it is looked at before that or after.
      const { numAffectedRows } = await sql`
        with artifact as materialized (
          select id from artifacts
          where id = ${artifactId} and status = any(${statuses.map((name) => status[name])}::smallint[]) for update
        )
        insert into outbox (artifact_id) select id from artifact
        on conflict (artifact_id) do update set transaction_id = null, run_at = now()
        where exists (
          select 1 from chain_transactions where id = outbox.transaction_id and block_number is not null
        )`.execute(database);
      return numAffectedRows === 1n;
    },

    async takeOutOfOutbox(artifactId) {
      const { numAffectedRows } = await sql`
        delete from outbox using artifacts
        where artifacts.id = ${artifactId} and outbox.artifact_id = artifacts.id and artifacts.status = ${status.failed}
          and not exists (
            select 1 from chain_transactions where id = outbox.transaction_id and block_number is null
          )`.execute(database);
      return numAffectedRows === 1n;
    },

    markRegistered(artifactId, transactionHash) {
      return unlessRefused(() =>
        database.transaction().execute(async (transaction) => {
          // The counter first, as when an Artifact fails.
          await sql`
            select 1 from counters where owner_id = (
              select coalesce(marks.owner_id, marks.organization_id)
              from artifacts join marks on marks.id = artifacts.mark_id where artifacts.id = ${artifactId}
            ) for update`.execute(transaction);
          const { numAffectedRows } = await sql`
            with artifact as (
              update artifacts
              set status = ${status.submitted}, error_reason = null, transaction_hash = ${bytes(transactionHash)}
              where id = ${artifactId} and status = ${status.failed}
              returning id, mark_id, (created_at at time zone 'utc')::date as day
            ), watched as (
              insert into outbox (artifact_id) select id from artifact on conflict do nothing
            )
            update counters set
              lifetime_artifacts = lifetime_artifacts + 1,
              daily_artifacts = daily_artifacts + case when artifact.day = counters.day then 1 else 0 end
            from artifact join marks on marks.id = artifact.mark_id
            where counters.owner_id = coalesce(marks.owner_id, marks.organization_id)`.execute(transaction);
          return numAffectedRows === 1n;
        }),
      );
    },

    async setTransactionHash(artifactId, transactionHash) {
      const { numUpdatedRows } = await database
        .updateTable('artifacts')
        .set({ transaction_hash: bytes(transactionHash) })
        .where('id', '=', artifactId)
        .where('status', '=', status.submitted)
        .where('transaction_hash', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async setManifestHash(artifactId, manifestHash) {
      const { numUpdatedRows } = await database
        .updateTable('artifacts')
        .set({ manifest_hash: bytes(manifestHash) })
        .where('id', '=', artifactId)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    recount(ownerId) {
      return unlessRefused(() =>
        database.transaction().execute(async (transaction) => {
          await sql`insert into counters (owner_id) values (${ownerId}) on conflict do nothing`.execute(transaction);
          // In a statement of its own: what is counted after it has waited is what those before it have left.
          await sql`select 1 from counters where owner_id = ${ownerId} for update`.execute(transaction);
          const { numAffectedRows } = await sql`
            update counters set
              organizations = (select count(*) from organizations where owner_id = ${ownerId}),
              marks = (select count(*) from marks where owner_id = ${ownerId} or organization_id = ${ownerId}),
              api_keys = (select count(*) from api_keys where organization_id = ${ownerId} and revoked_at is null),
              lifetime_artifacts = made.lifetime,
              daily_artifacts = made.daily,
              day = ${today}
            from (${artifactsOf(sql`${ownerId}::uuid`)}) made
            where counters.owner_id = ${ownerId}`.execute(transaction);
          return numAffectedRows === 1n;
        }),
      );
    },

    recountMembers(organizationId) {
      return unlessRefused(() =>
        database.transaction().execute(async (transaction) => {
          await sql`select 1 from organizations where id = ${organizationId} for update`.execute(transaction);
          const { numAffectedRows } = await sql`
            update organizations set member_count = (
              select count(*) from organization_members where organization_id = ${organizationId}
            ) where id = ${organizationId}`.execute(transaction);
          return numAffectedRows === 1n;
        }),
      );
    },

    async forgetAnswer({ callerId, key }) {
      const { numAffectedRows } = await sql`
        delete from idempotency_keys
        where caller_id = ${callerId} and key = ${key} and ${tellsOfNothing}`.execute(database);
      return numAffectedRows === 1n;
    },
  };
}

/** How many an owner has that count: in all, and of today. */
function artifactsOf(ownerId: ReturnType<typeof sql>) {
  return sql`
    select count(*) as lifetime, count(*) filter (where (artifacts.created_at at time zone 'utc')::date = ${today}) as daily
    from marks join artifacts on artifacts.mark_id = marks.id
    where (marks.owner_id = ${ownerId} or marks.organization_id = ${ownerId}) and artifacts.error_reason is null`;
}

/** The id is compared as text: what is no id is no Artifact's. */
const tellsOfNothing = sql`not exists (
  select 1 from artifacts where artifacts.id = case
    when idempotency_keys.response ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then (idempotency_keys.response ->> 'id')::uuid end
)`;

interface ArtifactRow {
  readonly id: string;
  readonly fingerprint: Uint8Array;
  readonly status: number;
  readonly manifest_hash: Uint8Array;
  readonly metadata: ArtifactMetadata;
  readonly transaction_hash: Uint8Array | null;
  readonly outbox: AuditedArtifact['outbox'];
}

type CountRow = { readonly id: string; readonly has_counters: boolean } & {
  readonly [Counter in (typeof counters)[number]]: number | null;
} & { readonly [Counter in (typeof counters)[number] as `${Counter}_rows`]: number };

function countsIn(row: CountRow): AuditedCount[] {
  const counts = counters.flatMap((counter): AuditedCount[] => {
    const counted = row[counter];
    return counted === null ? [] : [{ ownerId: row.id, counter, counted, rows: row[`${counter}_rows`] }];
  });
  return row.has_counters ? counts : [...counts, { ownerId: row.id, counter: 'counters', counted: 0, rows: 1 }];
}

function toAnswer({ caller_id: callerId, key }: { caller_id: string; key: string }): AnswerKey {
  return { callerId, key };
}

/** Integrity constraints: the repair would break something that must hold. */
async function unlessRefused(repair: () => Promise<boolean>): Promise<boolean> {
  try {
    return await repair();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code?.startsWith('23')) return false;
    throw error;
  }
}
