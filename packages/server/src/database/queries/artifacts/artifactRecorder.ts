// Records Artifacts: those of one owner that arrive at about the same time go into one statement.

import { RegistryError } from '@provenance-registry/core';
import { sql } from 'kysely';
import pg from 'pg';
import type { Draft, Hex, NewArtifact, RecordRefusal, RecordResult } from '../../../domain/ports/index.js';
import { type BatchSlot, groupCommit } from '../../batching.js';
import type { Database } from '../../connection.js';
import { retryConflicts } from '../../retries.js';
import { computeExtract } from '../lookups/soundCodes.js';

export type ArtifactRecorder = ReturnType<typeof createArtifactRecorder>;

export function createArtifactRecorder(database: Database) {
  const openSlot = groupCommit((artifacts: readonly NewArtifact[]) => recordArtifacts(database, artifacts));
  const slots = new Map<string, BatchSlot<NewArtifact, RecordResult>>();
  return {
    /** A draft began: its Artifact will be recorded, or the draft abandoned. */
    announce({ artifactId, ownerId }: Draft): void {
      if (!slots.has(artifactId)) slots.set(artifactId, openSlot(ownerId));
    },
    async record(artifact: NewArtifact): Promise<RecordResult> {
      const slot = slots.get(artifact.id) ?? openSlot(artifact.quota.ownerId);
      try {
        return await slot.submit(artifact);
      } finally {
        slot.release();
        slots.delete(artifact.id);
      }
    },
    /** The Artifact of this draft will not be recorded. */
    cancel(artifactId: string): void {
      slots.get(artifactId)?.release();
      slots.delete(artifactId);
    },
  };
}

/** One result for each Artifact, in order. Rejects when it is unknown which of them are recorded. */
export async function recordArtifacts(
  database: Database,
  artifacts: readonly NewArtifact[],
): Promise<PromiseSettledResult<RecordResult>[]> {
  if (artifacts.length > 1 && shareQuota(artifacts) && (await insertTogether(database, artifacts))) {
    return artifacts.map(() => ({ status: 'fulfilled', value: 'recorded' }));
  }
  const results: PromiseSettledResult<RecordResult>[] = [];
  for (const artifact of artifacts)
    results.push(...(await Promise.allSettled([insertArtifacts(database, [artifact])])));
  return results;
}

/** Whether they count for the same owner and day, against the same limits. */
function shareQuota(artifacts: readonly NewArtifact[]): boolean {
  const quotas = artifacts.map(({ quota, createdAt }) => JSON.stringify([quota, createdAt.toISOString().slice(0, 10)]));
  return new Set(quotas).size === 1;
}

/** False when any of them is refused: then none is inserted. */
async function insertTogether(database: Database, artifacts: readonly NewArtifact[]): Promise<boolean> {
  try {
    return (await insertArtifacts(database, artifacts)) === 'recorded';
  } catch (error) {
    // With the database unavailable, they may or may not be recorded: they must not be inserted again.
    if (error instanceof RegistryError) throw error;
    return false;
  }
}

/** Artifacts with the same quota: inserts all of them or none. */
async function insertArtifacts(database: Database, artifacts: readonly NewArtifact[]): Promise<RecordResult> {
  const [first] = artifacts;
  if (!first) return 'recorded';
  const { quota, createdAt } = first;
  const { daily, lifetime } = quota.limits;
  const count = sql`${artifacts.length}::bigint`;
  const authorizations = distinctAuthorizations(artifacts);
  const isAuthorized = sql`(select count(*) from mark) = ${authorizations.length}::bigint`;
  const today = sql<Date>`(${createdAt}::timestamptz at time zone 'utc')::date`;
  // Each part reads the one before it, so locks are taken in this order: user, Marks, Artifacts, counters. Those come last
  // because all creations of an owner are serialized from there on. Artifacts are inserted in the order of their
  // fingerprints, so that two processes with the same ones do not deadlock.
  const statement = sql`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(artifacts.map(toRow))}) as input (
        id uuid, mark_id uuid, created_by uuid, created_at timestamptz, fingerprint bytea, manifest_hash bytea, metadata jsonb,
        authorship_stated boolean, ai_preferences jsonb, caller_id uuid, key text, request_hash bytea, response jsonb, since timestamptz, trace_context text,
        rendition_id uuid, rendition_fingerprint bytea, rendition_metadata jsonb, sound_extract integer[], similar_to jsonb
      )
    ), billing_user as materialized (
      select tier from users where id = ${quota.billingUserId} and closed_at is null for share
    ), mark as materialized (
      select id, organization_id, visibility from marks
      where (${sql.join(authorizations, sql` or `)}) and exists (select 1 from billing_user where tier = ${quota.tier})
      order by id for share
    ), draft as (
      delete from drafts where artifact_id = any(${artifacts.map(({ id }) => id)}::uuid[]) returning artifact_id
    ), artifact as (
      insert into artifacts (
        id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, authorship_stated, ai_preferences
      )
      select id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, authorship_stated, ai_preferences
      from input
      where id in (select artifact_id from draft) and ${isAuthorized}
      order by fingerprint
      on conflict (fingerprint) where error_reason is null do nothing
      returning id
    ), rendition as (
      ${insertRenditions(artifacts)}
    ), queued_for_chain as (
      ${insertIntoOutbox(artifacts)}
    ), saved_idempotency as (
      insert into idempotency_keys (caller_id, key, request_hash, response)
      select caller_id, key, request_hash, response
      from input where key is not null and id in (select id from artifact)
      on conflict (caller_id, key) do update
        set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
        where idempotency_keys.created_at < (select min(since) from input)
      returning 1
    ), counted as (
      update counters set
        lifetime_artifacts = lifetime_artifacts + ${count},
        -- A creation of yesterday that is recorded after one of today counts for neither day.
        daily_artifacts =
          case when day < ${today} then ${count} when day = ${today} then daily_artifacts + ${count} else daily_artifacts end,
        day = greatest(day, ${today})
      where owner_id = ${quota.ownerId} and exists (select 1 from artifact)
        and (${lifetime}::bigint = -1 or lifetime_artifacts + ${count} <= ${lifetime}::bigint)
        and (
          ${daily}::bigint = -1 or day > ${today}
          or case when day = ${today} then daily_artifacts else 0 end + ${count} <= ${daily}::bigint
        )
      returning 1
    ), mark_counts as (
      ${countOfMarks(artifacts)} and exists (select 1 from counted)
    ), inserted_events as (
      ${insertEvents(artifacts)}
    ), inserted_hashes as (
      ${insertImageCodes(artifacts)}
    ), inserted_sound_hashes as (
      ${insertSoundCodes(artifacts)}
    )
    select case
      when (select count(*) from draft) < ${count} then refuse('abandoned')
      when not exists (select 1 from billing_user where tier = ${quota.tier}) then refuse('tierChanged')
      when not (${isAuthorized}) then refuse('accessChanged')
      when (select count(*) from artifact) < ${count} then refuse('duplicate')
      when (select count(*) from rendition) < (select count(rendition_id) from input) then refuse('duplicate')
      when (select count(*) from saved_idempotency) < (select count(key) from input) then refuse('keyUsed')
      when not exists (select 1 from counted) then refuse('quotaExceeded')
    end`;
  try {
    await retryConflicts(() => statement.execute(database));
    return 'recorded';
  } catch (error) {
    const refusal = findRefusal(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** One condition for each Mark and access version. Two versions of one Mark cannot both be the current one. */
function distinctAuthorizations(artifacts: readonly NewArtifact[]) {
  const conditions = new Map(
    artifacts.map(({ markId, accessVersion }) => [
      `${markId} ${accessVersion}`,
      sql`(id = ${markId} and access_version = ${accessVersion})`,
    ]),
  );
  return [...conditions.values()];
}

/** All creations under a Mark wait for its owner's counter before, so the Marks of a batch need no order. */
function countOfMarks(artifacts: readonly NewArtifact[]) {
  const counts = new Map<string, number>();
  for (const { markId } of artifacts) counts.set(markId, (counts.get(markId) ?? 0) + 1);
  return sql`
    update mark_counters set artifacts = artifacts + added.count
    from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[]) as added (mark_id, count)
    where mark_counters.mark_id = added.mark_id`;
}

/** Few requests return a signed image: the others need no second insert. */
function insertRenditions(artifacts: readonly NewArtifact[]) {
  return artifacts.some(({ rendition }) => rendition !== undefined)
    ? sql`
      insert into artifacts (id, rendition_of, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata)
      select rendition_id, id, mark_id, created_by, created_at, rendition_fingerprint, manifest_hash, rendition_metadata
      from input where rendition_id is not null and id in (select id from artifact)
      order by rendition_fingerprint
      on conflict (fingerprint) where error_reason is null do nothing
      returning id, rendition_of`
    : sql`select id, id as rendition_of from artifact where false`;
}

/**
 * Most files are not images, and images without features have only a `pHash` of the service. Last, so that refused creations take no numbers: the index in memory has a place for each.
 * The order is that of the batch.
 */
function insertImageCodes(artifacts: readonly NewArtifact[]) {
  return artifacts.some(({ metadata }) => metadata.pHash !== undefined)
    ? sql`
      insert into image_codes (artifact_id, p_hash, d_hash, p_hash_center_90, p_hash_center_80)
      select id, image_code(metadata ->> 'pHash'), image_code(metadata ->> 'dHash'),
        image_code(metadata ->> 'pHashCenter90'), image_code(metadata ->> 'pHashCenter80')
      from input
      where metadata ->> 'pHash' is not null and (metadata ->> 'dHash' is not null or metadata ->> 'hashesBy' = 'client')
        and id in (select id from artifact) and exists (select 1 from counted)`
    : sql`select 1`;
}

/** Most files are not sound. */
function insertSoundCodes(artifacts: readonly NewArtifact[]) {
  return artifacts.some(({ metadata }) => metadata.chromaprint !== undefined)
    ? sql`
      insert into sound_codes (artifact_id, extract)
      select id, sound_extract from input
      where sound_extract is not null and id in (select id from artifact) and exists (select 1 from counted)`
    : sql`select 1`;
}

/** In the feed. Artifacts, renditions and look-alikes have lists of their own. */
function insertEvents(artifacts: readonly NewArtifact[]) {
  const created = sql`
    select 'artifact.created', created_by, organization_id, mark_id,
      jsonb_build_object('fingerprint', '0x' || encode(fingerprint, 'hex'), 'manifestId', input.id), false
    from input join mark on mark.id = mark_id
    where input.id in (select id from artifact) and exists (select 1 from counted)`;
  const signed = sql`
    select 'rendition.created', created_by, organization_id, mark_id, jsonb_build_object(
      'fingerprint', '0x' || encode(rendition_fingerprint, 'hex'), 'manifestId', input.id,
      'renditionOf', '0x' || encode(fingerprint, 'hex')
    ), false
    from input join mark on mark.id = mark_id
    where rendition_id in (select id from rendition) and exists (select 1 from counted)`;
  const hasRenditions = artifacts.some(({ rendition }) => rendition !== undefined);
  const hasLookalikes = artifacts.some(({ similarTo }) => similarTo !== undefined);
  const happened = [created, ...(hasRenditions ? [signed] : []), ...(hasLookalikes ? [lookalikesFound] : [])];
  return sql`
    insert into events (type, actor_id, organization_id, mark_id, data, is_listed)
    ${sql.join(happened, sql` union all `)}`;
}

/** For the Mark of the new Artifact; and for those of the others, which must not learn of an Artifact of a private Mark. */
const lookalikesFound = sql`
  select 'lookalike.found', null, organization_id, mark_id, jsonb_build_object(
    'fingerprint', '0x' || encode(fingerprint, 'hex'), 'manifestId', input.id,
    'similarTo', jsonb_path_query_array(similar_to, '$[*].fingerprint')
  ), false
  from input join mark on mark.id = mark_id
  where similar_to is not null and input.id in (select id from artifact) and exists (select 1 from counted)
  union all
  select 'lookalike.found', null, other.organization_id, other.id, jsonb_build_object(
    'fingerprint', closest.fingerprint, 'similarTo', jsonb_build_array('0x' || encode(input.fingerprint, 'hex'))
  ), false
  from input join mark on mark.id = mark_id and mark.visibility = 'public'
  cross join lateral (
    select distinct on (one ->> 'markId') one ->> 'fingerprint' as fingerprint, (one ->> 'markId')::uuid as mark_id
    from jsonb_array_elements(similar_to) with ordinality as similar_one (one, place)
    order by one ->> 'markId', place
  ) closest
  join marks other on other.id = closest.mark_id
  where input.id in (select id from artifact) and exists (select 1 from counted)`;

/** Most requests are not traced: their statement need not join the input again. */
function insertIntoOutbox(artifacts: readonly NewArtifact[]) {
  const registrations = sql`(select id, id as artifact_id from artifact union all select id, rendition_of from rendition)`;
  return artifacts.some(({ traceContext }) => traceContext !== undefined)
    ? sql`
      insert into outbox (artifact_id, trace_context)
      select registration.id, trace_context
      from ${registrations} registration join input on input.id = registration.artifact_id`
    : sql`insert into outbox (artifact_id) select id from ${registrations} registration`;
}

function toRow({ idempotency, rendition, ...artifact }: NewArtifact) {
  return {
    id: artifact.id,
    mark_id: artifact.markId,
    created_by: artifact.createdBy,
    created_at: artifact.createdAt,
    fingerprint: toByteaText(artifact.fingerprint),
    manifest_hash: toByteaText(artifact.manifestHash),
    metadata: artifact.metadata,
    authorship_stated: artifact.authorshipStated,
    ...(artifact.aiPreferences && { ai_preferences: artifact.aiPreferences }),
    trace_context: artifact.traceContext,
    ...(artifact.metadata.chromaprint !== undefined && {
      sound_extract: computeExtract(artifact.metadata.chromaprint),
    }),
    ...(artifact.similarTo && { similar_to: artifact.similarTo }),
    ...(idempotency && {
      caller_id: idempotency.callerId,
      key: idempotency.key,
      request_hash: toByteaText(idempotency.requestHash),
      response: idempotency.response,
      since: idempotency.since,
    }),
    ...(rendition && {
      rendition_id: rendition.id,
      rendition_fingerprint: toByteaText(rendition.fingerprint),
      rendition_metadata: { mediaType: rendition.mediaType },
    }),
  };
}

/** PostgreSQL's text form of bytes. */
function toByteaText(value: Hex): string {
  return `\\x${value.slice(2)}`;
}

const refusals: readonly RecordRefusal[] = [
  'abandoned',
  'tierChanged',
  'accessChanged',
  'duplicate',
  'keyUsed',
  'quotaExceeded',
];

/** The argument of `refuse`, a function of the schema that raises RF001. */
function findRefusal(error: unknown): RecordRefusal | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'RF001') return undefined;
  return refusals.find((refusal) => refusal === error.message);
}
