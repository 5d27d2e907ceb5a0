// Queries about Artifacts.

import {
  type ArtifactStatus,
  artifactStatusCode,
  type ClaimSummary,
  type Fingerprint,
  MAX_RENDITIONS,
} from '@provenance-registry/core';
import { type InferResult, type SqlBool, sql } from 'kysely';
import type {
  Artifacts,
  NewArtifact,
  NewSignedCopy,
  SignedCopyResult,
  SignedCopyTarget,
  StoredArtifact,
  WritableArtifactsPage,
} from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { retryConflicts } from '../../retries.js';
import { visibleMarkName } from '../claims/claims.js';
import { insertLogEntry, insertLogOpening } from '../log/logEntries.js';
import { isAuthorizedMark, isWritableBy } from '../marks/marks.js';
import type { ArtifactRecorder } from './artifactRecorder.js';
import { insertIntoChainOutbox } from './chainOutbox.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class ArtifactQueries implements Artifacts {
  constructor(
    private readonly database: Database,
    private readonly recorder: ArtifactRecorder,
  ) {}

  async find(fingerprint: Fingerprint) {
    const holder = await selectArtifacts(this.database)
      .select(chainEntry.as('chainEntry'))
      .where(
        'artifacts.id',
        '=',
        sql<string>`(
          select coalesce(rendition_of, id) from artifacts
          where fingerprint = ${bytes(fingerprint)} and error_reason is null
        )`,
      )
      .executeTakeFirst();
    if (holder) return toArtifact(holder);
    const failed = await selectArtifacts(this.database)
      .where('fingerprint', '=', bytes(fingerprint))
      .where('error_reason', 'is not', null)
      .where('rendition_of', 'is', null)
      .orderBy('artifacts.created_at', 'desc')
      .orderBy('artifacts.id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return failed && toArtifact(failed);
  }

  async findById(id: string) {
    const row = await selectArtifacts(this.database)
      .where('artifacts.id', '=', id)
      .where('rendition_of', 'is', null)
      .executeTakeFirst();
    return row && toArtifact(row);
  }

  async findStatuses(ids: readonly string[]) {
    const { rows } = await sql<{ id: string; status: number }>`
      select id, status from artifacts where id = any(${ids}::uuid[])`.execute(this.database);
    return new Map(rows.map(({ id, status }) => [id, statusName(status)]));
  }

  async list({ markId, status, limit, after }: Parameters<Artifacts['list']>[0]) {
    const ofMark = selectArtifacts(this.database).where('mark_id', '=', markId).where('rendition_of', 'is', null);
    if (after !== undefined && !(await ofMark.where('artifacts.id', '=', after).executeTakeFirst())) return undefined;
    let page = ofMark.orderBy('artifacts.created_at', 'desc').orderBy('artifacts.id', 'desc').limit(limit);
    if (status !== undefined) page = page.where('status', '=', artifactStatusCode[status]);
    if (after !== undefined) {
      page = page.where(
        sql<SqlBool>`(artifacts.created_at, artifacts.id) < (select created_at, id from artifacts where id = ${after})`,
      );
    }
    return (await page.execute()).map(toArtifact);
  }

  listWritable(page: WritableArtifactsPage) {
    return listWritable(this.database, page);
  }

  async hasPrivate(ids: readonly string[]) {
    const { rows } = await sql`
      select 1 from artifacts join marks on marks.id = artifacts.mark_id
      where artifacts.id = any(${ids.filter((id) => UUID.test(id))}::uuid[]) and (content_private or visibility = 'private')
      limit 1`.execute(this.database);
    return rows.length > 0;
  }

  async setContentPrivate(id: string, contentPrivate: boolean) {
    const row = await this.database
      .updateTable('artifacts')
      .set({ content_private: sql<boolean>`${contentPrivate} or recovered_at is not null` })
      .where('id', '=', id)
      .returning('content_private')
      .executeTakeFirst();
    return row?.content_private ?? contentPrivate;
  }

  record(artifact: NewArtifact) {
    return this.recorder.record(artifact);
  }

  recordSignedCopy(signedCopy: NewSignedCopy & SignedCopyTarget) {
    return retryConflicts(() => recordSignedCopy(this.database, signedCopy));
  }
}

const timeOrder = [sql`artifacts.created_at`, sql`artifacts.id`] as const;
// The expression of the index `artifacts_by_mark_and_name`.
const nameOrder = [sql`left(lower((artifacts.metadata ->> 'filename') collate "C"), 100)`, sql`artifacts.id`] as const;

/** None of these values changes, so that any Artifact can be the cursor of a page. */
const orders = {
  newest: { columns: timeOrder, direction: sql`desc`, comesAfter: sql`<` },
  oldest: { columns: timeOrder, direction: sql`asc`, comesAfter: sql`>` },
  name: { columns: nameOrder, direction: sql`asc`, comesAfter: sql`>` },
} as const;

/** Takes as many as the page holds from each Mark, by the index of its Artifacts, and the first of those. */
async function listWritable(
  database: Database,
  { writer, markId, status, kind, name, from, to, sort, limit, after }: WritableArtifactsPage,
): Promise<StoredArtifact[] | undefined> {
  if (after !== undefined) {
    const { rows } = await sql`
      select 1 from artifacts join marks mark on mark.id = artifacts.mark_id
      where artifacts.id = ${after} and rendition_of is null and ${isWritableBy(writer)}`.execute(database);
    if (rows.length === 0) return undefined;
  }
  const { columns, direction, comesAfter } = orders[sort];
  const row = sql.join(columns);
  const order = sql.join(columns.map((column) => sql`${column} ${direction}`));
  const conditions = [
    sql`artifacts.mark_id = mark.id and rendition_of is null`,
    ...(status === undefined ? [] : [sql`status = ${artifactStatusCode[status]}`]),
    ...(kind === undefined ? [] : [sql`metadata ->> 'kind' = ${kind}`]),
    ...(name === undefined ? [] : [sql`metadata ->> 'filename' ~ ${toPattern(name)}`]),
    ...(from === undefined ? [] : [sql`artifacts.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`artifacts.created_at < ${to}`]),
    ...(after === undefined ? [] : [sql`(${row}) ${comesAfter} (select ${row} from artifacts where id = ${after})`]),
  ];
  const ids = sql<string>`(
    select page.id
    from (
      select id from marks mark
      where ${isWritableBy(writer)} ${markId === undefined ? sql`` : sql`and id = ${markId}`}
    ) mark
    cross join lateral (
      select artifacts.id, ${columns[0]} as key from artifacts where ${sql.join(conditions, sql` and `)}
      order by ${order} limit ${limit}
    ) page
    order by page.key ${direction}, page.id ${direction} limit ${limit}
  )`;
  const rows = await selectArtifacts(database).where('artifacts.id', 'in', ids).orderBy(order).execute();
  return rows.map(toArtifact);
}

/** A regular expression, because servers differ in what they hold for lower case. File systems differ in composing accents. */
function toPattern(name: string): string {
  const forms = new Set([name, name.normalize('NFC'), name.normalize('NFD')]);
  return [...forms].map((form) => [...form].map(matchBothCases).join('')).join('|');
}

function matchBothCases(character: string): string {
  const cases = new Set([character, character.toLowerCase(), character.toUpperCase()]);
  // An upper case of several characters, such as that of "ß", is another text.
  const single = [...cases].filter((form) => [...form].length === 1);
  return single.length > 1 ? `[${single.join('')}]` : character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
}

async function recordSignedCopy(
  database: Database,
  signedCopy: NewSignedCopy & SignedCopyTarget,
): Promise<SignedCopyResult> {
  return database.transaction().execute(async (transaction) => {
    const { rows: marks } = await sql`
      select 1 from marks where ${isAuthorizedMark(signedCopy)} for share`.execute(transaction);
    if (marks.length === 0) return 'accessChanged';
    // Until the transaction ends, the Artifact cannot fail and no other signed copy of it is counted. Locked in a statement
    // of its own, so that the next one sees what concurrent transactions have committed.
    const { rows: artifacts } = await sql`
      select 1 from artifacts
      where id = ${signedCopy.artifactId} and error_reason is null and rendition_of is null
      for no key update`.execute(transaction);
    if (artifacts.length === 0) return 'gone';
    const { rows } = await sql<{ isFull: boolean; isRecorded: boolean }>`
      with counted as materialized (
        select count(*) >= ${MAX_RENDITIONS} as is_full from artifacts
        where rendition_of = ${signedCopy.artifactId} and error_reason is null
      ), signed_copy as (
        insert into artifacts (id, rendition_of, mark_id, created_by, created_at, fingerprint, manifest_hash, metadata)
        select ${signedCopy.id}, artifacts.id, mark_id, ${signedCopy.createdBy}, ${signedCopy.createdAt}::timestamptz,
          ${bytes(signedCopy.fingerprint)}::bytea, manifest_hash, ${JSON.stringify({ mediaType: signedCopy.mediaType })}::jsonb
        from artifacts, counted
        where artifacts.id = ${signedCopy.artifactId} and not is_full
        on conflict (fingerprint) where error_reason is null do nothing
        returning id
      ), inserted_outbox as (
        ${insertIntoChainOutbox(sql`select id, ${signedCopy.traceContext ?? null}::text from signed_copy`)}
      ), inserted_log_entry as (
        ${insertLogEntry(signedCopy.logEntry, sql`from signed_copy`)}
      ), inserted_opening as (
        ${insertLogOpening(signedCopy.logEntry, sql`from signed_copy`)}
      ), inserted_events as (
        insert into events (type, actor_id, organization_id, mark_id, data, is_listed)
        select 'rendition.created', ${signedCopy.createdBy}, mark.organization_id, mark.id, jsonb_build_object(
          'fingerprint', ${signedCopy.fingerprint}::text, 'manifestId', original.id,
          'renditionOf', '0x' || encode(original.fingerprint, 'hex')
        ), false
        from artifacts original join marks mark on mark.id = original.mark_id
        where original.id = ${signedCopy.artifactId} and exists (select 1 from signed_copy)
      )
      select is_full as "isFull", exists (select 1 from signed_copy) as "isRecorded" from counted`.execute(transaction);
    if (rows[0]?.isFull) return 'full';
    return rows[0]?.isRecorded ? 'recorded' : 'duplicate';
  });
}

function selectArtifacts(database: Database) {
  return database
    .selectFrom('artifacts')
    .innerJoin('users as creator', 'creator.id', 'artifacts.created_by')
    .select([
      'artifacts.id',
      'artifacts.mark_id as markId',
      'artifacts.fingerprint',
      'artifacts.manifest_hash as manifestHash',
      'artifacts.status',
      'artifacts.error_reason as errorReason',
      'artifacts.transaction_hash as transactionHash',
      'artifacts.metadata',
      'artifacts.content_private as contentPrivate',
      'artifacts.created_at as createdAt',
      'artifacts.authorship_stated as authorshipStated',
      'artifacts.ai_preferences as aiPreferences',
      'creator.id as creatorId',
      'creator.name as creatorName',
    ])
    .select([signedCopiesOfArtifact.as('renditions'), domainsAtRegistration.as('domains'), claimSummary.as('claims')]);
}

/** A row as JSON, in which times are texts with microseconds and an offset. */
interface DomainRow {
  readonly domain: string;
  readonly method: 'dns' | 'file';
  readonly since: string;
  readonly until: string | null;
}

/** A domain that lapsed was verified until the first check that failed. */
const domainsAtRegistration = sql<DomainRow[] | null>`(
  select json_agg(json_build_object('domain', domain, 'method', method, 'since', verified_at, 'until',
    case when ended_at is not null then least(ended_at, failing_since) end) order by verified_at, domain)
  from mark_domains
  where mark_domains.mark_id = artifacts.mark_id and verified_at <= artifacts.created_at
    and (least(ended_at, failing_since) is null or least(ended_at, failing_since) > artifacts.created_at)
)`;

/** Null when there is no claim. */
const claimSummary = sql<ClaimSummary | null>`(
  select case when count(*) > 0 then json_build_object(
    'contested', bool_or(ended_as is null and evidence_state = 'checked'),
    'open', count(*) filter (where ended_as is null),
    'checked', count(*) filter (where ended_as is null and evidence_state = 'checked'),
    'supersededBy', (
      select json_build_object('id', marks.id, 'name', ${visibleMarkName})
      from claims conceded join marks on marks.id = conceded.mark_id
      where conceded.artifact_id = artifacts.id and ended_as = 'superseded'
      order by conceded.created_at limit 1
    )
  ) end
  from claims where claims.artifact_id = artifacts.id
)`;

interface ChainEntryRow {
  readonly blockNumber: number;
  readonly blockTime: string;
  readonly registrar: string;
}

/** The entry, found by primary key; null while the mirror has none with the manifest of this Artifact. */
const chainEntry = sql<ChainEntryRow | null>`(
  select json_build_object(
    'blockNumber', block_number, 'blockTime', registered_at, 'registrar', '0x' || encode(registered_by, 'hex')
  )
  from chain_entries
  where chain_entries.fingerprint = artifacts.fingerprint and source = 1 and manifest_id = artifacts.id::text
)`;

const NO_CLAIMS: ClaimSummary = { contested: false, open: 0, checked: 0, supersededBy: null };

interface SignedCopyRow {
  readonly fingerprint: Fingerprint;
  readonly mediaType: string;
  readonly status: number;
  readonly transactionHash: string | null;
  readonly createdAt: string;
}

const signedCopiesOfArtifact = sql<SignedCopyRow[] | null>`(
  select json_agg(json_build_object(
    'fingerprint', '0x' || encode(fingerprint, 'hex'), 'mediaType', metadata ->> 'mediaType', 'status', status,
    'transactionHash', '0x' || encode(transaction_hash, 'hex'), 'createdAt', created_at
  ) order by created_at, id)
  from artifacts signed_copy where signed_copy.rendition_of = artifacts.id and signed_copy.error_reason is null
)`;

type ArtifactRow = InferResult<ReturnType<typeof selectArtifacts>>[number] & {
  readonly chainEntry?: ChainEntryRow | null;
};

function toArtifact({ creatorId, creatorName, domains, claims, chainEntry, ...row }: ArtifactRow): StoredArtifact {
  return {
    ...row,
    ...(chainEntry && { chainEntry: { ...chainEntry, blockTime: new Date(chainEntry.blockTime) } }),
    domainsAtRegistration: (domains ?? []).map(({ since, until, ...domain }) => ({
      ...domain,
      since: new Date(since),
      until: until === null ? null : new Date(until),
    })),
    claims: claims ?? NO_CLAIMS,
    fingerprint: hex(row.fingerprint),
    manifestHash: hex(row.manifestHash),
    status: statusName(row.status),
    transactionHash: row.transactionHash && hex(row.transactionHash),
    createdBy: { id: creatorId, name: creatorName },
    renditions: (row.renditions ?? []).map((signedCopy) => ({
      ...signedCopy,
      status: statusName(signedCopy.status),
      createdAt: new Date(signedCopy.createdAt),
    })),
  };
}

const statusNames = new Map(Object.entries(artifactStatusCode).map(([name, number]) => [number, name])) as ReadonlyMap<
  number,
  ArtifactStatus
>;

export function statusName(status: number): ArtifactStatus {
  const name = statusNames.get(status);
  if (!name) throw new Error(`unknown Artifact status ${status}`);
  return name;
}
