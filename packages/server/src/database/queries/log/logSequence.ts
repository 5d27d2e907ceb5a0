// Queries that give leaves their places in the public log.

import type { AiPreferences, ArtifactMetadata, Fingerprint, LicenseKey } from '@provenance-registry/core';
import { aiPreferencesOf } from '@provenance-registry/core';
import { sql } from 'kysely';
import type {
  ImportedClaim,
  ImportPage,
  Lease,
  LogHead,
  LogKeys,
  LogSequence,
  LogStep,
  NewLogOpening,
  PendingLeaf,
  SequencedLeaf,
  StoredRegistration,
  TreeSize,
} from '../../../domain/ports/index.js';
import { byteArray, bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { acquireLease, releaseLease, runWithLease } from '../leases.js';
import { Queries } from '../queries.js';
import { findLeafIndexes } from './logEntries.js';

export class LogSequenceQueries extends Queries implements LogSequence {
  acquireLease(lease: Lease) {
    return acquireLease(this.database, lease);
  }

  releaseLease(lease: Lease) {
    return releaseLease(this.database, lease);
  }

  async readHead() {
    const { rows } = await sql<Omit<LogHead, 'size'> & { size: string }>`
      select origin, size, root, exists (select 1 from log_import) as "isImporting",
        exists (select 1 from log_entries where leaf_index is null) as "hasPending"
      from log_head`.execute(this.database);
    const [row] = rows;
    if (!row) throw new Error('log_head has no row');
    return { ...row, size: Number(row.size) };
  }

  async listKeys(): Promise<LogKeys[]> {
    const rows = await this.database.selectFrom('log_keys').select(['vkey', 'signers']).orderBy('id').execute();
    return rows.map(({ vkey, signers }) => ({ vkey, signers: signers.map(hex) }));
  }

  async readLeaves(from: number, to: number) {
    const { rows } = await sql<{ leaf: string }>`
      select leaf from log_entries where leaf_index >= ${from} and leaf_index < ${to} order by leaf_index`.execute(
      this.database,
    );
    return rows.map(({ leaf }) => leaf);
  }

  async listPending(limit: number): Promise<PendingLeaf[]> {
    const { rows } = await sql<Omit<PendingLeaf, 'fingerprint'> & { fingerprint: Uint8Array | null }>`
      select id, kind, leaf, fingerprint, created_at as "createdAt"
      from log_entries where leaf_index is null order by id limit ${limit}`.execute(this.database);
    return rows.map((row) => ({ ...row, fingerprint: row.fingerprint && hex(row.fingerprint) }));
  }

  findLeafIndexes(fingerprints: readonly Fingerprint[]) {
    return findLeafIndexes(this.database, fingerprints);
  }

  async findRegistrations(fingerprints: readonly Fingerprint[]) {
    const { rows } = await sql<RegistrationRow>`
      select ${registrationColumns} from artifacts ${registrationJoins}
      where artifacts.fingerprint = any(${fingerprints.map(bytes)}::bytea[]) and artifacts.error_reason is null`.execute(
      this.database,
    );
    return rows.map(toRegistration);
  }

  async listImports(limit: number, after = '-1'): Promise<ImportPage> {
    const page = sql`(
      select position, kind, id from log_import where position > ${after}::bigint order by position limit ${limit}
    )`;
    // One after the other: the rows of `log_import` are deleted by this process alone.
    const { rows: ends } = await sql<{ position: string | null; left: string }>`
      select max(position) as position, (select coalesce(max(position) - min(position) + 1, 0) from log_import) as left
      from ${page} page`.execute(this.database);
    const { rows: marks } = await sql<MarkRow>`
      select marks.id, license, allow_ai_training, ai_preferences
      from ${page} page join marks on page.kind = 'mark' and marks.id = page.id and visibility = 'public'
      order by position`.execute(this.database);
    const { rows: registrations } = await sql<RegistrationRow>`
      select ${registrationColumns}
      from ${page} page join artifacts on page.kind = 'artifact' and artifacts.id = page.id ${registrationJoins}
      where artifacts.error_reason is null order by position`.execute(this.database);
    const { rows: claims } = await sql<ClaimRow>`
      select claims.id, artifacts.fingerprint, claimant_id as "claimantId", statement, evidence, coalesce((
        select json_agg(json_build_object('type', type, 'text', text, 'authorId', author_id) order by claim_entries.id)
        from claim_entries where claim_id = claims.id and at < (select created_at from log_head)
      ), '[]') as entries
      from ${page} page join claims on page.kind = 'claim' and claims.id = page.id
      join artifacts on artifacts.id = claims.artifact_id order by position`.execute(this.database);
    const [end] = ends;
    return {
      position: end?.position ?? undefined,
      left: Number(end?.left ?? 0),
      marks: marks.map(({ id, license, allow_ai_training, ai_preferences }) => ({
        id,
        licenseKey: license,
        aiPreferences: aiPreferencesOf({ allowAiTraining: allow_ai_training, aiPreferences: ai_preferences }),
      })),
      registrations: registrations.map(toRegistration),
      claims: claims.map(({ fingerprint, ...claim }) => ({ ...claim, fingerprint: hex(fingerprint) })),
    };
  }

  advance(lease: Lease, step: LogStep) {
    return runWithLease(this.database, lease, async (transaction) => {
      if (!(await moveHead(transaction, step))) return false;
      await placeLeaves(transaction, step);
      await insertOpenings(transaction, step.leaves);
      if (step.dropped && step.dropped.length > 0) {
        await sql`delete from log_entries where id = any(${step.dropped}::bigint[])`.execute(transaction);
      }
      if (step.importedUntil !== undefined) {
        await sql`delete from log_import where position <= ${step.importedUntil}::bigint`.execute(transaction);
      }
      if (step.keys) await insertKeys(transaction, step.keys);
      return true;
    });
  }

  restore(lease: Lease, step: LogStep, keys: readonly LogKeys[]) {
    return runWithLease(this.database, lease, async (transaction) => {
      if (!(await moveHead(transaction, step))) return false;
      const adopted = await adoptPending(transaction, step);
      const leaves = step.leaves.map((leaf, place) => ({ ...leaf, index: step.from.size + place }));
      await insertLeaves(
        transaction,
        leaves.filter(({ index }) => !adopted.has(index)),
      );
      await insertIndexes(transaction, leaves);
      await dropRepeatedFailures(transaction, leaves);
      for (const one of keys) await insertKeys(transaction, one);
      // The log is published once everything is imported.
      await sql`delete from log_import`.execute(transaction);
      return true;
    });
  }

  acceptKeys(keys: LogKeys, leaf: string) {
    return this.database.transaction().execute(async (transaction) => {
      await insertKeys(transaction, keys);
      await sql`insert into log_entries (kind, leaf) values ('keys', ${leaf})`.execute(transaction);
    });
  }

  whileLocked(lease: Lease, { size, root }: TreeSize, publish: () => Promise<boolean>) {
    return runWithLease(this.database, lease, async (transaction) => {
      const { rows } = await sql`
        select 1 from log_head where size = ${size} and root = ${root} for update`.execute(transaction);
      return rows.length === 1 && (await publish());
    });
  }

  async deletePublished(below: number, days: number) {
    await sql`
      delete from log_entries where leaf_index in (
        select leaf_index from log_entries
        where leaf_index < ${below} and created_at < now() - ${days} * interval '1 day'
        order by leaf_index limit ${MAX_DELETED}
      )`.execute(this.database);
  }

  async readBacklog() {
    const { rows } = await sql<{ size: string; pending: string; oldest: number | null; toImport: string }>`
      select size, pending, oldest, to_import as "toImport" from log_head, (
        select count(*) as pending, extract(epoch from now() - min(created_at))::float8 as oldest
        from log_entries where leaf_index is null
      ) waiting, (select coalesce(max(position) - min(position) + 1, 0) as to_import from log_import) imports`.execute(
      this.database,
    );
    const [row] = rows;
    return {
      size: Number(row?.size ?? 0),
      pending: Number(row?.pending ?? 0),
      oldestPendingSeconds: Math.max(0, row?.oldest ?? 0),
      toImport: Number(row?.toImport ?? 0),
    };
  }
}

/** Leaves of an hour at the highest rate of registrations: this runs every hour, and must not take long. */
const MAX_DELETED = 500_000;

interface MarkRow {
  readonly id: string;
  readonly license: LicenseKey;
  readonly allow_ai_training: boolean | null;
  readonly ai_preferences: AiPreferences | null;
}

type ClaimRow = Omit<ImportedClaim, 'fingerprint'> & { readonly fingerprint: Uint8Array };

interface RegistrationRow
  extends Pick<
    StoredRegistration,
    'kind' | 'artifactId' | 'markId' | 'isMarkPrivate' | 'isContentPrivate' | 'createdAt'
  > {
  readonly fingerprint: Uint8Array;
  readonly manifestHash: Uint8Array;
  readonly licenseKey: ArtifactMetadata['licenseKey'] | null;
  readonly allowAiTraining: boolean | null;
  readonly aiPreferences: AiPreferences | null;
}

/** The terms of a signed copy are those of its Artifact. */
const registrationColumns = sql`
  case when original.id is null then 'artifact' else 'rendition' end as kind,
  coalesce(original.id, artifacts.id) as "artifactId", artifacts.fingerprint, artifacts.manifest_hash as "manifestHash",
  artifacts.mark_id as "markId", marks.visibility = 'private' as "isMarkPrivate", artifacts.created_at as "createdAt",
  coalesce(original.metadata, artifacts.metadata) ->> 'licenseKey' as "licenseKey",
  (coalesce(original.metadata, artifacts.metadata) ->> 'allowAiTraining')::boolean as "allowAiTraining",
  coalesce(original.ai_preferences, artifacts.ai_preferences) as "aiPreferences",
  artifacts.content_private as "isContentPrivate"`;
const registrationJoins = sql`
  join marks on marks.id = artifacts.mark_id left join artifacts original on original.id = artifacts.rendition_of`;

function toRegistration({ licenseKey, allowAiTraining, ...row }: RegistrationRow): StoredRegistration {
  return {
    ...row,
    fingerprint: hex(row.fingerprint),
    manifestHash: hex(row.manifestHash),
    metadata: { ...(licenseKey && { licenseKey }), ...(allowAiTraining !== null && { allowAiTraining }) },
  };
}

async function moveHead(transaction: Database, { from, to, origin }: LogStep): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update log_head set size = ${to.size}, root = ${to.root}, origin = coalesce(origin, ${origin ?? null})
    where size = ${from.size} and root = ${from.root}`.execute(transaction);
  return numAffectedRows === 1n;
}

type PlacedLeaf = SequencedLeaf & { readonly index: number };

async function placeLeaves(transaction: Database, { from, leaves }: LogStep): Promise<void> {
  const placed = leaves.map((leaf, place) => ({ ...leaf, index: from.size + place }));
  const pending = placed.flatMap(({ id, ...leaf }) => (id === undefined ? [] : [{ ...leaf, id }]));
  if (pending.length > 0) {
    await sql`
      update log_entries set leaf_index = placed.index, leaf = coalesce(log_entries.leaf, placed.leaf)
      from unnest(
        ${pending.map(({ id }) => id)}::bigint[],
        ${pending.map(({ index }) => String(index))}::bigint[],
        ${pending.map(({ leaf }) => leaf ?? null)}::text[]
      ) as placed (id, index, leaf)
      where log_entries.id = placed.id and log_entries.leaf_index is null`.execute(transaction);
  }
  await insertLeaves(
    transaction,
    placed.filter(({ id }) => id === undefined),
  );
  await insertIndexes(transaction, placed);
}

/** Returns the indexes of leaves that the database still had, waiting for their places. */
async function adoptPending(transaction: Database, { from, leaves }: LogStep): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ index: string }>`
    with given as (
      select leaf, ${from.size}::bigint + place - 1 as index, row_number() over (partition by leaf order by place) as copy
      from unnest(${leaves.map(({ leaf }) => leaf ?? null)}::text[]) with ordinality as given (leaf, place)
    ), waiting as (
      select id, leaf, row_number() over (partition by leaf order by id) as copy
      from log_entries where leaf_index is null and leaf is not null
    )
    update log_entries set leaf_index = given.index
    from given join waiting using (leaf, copy)
    where log_entries.id = waiting.id
    returning given.index`.execute(transaction);
  return new Set(rows.map(({ index }) => Number(index)));
}

/** What the log has already taken back is not taken back again: the file may have another leaf by now. */
async function dropRepeatedFailures(transaction: Database, leaves: readonly PlacedLeaf[]): Promise<void> {
  const failures = leaves.flatMap(({ kind, leaf }) => (kind === 'failed' && leaf ? [leaf] : []));
  if (failures.length === 0) return;
  await sql`
    delete from log_entries using unnest(${failures}::text[]) as failure (leaf), log_leaves
    where log_leaves.leaf_index = (split_part(failure.leaf, E'\\n', 2)::jsonb ->> 'index')::bigint
      and log_entries.leaf_index is null and kind = 'failed' and log_entries.fingerprint = log_leaves.fingerprint`.execute(
    transaction,
  );
}

async function insertLeaves(transaction: Database, added: readonly PlacedLeaf[]): Promise<void> {
  if (added.length === 0) return;
  await sql`
    insert into log_entries (kind, leaf, fingerprint, leaf_index)
    select kind, leaf, case when fingerprint <> '' then fingerprint end, index
    from unnest(
      ${added.map(({ kind }) => kind)}::text[],
      ${added.map(({ leaf }) => leaf ?? null)}::text[],
      ${byteArray(added.map(({ fingerprint }) => fingerprint?.slice(2) ?? ''))}::bytea[],
      ${added.map(({ index }) => String(index))}::bigint[]
    ) as added (kind, leaf, fingerprint, index) order by index`.execute(transaction);
}

async function insertIndexes(transaction: Database, placed: readonly PlacedLeaf[]): Promise<void> {
  const files = placed.filter(({ kind }) => kind === 'artifact' || kind === 'rendition');
  if (files.length === 0) return;
  await sql`
    insert into log_leaves (leaf_index, fingerprint)
    select index, fingerprint from unnest(
      ${files.map(({ index }) => String(index))}::bigint[],
      ${byteArray(files.map(({ fingerprint }) => fingerprint?.slice(2) ?? ''))}::bytea[]
    ) as placed (index, fingerprint) order by index`.execute(transaction);
}

async function insertOpenings(transaction: Database, leaves: readonly SequencedLeaf[]): Promise<void> {
  const openings = leaves.flatMap(({ opening }): NewLogOpening[] => (opening ? [opening] : []));
  if (openings.length === 0) return;
  await sql`
    insert into log_openings (hidden, opening, mark_id, user_id)
    select * from unnest(
      ${byteArray(openings.map(({ hidden }) => hidden.slice(2)))}::bytea[],
      ${openings.map(({ content }) => JSON.stringify(content))}::jsonb[],
      ${openings.map(({ markId }) => markId ?? null)}::uuid[],
      ${openings.map(({ userId }) => userId ?? null)}::uuid[]
    )`.execute(transaction);
}

async function insertKeys(transaction: Database, { vkey, signers }: LogKeys): Promise<void> {
  await sql`insert into log_keys (vkey, signers) values (${vkey}, ${byteArray(signers.map((signer) => signer.slice(2)))}::bytea[])`.execute(
    transaction,
  );
}
