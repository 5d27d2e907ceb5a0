// Queries about Artifacts, and about creations under way.

import {
  type ArtifactMetadata,
  type ArtifactStatus,
  artifactStatusCode,
  RegistryError,
} from '@provenance-registry/core';
import { type SqlBool, sql } from 'kysely';
import pg from 'pg';
import type {
  Artifacts,
  Draft,
  Drafts,
  NewArtifact,
  Recorded,
  Refusal,
  StoredArtifact,
} from '../../domain/ports/index.js';
import { batchLoad } from '../batching.js';
import { bytes, type Hex, hex } from '../bytes.js';
import type { Database } from '../connection.js';
import { tryAgain } from '../retries.js';

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
      if (status !== undefined) page = page.where('status', '=', artifactStatusCode[status]);
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

    async insert(artifacts) {
      if (artifacts.length > 1 && haveOnePlace(artifacts) && (await areRecorded(database, artifacts))) {
        return artifacts.map(() => 'recorded' as const);
      }
      const outcomes: Promise<Recorded>[] = [];
      for (const artifact of artifacts) {
        const outcome = record(database, [artifact]);
        outcomes.push(outcome);
        await outcome.catch(() => undefined);
      }
      return outcomes;
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

    async deleteExpiredIdempotencyRecords(before) {
      await database.deleteFrom('idempotency_keys').where('created_at', '<', before).execute();
    },
  };
}

/** They are counted in one place, against the same limits, on the same day. */
function haveOnePlace(artifacts: readonly NewArtifact[]): boolean {
  const places = artifacts.map(({ place, createdAt }) => JSON.stringify([place, createdAt.toISOString().slice(0, 10)]));
  return new Set(places).size === 1;
}

/** One that is refused, or has the key of another, takes all others of its statement with it: false, then. */
async function areRecorded(database: Database, artifacts: readonly NewArtifact[]): Promise<boolean> {
  try {
    return (await record(database, artifacts)) === 'recorded';
  } catch (error) {
    // Whether they are recorded is not known when the database is away: nothing may be done again.
    if (error instanceof RegistryError) throw error;
    return false;
  }
}

/** Such as have one place; all of them or none. */
async function record(database: Database, artifacts: readonly NewArtifact[]): Promise<Recorded> {
  const [first] = artifacts;
  if (!first) return 'recorded';
  const { place, createdAt } = first;
  const { daily, lifetime } = place.limits;
  const count = sql`${artifacts.length}::bigint`;
  const today = sql<Date>`(${createdAt}::timestamptz at time zone 'utc')::date`;
  // Locks are taken in this order, since each part asks for the one before it: user, Artifact, and the counter last,
  // because all creations of an owner wait for each other from there on. Artifacts in the order of their fingerprints:
  // two processes that record the same ones do not wait for each other, then.
  const statement = sql`
    with asked as materialized (
      select * from json_to_recordset(${JSON.stringify(artifacts.map(toRow))}) as asked (
        id uuid, mark_id uuid, created_by uuid, created_at timestamptz, fingerprint bytea, manifest_hash bytea, metadata jsonb,
        caller_id uuid, key text, request_hash bytea, response jsonb, since timestamptz
      )
    ), payer as materialized (
      select tier from users where id = ${place.payerId} for share
    ), draft as (
      delete from drafts where artifact_id = any(${artifacts.map(({ id }) => id)}::uuid[]) returning artifact_id
    ), artifact as (
      insert into artifacts (id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata)
      select id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata
      from asked
      where id in (select artifact_id from draft) and exists (select 1 from payer where tier = ${place.tier})
      order by fingerprint
      on conflict (fingerprint) where error_reason is null do nothing
      returning id
    ), queued as (
      insert into outbox (artifact_id) select id from artifact
    ), answered as (
      insert into idempotency_keys (caller_id, key, request_hash, response)
      select caller_id, key, request_hash, response
      from asked where key is not null and id in (select id from artifact)
      on conflict (caller_id, key) do update
        set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
        where idempotency_keys.created_at < (select min(since) from asked)
      returning 1
    ), counted as (
      update counters set
        lifetime_artifacts = lifetime_artifacts + ${count},
        -- One that began before midnight may come after one that began later: it counts for neither day then.
        daily_artifacts =
          case when day < ${today} then ${count} when day = ${today} then daily_artifacts + ${count} else daily_artifacts end,
        day = greatest(day, ${today})
      where owner_id = ${place.ownerId} and exists (select 1 from artifact)
        and (${lifetime}::bigint = -1 or lifetime_artifacts + ${count} <= ${lifetime}::bigint)
        and (
          ${daily}::bigint = -1 or day > ${today}
          or case when day = ${today} then daily_artifacts else 0 end + ${count} <= ${daily}::bigint
        )
      returning 1
    )
    select case
      when (select count(*) from draft) < ${count} then refuse('abandoned')
      when not exists (select 1 from payer where tier = ${place.tier}) then refuse('tierChanged')
      when (select count(*) from artifact) < ${count} then refuse('duplicate')
      when (select count(*) from answered) < (select count(key) from asked) then refuse('keyUsed')
      when not exists (select 1 from counted) then refuse('full')
    end`;
  try {
    await tryAgain(() => statement.execute(database));
    return 'recorded';
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

function toRow({ answer, place: _place, ...artifact }: NewArtifact) {
  return {
    id: artifact.id,
    mark_id: artifact.markId,
    created_by: artifact.createdBy,
    created_at: artifact.createdAt,
    fingerprint: asInput(artifact.fingerprint),
    manifest_hash: asInput(artifact.manifestHash),
    metadata: artifact.metadata,
    ...(answer && {
      caller_id: answer.callerId,
      key: answer.key,
      request_hash: asInput(answer.requestHash),
      response: answer.response,
      since: answer.since,
    }),
  };
}

/** As PostgreSQL reads bytes in a text. */
function asInput(hexadecimal: Hex): string {
  return `\\x${hexadecimal.slice(2)}`;
}

export function draftQueries(database: Database): Drafts {
  const beginTogether = batchLoad(async (drafts: readonly Draft[]) => {
    const fingerprints = drafts.map(({ fingerprint }) => bytes(fingerprint));
    const { rows } = await sql<{ artifact_id: string }>`
      insert into drafts (artifact_id)
      select artifact_id from unnest(${drafts.map(({ artifactId }) => artifactId)}::uuid[], ${fingerprints}::bytea[])
        as asked (artifact_id, fingerprint)
      where fingerprint not in (
        select fingerprint from artifacts where fingerprint = any(${fingerprints}::bytea[]) and error_reason is null
      )
      on conflict (artifact_id) do update set created_at = now()
      returning artifact_id`.execute(database);
    const begun = new Set(rows.map(({ artifact_id }) => artifact_id));
    return new Map(drafts.map((draft) => [draft, begun.has(draft.artifactId)]));
  });

  return {
    begin: async (draft) => (await beginTogether(draft)) ?? false,

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

const refusals: readonly Refusal[] = ['abandoned', 'tierChanged', 'duplicate', 'keyUsed', 'full'];

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

const names = new Map(Object.entries(artifactStatusCode).map(([name, number]) => [number, name])) as ReadonlyMap<
  number,
  ArtifactStatus
>;

export function statusName(status: number): ArtifactStatus {
  const name = names.get(status);
  if (!name) throw new Error(`${status} is not the number of a status`);
  return name;
}
