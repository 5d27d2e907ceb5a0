// Queries about Artifacts, and about creations under way.

import { type ArtifactMetadata, type ArtifactStatus, artifactStatus } from '@provenance-registry/core';
import { type SqlBool, sql } from 'kysely';
import pg from 'pg';
import type { Artifacts, Drafts, Refusal, StoredArtifact } from '../registry/ports.js';
import { askTogether } from '../together.js';
import { bytes, hex } from './bytes.js';
import type { Database } from './connection.js';
import { tryAgain } from './retries.js';

export function artifactQueries(database: Database): Artifacts {
  const all = () =>
    database
      .selectFrom('artifacts')
      .innerJoin('users as creator', 'creator.id', 'artifacts.created_by')
      .select([
        'artifacts.id',
        'artifacts.mark_id',
        'artifacts.fingerprint',
        'artifacts.status',
        'artifacts.error_reason',
        'artifacts.transaction_hash',
        'artifacts.metadata',
        'artifacts.content_private',
        'artifacts.created_at',
        'creator.id as creator_id',
        'creator.name as creator_name',
      ]);

  return {
    async find(fingerprint) {
      const held = await all()
        .where('fingerprint', '=', bytes(fingerprint))
        .where('error_reason', 'is', null)
        .executeTakeFirst();
      if (held) return toArtifact(held);
      const failed = await all()
        .where('fingerprint', '=', bytes(fingerprint))
        .where('error_reason', 'is not', null)
        .orderBy('artifacts.created_at', 'desc')
        .orderBy('artifacts.id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return failed && toArtifact(failed);
    },

    async findById(id) {
      const row = await all().where('artifacts.id', '=', id).executeTakeFirst();
      return row && toArtifact(row);
    },

    async findIds(fingerprints) {
      const { rows } = await sql<{ id: string; fingerprint: Buffer }>`
        select id, fingerprint from artifacts
        where fingerprint = any(${fingerprints.map(bytes)}::bytea[]) and error_reason is null`.execute(database);
      return new Map(rows.map(({ id, fingerprint }) => [hex(fingerprint), id]));
    },

    async statuses(ids) {
      const { rows } = await sql<{ id: string; status: number }>`
        select id, status from artifacts where id = any(${ids}::uuid[])`.execute(database);
      return new Map(rows.map(({ id, status }) => [id, statusName(status)]));
    },

    async list({ markId, status, limit, after }) {
      let page = all()
        .where('mark_id', '=', markId)
        .orderBy('artifacts.created_at', 'desc')
        .orderBy('artifacts.id', 'desc')
        .limit(limit);
      if (status !== undefined) page = page.where('status', '=', artifactStatus[status]);
      if (after !== undefined) {
        page = page.where(
          sql<SqlBool>`(artifacts.created_at, artifacts.id) < (select created_at, id from artifacts where id = ${after})`,
        );
      }
      return (await page.execute()).map(toArtifact);
    },

    async setContentPrivate(id, contentPrivate) {
      await database.updateTable('artifacts').set({ content_private: contentPrivate }).where('id', '=', id).execute();
    },

    async insert({ id, markId, createdBy, createdAt, fingerprint, manifestHash, metadata, answer, place }) {
      const { daily, lifetime } = place.limits;
      const today = sql<Date>`(${createdAt}::timestamptz at time zone 'utc')::date`;
      // Locks are taken in this order, since each part asks for the one before it: user, Artifact, and the counter last,
      // because all creations of an owner wait for each other from there on.
      const statement = sql<{ outcome: 'recorded' | 'abandoned' }>`
        with payer as materialized (
          select tier from users where id = ${place.payerId} for share
        ), draft as (
          delete from drafts where artifact_id = ${id} returning artifact_id
        ), artifact as (
          insert into artifacts (id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata)
          select artifact_id, ${markId}, ${createdBy}, ${createdAt}, ${bytes(fingerprint)}, ${bytes(manifestHash)},
            ${JSON.stringify(metadata)}
          from draft, payer where payer.tier = ${place.tier}
          on conflict (fingerprint) where error_reason is null do nothing
          returning id
        ), queued as (
          insert into outbox (artifact_id) select id from artifact
        ), answered as (
          insert into idempotency_keys (caller_id, key, request_hash, response)
          select ${answer?.callerId ?? null}, ${answer?.key ?? null}, ${answer ? bytes(answer.requestHash) : null},
            ${answer ? JSON.stringify(answer.response) : null}
          from artifact where ${answer !== undefined}
          on conflict (caller_id, key) do update
            set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
            where idempotency_keys.created_at < ${answer?.since ?? createdAt}
          returning 1
        ), counted as (
          update counters set
            lifetime_artifacts = lifetime_artifacts + 1,
            -- One that began before midnight may come after one that began later: it counts for neither day then.
            daily_artifacts =
              case when day < ${today} then 1 when day = ${today} then daily_artifacts + 1 else daily_artifacts end,
            day = greatest(day, ${today})
          where owner_id = ${place.ownerId} and exists (select 1 from artifact)
            and (${lifetime}::bigint = -1 or lifetime_artifacts < ${lifetime}::bigint)
            and (${daily}::bigint = -1 or day <> ${today} or daily_artifacts < ${daily}::bigint)
          returning 1
        )
        select case
          when not exists (select 1 from draft) then 'abandoned'
          when not exists (select 1 from payer where tier = ${place.tier}) then refuse('tierChanged')
          when not exists (select 1 from artifact) then refuse('duplicate')
          when ${answer !== undefined} and not exists (select 1 from answered) then refuse('keyUsed')
          when not exists (select 1 from counted) then refuse('full')
          else 'recorded'
        end as outcome`;
      try {
        const { rows } = await tryAgain(() => statement.execute(database));
        return rows[0]?.outcome ?? 'abandoned';
      } catch (error) {
        const refusal = refusalIn(error);
        if (refusal === undefined) throw error;
        return refusal;
      }
    },

    async firstAnswer(callerId, key, since) {
      const row = await database
        .selectFrom('idempotency_keys')
        .select(['request_hash', 'response'])
        .where('caller_id', '=', callerId)
        .where('key', '=', key)
        .where('created_at', '>=', since)
        .executeTakeFirst();
      return row && { requestHash: hex(row.request_hash), response: row.response };
    },

    async forgetAnswers(before) {
      await database.deleteFrom('idempotency_keys').where('created_at', '<', before).execute();
    },
  };
}

export function draftQueries(database: Database): Drafts {
  const beginTogether = askTogether(async (artifactIds: readonly string[]) => {
    await sql`insert into drafts (artifact_id) select unnest(${artifactIds}::uuid[])`.execute(database);
    return new Map<string, void>();
  });

  return {
    begin: beginTogether,

    abandon(artifactId, undo) {
      return database.transaction().execute(async (transaction) => {
        // Whoever records the Artifact deletes this row: one of the two comes first.
        const draft = await transaction
          .selectFrom('drafts')
          .select('artifact_id')
          .where('artifact_id', '=', artifactId)
          .forUpdate()
          .executeTakeFirst();
        if (!draft) return false;
        await undo();
        await transaction.deleteFrom('drafts').where('artifact_id', '=', artifactId).execute();
        return true;
      });
    },

    async olderThan(date, limit) {
      const rows = await database
        .selectFrom('drafts')
        .select('artifact_id')
        .where('created_at', '<', date)
        .orderBy('created_at')
        .limit(limit)
        .execute();
      return rows.map(({ artifact_id }) => artifact_id);
    },
  };
}

const refusals: readonly Refusal[] = ['tierChanged', 'duplicate', 'keyUsed', 'full'];

/** What `refuse` of the migrations was called with. */
function refusalIn(error: unknown): Refusal | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'RF001') return undefined;
  return refusals.find((refusal) => refusal === error.message);
}

interface ArtifactRow {
  readonly id: string;
  readonly mark_id: string;
  readonly fingerprint: Uint8Array;
  readonly status: number;
  readonly error_reason: string | null;
  readonly transaction_hash: Uint8Array | null;
  readonly metadata: ArtifactMetadata;
  readonly content_private: boolean;
  readonly created_at: Date;
  readonly creator_id: string;
  readonly creator_name: string;
}

function toArtifact(row: ArtifactRow): StoredArtifact {
  return {
    id: row.id,
    markId: row.mark_id,
    fingerprint: hex(row.fingerprint),
    status: statusName(row.status),
    errorReason: row.error_reason,
    transactionHash: row.transaction_hash && hex(row.transaction_hash),
    metadata: row.metadata,
    contentPrivate: row.content_private,
    createdBy: { id: row.creator_id, name: row.creator_name },
    createdAt: row.created_at,
  };
}

const names = new Map(Object.entries(artifactStatus).map(([name, number]) => [number, name])) as ReadonlyMap<
  number,
  ArtifactStatus
>;

export function statusName(status: number): ArtifactStatus {
  const name = names.get(status);
  if (!name) throw new Error(`${status} is not the number of a status`);
  return name;
}
