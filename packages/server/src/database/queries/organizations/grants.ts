// Ends API keys, webhooks and invitations whose maker has lost the right to make them. What each of them rests on stands here
// once, whichever change takes it away.

import { type RawBuilder, sql } from 'kysely';
import type { GrantScope, Grants } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';
import { appendInvitationEvents, isOpen } from './invitations.js';

export class GrantQueries extends Queries implements Grants {
  async endUnfounded(scope: GrantScope, actorId: string | undefined) {
    if (!('markId' in scope)) {
      // First: what a revoked key has made ends with it.
      await this.revokeKeys(scope, actorId);
      await this.deleteWebhooks(scope, actorId);
    }
    await sql`
      with deleted as (
        delete from invitations invitation
        where ${invitationsOf(scope)} and ${isOpen} and not ${isInvitationFounded} returning *
      ) ${appendInvitationEvents('invitation.withdrawn', actorId)}`.execute(this.database);
  }

  private async revokeKeys(scope: OwnerScope, actorId: string | undefined) {
    await sql`
      with revoked as (
        update api_keys key set revoked_at = now()
        where ${keysOf(scope)} and revoked_at is null and not ${isKeyFounded} returning id, organization_id
      ), deleted_networks as (
        delete from api_key_networks using revoked where key_id = revoked.id
      ), counted as (
        update counters set api_keys = api_keys - number
        from (select organization_id, count(*)::integer as number from revoked group by 1) of_organization
        where owner_id = organization_id
      )
      insert into events (type, actor_id, organization_id, key_id)
      select 'key.revoked', ${actorId ?? null}::uuid, organization_id, id from revoked`.execute(this.database);
  }

  private async deleteWebhooks(scope: OwnerScope, actorId: string | undefined) {
    await sql`
      with deleted as (
        delete from webhooks webhook where ${webhooksOf(scope)} and not ${isWebhookFounded} returning *
      )
      insert into events (type, actor_id, organization_id, user_id, data)
      select 'webhook.deleted', ${actorId ?? null}::uuid, organization_id, user_id, jsonb_build_object('webhookId', id)
      from deleted`.execute(this.database);
  }
}

type OwnerScope = Exclude<GrantScope, { readonly markId: string }>;

/** The owner of the organization has made it. */
const isKeyFounded = sql`exists (
  select 1 from organizations organization join users owner on owner.id = owner_id
  where organization.id = key.organization_id and owner_id = key.created_by and owner.closed_at is null
)`;

/** An admin member of an active organization has made it; or the user whose events it sends, whose account is open. */
const isWebhookFounded = sql`(${isKeyActive(sql`webhook.key_id`)} and exists (
  select 1 from organization_members member
  join organizations organization on organization.id = member.organization_id join users owner on owner.id = owner_id
  where organization.id = webhook.organization_id and status = 'active' and owner.closed_at is null
    and member.user_id = webhook.created_by and is_admin
  union all
  select 1 from users where users.id = webhook.user_id and closed_at is null
))`;

/** The owner of an active organization has made it, or the admin of a Mark that is not closed. */
const isInvitationFounded = sql`(${isKeyActive(sql`invitation.key_id`)} and exists (
  select 1 from organizations organization join users owner on owner.id = owner_id
  where organization.id = invitation.organization_id and status = 'active' and owner.closed_at is null
    and owner_id = invitation.invited_by
  union all
  select 1 from marks mark left join organizations organization on organization.id = mark.organization_id
  join users owner on owner.id = coalesce(mark.owner_id, organization.owner_id)
  where mark.id = invitation.mark_id and status is distinct from 'frozen' and owner.closed_at is null
    and mark.admin_id = invitation.invited_by
))`;

/** True also for what a user has made without an API key. */
function isKeyActive(keyId: RawBuilder<unknown>) {
  return sql`not exists (select 1 from api_keys where api_keys.id = ${keyId} and revoked_at is not null)`;
}

function keysOf(scope: OwnerScope) {
  return 'organizationId' in scope
    ? sql`key.organization_id = ${scope.organizationId}`
    : sql`key.organization_id in (${organizationsOf(scope)})`;
}

function webhooksOf(scope: OwnerScope) {
  return 'organizationId' in scope
    ? sql`webhook.organization_id = ${scope.organizationId}`
    : sql`(webhook.created_by = ${scope.userId} or webhook.organization_id in (${organizationsOf(scope)}))`;
}

function invitationsOf(scope: GrantScope) {
  if ('markId' in scope) return sql`invitation.mark_id = ${scope.markId}`;
  if ('organizationId' in scope) {
    const { organizationId } = scope;
    return sql`(
      invitation.organization_id = ${organizationId}
      or invitation.mark_id in (select id from marks where organization_id = ${organizationId})
    )`;
  }
  return sql`(
    invitation.invited_by = ${scope.userId} or invitation.organization_id in (${organizationsOf(scope)})
    or invitation.mark_id in (
      select id from marks where owner_id = ${scope.userId} or organization_id in (${organizationsOf(scope)})
    )
  )`;
}

function organizationsOf({ userId }: { readonly userId: string }) {
  return sql`select id from organizations where owner_id = ${userId}`;
}
