// Queries about open invitations. Expiry is judged by the clock at the statement, not at the start of the transaction: a
// transaction that waited for the organization's lock must not accept an invitation whose unit is free by then.

import type { EventType } from '@provenance-registry/core';
import { type InferResult, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Invitations, InvitationTarget, NewInvitationRow, OpenInvitation } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';

/** So many expired ones are deleted in one statement: seconds of work at most. */
const EXPIRED_BATCH_SIZE = 1_000;

export const isOpen = sql<SqlBool>`invitation.expires_at > clock_timestamp()`;

export class InvitationQueries extends Queries implements Invitations {
  async insert({
    id,
    target,
    tokenHash,
    email,
    requiresEmail,
    isAdmin,
    invitedBy,
    keyId,
    expiresAt,
  }: NewInvitationRow) {
    await this.database
      .insertInto('invitations')
      .values({
        id,
        organization_id: 'organizationId' in target ? target.organizationId : null,
        mark_id: 'markId' in target ? target.markId : null,
        token_hash: tokenHash,
        email,
        requires_email: requiresEmail,
        is_admin: isAdmin,
        invited_by: invitedBy,
        key_id: keyId ?? null,
        expires_at: expiresAt,
      })
      .execute();
  }

  async find(tokenHash: Uint8Array) {
    const row = await selectOpen(this.database).where('invitation.token_hash', '=', tokenHash).executeTakeFirst();
    return row && toOpenInvitation(row);
  }

  async listOf(target: InvitationTarget) {
    const rows = await selectOpen(this.database).where(isTo(target)).execute();
    return rows.map(toOpenInvitation);
  }

  async listFor(email: string) {
    const rows = await selectOpen(this.database).where('invitation.email', '=', email).execute();
    return rows.map(toOpenInvitation);
  }

  async countOf(target: InvitationTarget) {
    const { count } = await this.database
      .selectFrom('invitations as invitation')
      .select((build) => build.fn.countAll<string>().as('count'))
      .where(isTo(target))
      .where(isOpen)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async delete(id: string) {
    const { numDeletedRows } = await this.database
      .deleteFrom('invitations as invitation')
      .where('id', '=', id)
      .where(isOpen)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async withdraw(id: string, target: InvitationTarget, actorId: string) {
    const { numAffectedRows } = await sql`
      with deleted as (
        delete from invitations invitation where id = ${id} and ${isTo(target)} and ${isOpen} returning *
      ) ${appendInvitationEvents('invitation.withdrawn', actorId)}`.execute(this.database);
    return numAffectedRows === 1n;
  }

  async deleteExpired() {
    await sql`
      with deleted as (
        delete from invitations where id in (
          select id from invitations invitation where not ${isOpen} limit ${EXPIRED_BATCH_SIZE} for update skip locked
        ) returning *
      ) ${appendInvitationEvents('invitation.expired', undefined)}`.execute(this.database);
  }
}

function isTo(target: InvitationTarget): RawBuilder<SqlBool> {
  return 'organizationId' in target
    ? sql<SqlBool>`invitation.organization_id = ${target.organizationId}`
    : sql<SqlBool>`invitation.mark_id = ${target.markId}`;
}

/** One for each invitation in `deleted`; those to an organization's Marks are events of the organization too. */
export function appendInvitationEvents(type: EventType, actorId: string | undefined) {
  return sql`
    insert into events (type, actor_id, organization_id, mark_id, data)
    select ${type}, ${actorId ?? null}::uuid, coalesce(deleted.organization_id, mark.organization_id), deleted.mark_id,
      jsonb_build_object('invitationId', deleted.id)
    from deleted left join marks mark on mark.id = deleted.mark_id`;
}

function selectOpen(database: Database) {
  return database
    .selectFrom('invitations as invitation')
    .innerJoin('users as inviter', 'inviter.id', 'invitation.invited_by')
    .leftJoin('organizations as organization', 'organization.id', 'invitation.organization_id')
    .leftJoin('marks as mark', 'mark.id', 'invitation.mark_id')
    .select(['invitation.id', 'invitation.email', 'invitation.requires_email', 'invitation.is_admin'])
    .select(['invitation.expires_at', 'inviter.id as inviter_id', 'inviter.name as inviter_name'])
    .select(['organization.id as organization_id', 'organization.name as organization_name'])
    .select(['mark.id as mark_id', 'mark.name as mark_name', 'mark.organization_id as mark_organization_id'])
    .where(isOpen)
    .orderBy('invitation.created_at')
    .orderBy('invitation.id');
}

function toOpenInvitation(row: InferResult<ReturnType<typeof selectOpen>>[number]): OpenInvitation {
  return {
    id: row.id,
    email: row.email,
    requiresEmail: row.requires_email,
    isAdmin: row.is_admin,
    expiresAt: row.expires_at,
    organization: toReference(row.organization_id, row.organization_name),
    mark: toReference(row.mark_id, row.mark_name),
    invitedBy: { id: row.inviter_id, name: row.inviter_name },
    eventOrganizationId: row.organization_id ?? row.mark_organization_id,
  };
}

function toReference(id: string | null, name: string | null) {
  return id === null || name === null ? null : { id, name };
}
