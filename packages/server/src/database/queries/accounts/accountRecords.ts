// What the database has about a user and the user may read, for the export of the account.

import { artifactStatusCode, type User } from '@provenance-registry/core';
import { type RawBuilder, sql } from 'kysely';
import type { AccountRecords, ExportedArtifact, ExportedRow, IdempotencyKeyRow } from '../../../domain/ports/index.js';
import { selectEvents, toEvent } from '../events/events.js';
import { isWritableBy } from '../marks/marks.js';
import { Queries } from '../queries.js';

type Row = Readonly<Record<string, unknown>>;

const statuses = JSON.stringify(
  Object.fromEntries(Object.entries(artifactStatusCode).map(([name, number]) => [number, name])),
);

export class AccountRecordQueries extends Queries implements AccountRecords {
  private async list(query: RawBuilder<Row>) {
    return (await query.execute(this.database)).rows;
  }

  private async first(query: RawBuilder<Row>) {
    return (await query.execute(this.database)).rows[0];
  }

  async read({ id, email, emailVerified }: Pick<User, 'id' | 'email' | 'emailVerified'>) {
    const account = await this.first(sql`
      select created_at as "createdAt", issuer, subject, password_hash is not null as "hasPassword"
      from users where id = ${id}`);
    return {
      account: account ?? {},
      secondFactor:
        (await this.first(sql`
          select confirmed_at as "confirmedAt", failures, blocked_until as "blockedUntil",
            cardinality(recovery_code_hashes) as "recoveryCodesLeft"
          from second_factors where user_id = ${id}`)) ?? null,
      usage:
        (await this.first(sql`
          select organizations, marks, lifetime_artifacts::float8 as "lifetimeArtifacts",
            daily_artifacts as "dailyArtifacts", day::text
          from counters where owner_id = ${id}`)) ?? null,
      sessions: await this.list(sql`
        select id, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
          user_agent as "userAgent", ended_at as "endedAt"
        from sessions where user_id = ${id} order by created_at`),
      oneTimeLinks: await this.list(sql`
        select purpose, email, created_at as "createdAt", expires_at as "expiresAt"
        from one_time_tokens where user_id = ${id} order by created_at`),
      mails: await this.list(sql`
        select template, created_at as "createdAt", sent_at as "sentAt"
        from mails where recipient = ${email} and (${emailVerified} or template = 'verify-email')
        order by created_at`),
      organizations: await this.list(sql`
        select organization.id, organization.name, membership.role, membership.is_admin as "isAdmin",
          membership.joined_at as "joinedAt"
        from organization_members membership join organizations organization on organization.id = organization_id
        where user_id = ${id} order by joined_at, organization.id`),
      marks: await this.list(sql`
        select id, name, visibility, license, allow_ai_training as "allowAiTraining",
          ai_preferences as "aiPreferences", created_at as "createdAt",
          organization_id as "organizationId", owner_id is not distinct from ${id} as "isOwner",
          admin_id = ${id} as "isAdmin", membership.added_at as "memberSince"
        from marks left join mark_members membership on mark_id = id and user_id = ${id}
        where ${id} in (admin_id, owner_id) or user_id is not null order by created_at, id`),
      domains: await this.list(sql`
        select domain, mark_id as "markId", claimed_at as "claimedAt", claimed_by = ${id} as "isClaimedByYou",
          verified_at as "verifiedAt", ended_at as "endedAt", end_reason as "endReason"
        from mark_domains join marks mark on mark.id = mark_id
        where ${id} in (claimed_by, ended_by) and ${isWritableBy({ userId: id })}
        order by claimed_at, mark_domains.id`),
      apiKeys: await this.list(sql`
        select key.id, organization_id as "organizationId", key.name, prefix, last4, scope, key.created_at as "createdAt",
          expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
          last_used_address as "lastUsedAddress", last_used_agent as "lastUsedAgent"
        from api_keys key join organizations organization on organization.id = organization_id
        where owner_id = ${id} order by key.created_at, key.id`),
      webhooks: await this.list(sql`
        select id, organization_id as "organizationId", url, types, created_at as "createdAt", paused_at as "pausedAt"
        from webhooks where ${id} in (user_id, created_by) order by created_at, id`),
      invitations: await this.list(sql`
        select id, organization_id as "organizationId", mark_id as "markId", email, is_admin as "isAdmin",
          invited_by = ${id} as "isMadeByYou", created_at as "createdAt", expires_at as "expiresAt"
        from invitations where invited_by = ${id} or (email = ${email} and ${emailVerified})
        order by created_at, id`),
      mailedAddresses: await this.list(sql`
        select purpose, count(*)::int as count from mailed_addresses where user_id = ${id} group by purpose order by purpose`),
    };
  }

  async listIdempotencyKeys(userId: string, limit: number, after = '') {
    // No key is empty.
    const { rows } = await sql<IdempotencyKeyRow>`
      select key, created_at as "createdAt" from idempotency_keys
      where caller_id = ${userId} and key > ${after} order by key limit ${limit}`.execute(this.database);
    return rows;
  }

  async listEvents(userId: string, limit: number, before: string | undefined) {
    // Each half reads one index in order.
    const page = (column: 'event.actor_id' | 'event.user_id') => {
      const events = selectEvents(this.database)
        .select(mayReadEvent(userId).as('may_read'))
        .select(sql<boolean>`mark.visibility = 'public' or mark.id in (${writableMarks(userId)})`.as('may_see_mark'))
        .where(column, '=', userId)
        .where('event.is_listed', '=', true)
        .orderBy('event.id', 'desc')
        .limit(limit);
      return before === undefined ? events : events.where('event.id', '<', before);
    };
    const rows = [...(await page('event.actor_id').execute()), ...(await page('event.user_id').execute())];
    const events = new Map(rows.map((row) => [row.id, row]));
    const newest = [...events.values()].toSorted((a, b) => Number(BigInt(b.id) - BigInt(a.id))).slice(0, limit);
    return newest.map((row) => {
      const event = toEvent(row);
      const visible = row.may_see_mark ? event : { ...event, mark: null };
      // What the user did where it has no access any more: that it happened, not to whom or what.
      return row.may_read ? visible : { ...visible, user: null, key: null, data: null };
    });
  }

  async listArtifacts(userId: string, limit: number, after: string | undefined) {
    const start =
      after === undefined
        ? sql`true`
        : sql`(artifact.created_at, artifact.id) < (select created_at, id from artifacts where id = ${after})`;
    const { rows } = await sql<ExportedArtifact>`
      select artifact.id, rendition_of as "signedCopyOf", mark_id as "markId", artifact.created_at as "createdAt",
        '0x' || encode(fingerprint, 'hex') as fingerprint, ${statuses}::jsonb ->> status::text as status,
        error_reason as "errorReason", '0x' || encode(transaction_hash, 'hex') as "transactionHash",
        '0x' || encode(manifest_hash, 'hex') as "manifestHash",
        case when content_private then 'private' else 'public' end as "contentVisibility", metadata,
        artifact.ai_preferences as "aiPreferences",
        mark.id in (${writableMarks(userId)}) as "mayWrite", mark.visibility = 'public' as "isMarkPublic"
      from artifacts artifact join marks mark on mark.id = mark_id where created_by = ${userId} and ${start}
      order by artifact.created_at desc, artifact.id desc limit ${limit}`.execute(this.database);
    return rows;
  }

  async listClaims(userId: string, limit: number, after: string | undefined) {
    const start =
      after === undefined
        ? sql`true`
        : sql`(claim.created_at, claim.id) < (select created_at, id from claims where id = ${after})`;
    const { rows } = await sql<ExportedRow>`
      select claim.id, '0x' || encode(fingerprint, 'hex') as fingerprint, claim.mark_id as "markId", kind, statement,
        length(evidence) as "evidenceBytes", evidence_state as "evidenceState", evidence_time as "evidenceTime",
        evidence_details as "evidenceDetails", ended_as as "endedAs", claim.created_at as "createdAt"
      from claims claim join artifacts on artifacts.id = artifact_id where claimant_id = ${userId} and ${start}
      order by claim.created_at desc, claim.id desc limit ${limit}`.execute(this.database);
    return rows;
  }

  async listClaimEntries(userId: string, limit: number, after: string | undefined) {
    const start = after === undefined ? sql`true` : sql`id < ${after}`;
    const { rows } = await sql<ExportedRow>`
      select id, claim_id as "claimId", type, text, mark_id as "markId", at
      from claim_entries where author_id = ${userId} and ${start} order by id desc limit ${limit}`.execute(
      this.database,
    );
    return rows;
  }
}

function writableMarks(userId: string) {
  return sql`select mark.id from marks mark where ${isWritableBy({ userId })}`;
}

/** Whether the user sees it in the feed: about the user, an organization that it administers or a Mark that it may write under. */
function mayReadEvent(userId: string) {
  return sql<boolean>`(
    event.user_id = ${userId}
    or event.organization_id in (
      select organization_id from organization_members where user_id = ${userId} and is_admin
    )
    or event.mark_id in (${writableMarks(userId)})
  ) is true`;
}
