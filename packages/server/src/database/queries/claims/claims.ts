// Queries about claims and their entries.

import type { Person } from '@provenance-registry/core';
import { type InferResult, type SqlBool, sql } from 'kysely';
import type {
  CheckedEvidence,
  ClaimCounts,
  ClaimMark,
  Claims,
  ClaimToRecheck,
  NewClaim,
  NewClaimEntry,
  StoredClaim,
  StoredClaimEntry,
} from '../../../domain/ports/index.js';
import { hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';

export class ClaimQueries extends Queries implements Claims {
  async find(id: string) {
    const row = await selectClaims(this.database).where('claim.id', '=', id).executeTakeFirst();
    return row && toClaim(row);
  }

  async insert({ evidence, evidenceBytes, ...claim }: NewClaim) {
    await this.database
      .insertInto('claims')
      .values({
        id: claim.id,
        artifact_id: claim.artifactId,
        contested_mark_id: claim.contestedMarkId,
        claimant_id: claim.claimantId,
        mark_id: claim.markId ?? null,
        kind: claim.kind,
        statement: claim.statement,
        evidence: evidenceBytes,
        evidence_state: evidence.state,
        evidence_time: evidence.time,
        evidence_details: JSON.stringify(evidence.facts),
      })
      .execute();
  }

  async lock(id: string) {
    // In a statement of its own, so that the next one sees what concurrent transactions have committed.
    await this.database.selectFrom('claims').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    return this.find(id);
  }

  async countOf(claimantId: string, artifactId: string) {
    const { rows } = await sql<ClaimCounts>`
      select
        coalesce(bool_or(ended_as is null and artifact_id = ${artifactId}), false) as "hasOpenClaim",
        (count(*) filter (where ended_as is null and evidence_state <> 'checked'))::integer as "openUnchecked",
        (count(*) filter (where created_at > now() - interval '24 hours'))::integer as recent
      from claims where claimant_id = ${claimantId}`.execute(this.database);
    return rows[0] ?? { hasOpenClaim: false, openUnchecked: 0, recent: 0 };
  }

  async listOfArtifact(artifactId: string, limit: number) {
    const rows = await selectClaims(this.database)
      .where('claim.artifact_id', '=', artifactId)
      .orderBy(sql`claim.ended_as is not distinct from 'withdrawn'`)
      .orderBy(sql`claim.evidence_state <> 'checked'`)
      .orderBy('claim.created_at')
      .orderBy('claim.id')
      .limit(limit)
      .execute();
    return rows.map(toClaim);
  }

  async list(
    of: { readonly claimantId: string } | { readonly contestedMarkAdminId: string },
    { limit, after }: { readonly limit: number; readonly after: string | undefined },
  ) {
    const claims = selectClaims(this.database).where(
      'claimantId' in of
        ? sql<SqlBool>`claim.claimant_id = ${of.claimantId}`
        : sql<SqlBool>`claim.contested_mark_id in (select id from marks where admin_id = ${of.contestedMarkAdminId})`,
    );
    if (after !== undefined && !(await claims.where('claim.id', '=', after).executeTakeFirst())) return undefined;
    const page =
      after === undefined
        ? claims
        : claims.where(
            sql<SqlBool>`(claim.created_at, claim.id) < (select created_at, id from claims where id = ${after})`,
          );
    const rows = await page.orderBy('claim.created_at', 'desc').orderBy('claim.id', 'desc').limit(limit).execute();
    return rows.map(toClaim);
  }

  async readEvidence(id: string) {
    const row = await this.database.selectFrom('claims').select('evidence').where('id', '=', id).executeTakeFirst();
    return row?.evidence ?? undefined;
  }

  async appendEntry({ claimId, type, authorId, text, markId }: NewClaimEntry) {
    await this.database
      .insertInto('claim_entries')
      .values({
        claim_id: claimId,
        type,
        author_id: authorId ?? null,
        text: text ?? null,
        mark_id: markId ?? null,
        // Not the start of the transaction: entries of one claim are in the order of their locks.
        at: sql<Date>`clock_timestamp()`,
      })
      .execute();
  }

  async end(id: string, as: 'withdrawn' | 'superseded') {
    await this.database.updateTable('claims').set({ ended_as: as }).where('id', '=', id).execute();
  }

  async listForRecheck(trustId: string, limit: number, after: string | undefined) {
    const { rows } = await sql<RecheckRow>`
      select claims.id, claims.kind, claims.evidence as bytes, evidence_state as state, fingerprint,
        artifacts.created_at as "registeredAt"
      from claims join artifacts on artifacts.id = artifact_id
      where evidence is not null and evidence_details ->> 'trustId' is distinct from ${trustId}
        and (${after ?? null}::uuid is null or claims.id > ${after ?? null}::uuid)
      order by claims.id limit ${limit}`.execute(this.database);
    return rows.map(({ id, kind, bytes, fingerprint, state, registeredAt }) => ({
      id,
      state,
      registeredAt,
      evidence: { kind, bytes, fingerprint: hex(fingerprint) },
    }));
  }

  async setEvidence(id: string, { state, time, facts }: CheckedEvidence) {
    await this.database
      .updateTable('claims')
      .set({ evidence_state: state, evidence_time: time, evidence_details: JSON.stringify(facts) })
      .where('id', '=', id)
      .execute();
  }
}

interface RecheckRow extends Omit<ClaimToRecheck, 'evidence'> {
  readonly kind: 'timestamp' | 'manifest';
  readonly bytes: Uint8Array;
  readonly fingerprint: Uint8Array;
}

function selectClaims(database: Database) {
  return database
    .selectFrom('claims as claim')
    .innerJoin('artifacts as artifact', 'artifact.id', 'claim.artifact_id')
    .innerJoin('marks as contested', 'contested.id', 'claim.contested_mark_id')
    .innerJoin('users as claimant', 'claimant.id', 'claim.claimant_id')
    .select(['claim.id', 'artifact.fingerprint', 'claim.kind', 'claim.statement', 'claim.created_at as createdAt'])
    .select(['claim.evidence_state', 'claim.evidence_time', 'claim.evidence_details', 'claim.ended_as as endedAs'])
    .select(['contested.id as contested_id', 'contested.name as contested_name', 'contested.visibility'])
    .select(['contested.admin_id', 'contested.organization_id'])
    .select(['claimant.id as claimant_id', 'claimant.name as claimant_name'])
    .select(sql<boolean>`claim.evidence is not null`.as('hasEvidenceBytes'))
    .select([claimMark.as('mark'), entriesOfClaim.as('entries')]);
}

/** Condition on a table `marks`: a Mark that a claim names was public when it did. */
export const visibleMarkName = sql<string>`case when marks.visibility = 'public' then marks.name else 'Private Mark' end`;

const markColumns = sql`json_build_object('id', marks.id, 'name', ${visibleMarkName}, 'isPublic', marks.visibility = 'public')`;

const claimMark = sql<ClaimMark | null>`(select ${markColumns} from marks where marks.id = claim.mark_id)`;

/** A row as JSON, in which times are texts with microseconds and an offset. */
type EntryRow = Omit<StoredClaimEntry, 'at' | 'author'> & { readonly at: string; readonly author: Person | null };

const entriesOfClaim = sql<EntryRow[] | null>`(
  select json_agg(json_build_object(
    'type', type, 'text', text, 'at', at,
    'author', case when author.id is not null then json_build_object('id', author.id, 'name', author.name) end,
    'mark', case when marks.id is not null then ${markColumns} end
  ) order by entry.id)
  from claim_entries entry
    left join users author on author.id = entry.author_id
    left join marks on marks.id = entry.mark_id
  where entry.claim_id = claim.id
)`;

function toClaim(row: InferResult<ReturnType<typeof selectClaims>>[number]): StoredClaim {
  const { id, kind, statement, mark, endedAs, createdAt, hasEvidenceBytes } = row;
  return {
    id,
    kind,
    statement,
    mark,
    endedAs,
    createdAt,
    hasEvidenceBytes,
    fingerprint: hex(row.fingerprint),
    contestedMark: {
      id: row.contested_id,
      name: row.contested_name,
      isPublic: row.visibility === 'public',
      adminId: row.admin_id,
      organizationId: row.organization_id,
    },
    claimant: { id: row.claimant_id, name: row.claimant_name },
    evidence: { state: row.evidence_state, time: row.evidence_time, facts: row.evidence_details },
    entries: (row.entries ?? []).map((entry) => ({ ...entry, at: new Date(entry.at) })),
  };
}
