// Records Artifacts: those of one owner that arrive at about the same time go into one statement.

import { RegistryError } from '@provenance-registry/core';
import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Draft, Hex, NewArtifact, RecordRefusal, RecordResult } from '../../../domain/ports/index.js';
import { type BatchSlot, groupCommit } from '../../batching.js';
import type { Database } from '../../connection.js';
import { retryConflicts } from '../../retries.js';
import { lockBillingUser } from '../accounts/users.js';
import { insertCreationEvents } from '../events/events.js';
import { insertCreationLogEntries } from '../log/logEntries.js';
import { insertImageHashes } from '../lookups/imageHashes.js';
import { computeExtract, insertSoundHashes } from '../lookups/soundHashes.js';
import { isAuthorizedMark } from '../marks/marks.js';
import { insertIntoChainOutbox } from './chainOutbox.js';
import { countForMarks, countForQuota } from './counters.js';
import { type CommitSlots, deleteDrafts } from './drafts.js';
import { saveIdempotencyRecords } from './idempotencyRecords.js';

/** Commits the Artifacts of one owner in groups: a commit waits a moment for Artifacts whose drafts have begun. */
export class ArtifactRecorder implements CommitSlots {
  readonly #slots = new Map<string, BatchSlot<PreparedArtifact, RecordResult>>();
  readonly #openSlot: (ownerId: string) => BatchSlot<PreparedArtifact, RecordResult>;

  constructor(database: Database) {
    this.#openSlot = groupCommit((artifacts) => recordArtifacts(database, artifacts));
  }

  openSlot({ artifactId, ownerId }: Draft): void {
    if (!this.#slots.has(artifactId)) this.#slots.set(artifactId, this.#openSlot(ownerId));
  }

  async record(artifact: NewArtifact): Promise<RecordResult> {
    const slot = this.#slots.get(artifact.id) ?? this.#openSlot(artifact.quota.ownerId);
    try {
      return await slot.submit(prepareRow(artifact));
    } finally {
      slot.release();
      this.#slots.delete(artifact.id);
    }
  }

  closeSlot(artifactId: string): void {
    this.#slots.get(artifactId)?.release();
    this.#slots.delete(artifactId);
  }
}

interface PreparedArtifact extends NewArtifact {
  /** Its row of `input`, as JSON. */
  readonly row: string;
}

/** Before the statement: that of hundreds would hold the event loop for some tens of milliseconds. */
export function prepareRow(artifact: NewArtifact): PreparedArtifact {
  return { ...artifact, row: JSON.stringify(toRow(artifact)) };
}

/** One result for each Artifact, in order. Rejects when it is unknown which of them are recorded. */
export async function recordArtifacts(
  database: Database,
  artifacts: readonly PreparedArtifact[],
): Promise<PromiseSettledResult<RecordResult>[]> {
  if (artifacts.length > 1 && shareQuota(artifacts) && (await insertTogether(database, artifacts))) {
    return artifacts.map(() => ({ status: 'fulfilled', value: 'recorded' }));
  }
  const results: PromiseSettledResult<RecordResult>[] = [];
  for (const artifact of artifacts) results.push(...(await Promise.allSettled([recordOrRefuse(database, [artifact])])));
  return results;
}

/** Whether they count for the same owner and day, against the same limits. */
function shareQuota(artifacts: readonly PreparedArtifact[]): boolean {
  const quotas = artifacts.map(({ quota, createdAt }) => JSON.stringify([quota, createdAt.toISOString().slice(0, 10)]));
  return new Set(quotas).size === 1;
}

/** False when any of them is refused: then none is inserted. */
async function insertTogether(database: Database, artifacts: readonly PreparedArtifact[]): Promise<boolean> {
  try {
    return (await recordOrRefuse(database, artifacts)) === 'recorded';
  } catch (error) {
    // With the database unavailable, they may or may not be recorded: they must not be inserted again.
    if (error instanceof RegistryError) throw error;
    return false;
  }
}

/** Artifacts with the same quota: records all of them or none. */
async function recordOrRefuse(database: Database, artifacts: readonly PreparedArtifact[]): Promise<RecordResult> {
  const [first] = artifacts;
  if (!first) return 'recorded';
  const statement = recordInOneStatement(artifacts, first);
  try {
    await retryConflicts(() => statement.execute(database));
    return 'recorded';
  } catch (error) {
    const refusal = findRefusal(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/**
 * Each part reads the one before it, so locks are taken in this order: user, Marks, Artifacts, counters. Those come last
 * because all creations of an owner are serialized from there on. Image hashes come after them, so that refused creations
 * take no sequence numbers: the index in memory has a place for each.
 */
function recordInOneStatement(artifacts: readonly PreparedArtifact[], { quota, createdAt }: PreparedArtifact) {
  const isOnTier = sql`exists (select 1 from billing_user where tier = ${quota.tier})`;
  const marks = distinctMarks(artifacts);
  const areAuthorized = sql`(select count(*) from authorized_marks) = ${marks.length}::bigint`;
  const isRecorded = sql`input.id in (select id from inserted_artifacts) and exists (select 1 from counted_quota)`;
  return sql`
    with input as materialized (${readInput(artifacts)}),
    billing_user as materialized (${lockBillingUser(quota.billingUserId)}),
    authorized_marks as materialized (
      select id, organization_id, visibility from marks
      where (${sql.join(marks.map(isAuthorizedMark), sql` or `)}) and ${isOnTier} order by id for share
    ),
    ended_drafts as (${deleteDrafts(artifacts.map(({ id }) => id))}),
    inserted_artifacts as (${insertArtifacts(areAuthorized)}),
    inserted_signed_copies as (${insertSignedCopies(artifacts)}),
    ${insertCreationLogEntries(artifacts)},
    inserted_outbox as (${insertIntoChainOutbox(selectRegistrations(artifacts))}),
    saved_idempotency as (${saveIdempotencyRecords}),
    counted_quota as (${countForQuota(quota, createdAt, artifacts.length)}),
    mark_counts as (${countForMarks(artifacts)}),
    inserted_events as (${insertCreationEvents(artifacts, isRecorded)}),
    inserted_hashes as (${insertImageHashes(artifacts, isRecorded)}),
    inserted_sound_hashes as (${insertSoundHashes(artifacts, isRecorded)})
    select case
      when (select count(*) from ended_drafts) < (select count(*) from input) then refuse('abandoned')
      when not ${isOnTier} then refuse('tierChanged')
      when not (${areAuthorized}) then refuse('accessChanged')
      when (select count(*) from inserted_artifacts) < (select count(*) from input) then refuse('duplicate')
      when (select count(*) from inserted_signed_copies) < (select count(rendition_id) from input) then refuse('duplicate')
      when (select count(*) from saved_idempotency) < (select count(key) from input) then refuse('keyUsed')
      when not exists (select 1 from counted_quota) then refuse('quotaExceeded')
    end`;
}

function readInput(artifacts: readonly PreparedArtifact[]) {
  return sql`
    select * from json_to_recordset(${`[${artifacts.map(({ row }) => row).join()}]`}) as input (
      id uuid, mark_id uuid, created_by uuid, created_at timestamptz, fingerprint bytea, manifest_hash bytea, metadata jsonb,
      authorship_stated boolean, ai_preferences jsonb, caller_id uuid, key text, request_hash bytea, response jsonb, since timestamptz, trace_context text,
      leaf text, rendition_id uuid, rendition_fingerprint bytea, rendition_metadata jsonb, rendition_leaf text,
      sound_extract integer[], similar_to jsonb
    )`;
}

/** Each Mark and state of it once. Two states of one Mark cannot both be the current one. */
function distinctMarks(artifacts: readonly NewArtifact[]) {
  return [...new Map(artifacts.map((one) => [`${one.markId} ${one.accessVersion} ${one.visibility}`, one])).values()];
}

/** Inserts in the order of fingerprints, so that two processes with the same ones do not deadlock. */
function insertArtifacts(areAuthorized: RawBuilder<unknown>) {
  return sql`
    insert into artifacts (
      id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, authorship_stated, ai_preferences
    )
    select id, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata, authorship_stated, ai_preferences
    from input
    where id in (select artifact_id from ended_drafts) and ${areAuthorized}
    order by fingerprint
    on conflict (fingerprint) where error_reason is null do nothing
    returning id`;
}

/** Few requests return a signed image: the others need no second insert. */
function insertSignedCopies(artifacts: readonly NewArtifact[]) {
  return artifacts.some(({ signedCopy }) => signedCopy !== undefined)
    ? sql`
      insert into artifacts (id, rendition_of, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata)
      select rendition_id, id, mark_id, created_by, created_at, rendition_fingerprint, manifest_hash, rendition_metadata
      from input where rendition_id is not null and id in (select id from inserted_artifacts)
      order by rendition_fingerprint
      on conflict (fingerprint) where error_reason is null do nothing
      returning id, rendition_of`
    : sql`select id, id as rendition_of from inserted_artifacts where false`;
}

/** Most requests are not traced: their statement need not join the input again. */
function selectRegistrations(artifacts: readonly NewArtifact[]) {
  const inserted = sql`(
    select id, id as artifact_id from inserted_artifacts union all select id, rendition_of from inserted_signed_copies
  ) registration`;
  return artifacts.some(({ traceContext }) => traceContext !== undefined)
    ? sql`select registration.id, trace_context from ${inserted} join input on input.id = registration.artifact_id`
    : sql`select id, null from ${inserted}`;
}

/** A row of `input`. Undefined values are left out of the JSON, and null in the statement. */
function toRow({ idempotency, signedCopy, ...artifact }: NewArtifact) {
  return {
    id: artifact.id,
    mark_id: artifact.markId,
    created_by: artifact.createdBy,
    created_at: artifact.createdAt,
    fingerprint: toByteaText(artifact.fingerprint),
    manifest_hash: toByteaText(artifact.manifestHash),
    metadata: artifact.metadata,
    authorship_stated: artifact.authorshipStated,
    ai_preferences: artifact.aiPreferences ?? undefined,
    trace_context: artifact.traceContext,
    leaf: artifact.logEntry.leaf,
    sound_extract:
      artifact.metadata.chromaprint === undefined ? undefined : computeExtract(artifact.metadata.chromaprint),
    similar_to: artifact.similarTo,
    ...(idempotency && {
      caller_id: idempotency.callerId,
      key: idempotency.key,
      request_hash: toByteaText(idempotency.requestHash),
      response: idempotency.response,
      since: idempotency.since,
    }),
    ...(signedCopy && {
      rendition_id: signedCopy.id,
      rendition_fingerprint: toByteaText(signedCopy.fingerprint),
      rendition_metadata: { mediaType: signedCopy.mediaType },
      rendition_leaf: signedCopy.logEntry.leaf,
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
