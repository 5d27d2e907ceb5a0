// Database invariants that hold whenever no request is in progress.

import { query } from '../../../../test/support/postgres.js';

/** Every row that breaks an invariant, with the name of the invariant. */
export function findViolations(databaseUrl: string): Promise<{ rule: string; id: string }[]> {
  return query(
    databaseUrl,
    `
    select 'counted members are the members' as rule, organization.id from organizations organization
      where member_count <> (select count(*) from organization_members where organization_id = organization.id)
    union all
    select 'members and open invitations use no more units than there are', organization.id from organizations organization
      where 1 + purchased_units < member_count
        + (select count(*) from invitations where organization_id = organization.id and expires_at > now())
    union all
    select 'one owner, who is a member', organization.id from organizations organization
      where (select array_agg(user_id) from organization_members where organization_id = organization.id and role = 'owner')
        is distinct from array[owner_id]
    union all
    select 'a frozen organization has its owner alone, no units and no invitations', organization.id
      from organizations organization
      where status = 'frozen' and (purchased_units <> 0
        or (select count(*) from organization_members where organization_id = organization.id) <> 1
        or exists (
          select 1 from invitations left join marks on marks.id = mark_id
          where organization.id in (invitations.organization_id, marks.organization_id)
        ))
    union all
    select 'the admin of an organization''s Mark is its member', mark.id from marks mark
      where organization_id is not null and not exists (
        select 1 from organization_members member
        where member.organization_id = mark.organization_id and member.user_id = mark.admin_id
      )
    union all
    select 'the admin of a personal Mark is its owner or a member', mark.id from marks mark
      where owner_id <> admin_id
        and not exists (select 1 from mark_members where mark_id = mark.id and user_id = mark.admin_id)
    union all
    select 'invitations are by the owner of the organization or the admin of the Mark', invitation.id
      from invitations invitation where not exists (
        select 1 from organizations where id = organization_id and owner_id = invited_by
        union all select 1 from marks where id = mark_id and admin_id = invited_by
      )
    union all
    select 'webhooks of an organization are by its admin members, while it is active', webhook.id
      from webhooks webhook where organization_id is not null and not exists (
        select 1 from organization_members member join organizations organization on organization.id = member.organization_id
        where organization.id = webhook.organization_id and status = 'active' and user_id = created_by and is_admin
      )
    union all
    select 'active API keys are by the owner of the organization', key.id
      from api_keys key join organizations organization on organization.id = organization_id
      where revoked_at is null and created_by <> owner_id
    union all
    select 'what a revoked API key has made ended with it', made.id
      from (select id, key_id from invitations union all select id, key_id from webhooks) made
      join api_keys key on key.id = key_id
      where revoked_at is not null
    union all
    select 'a closed account has no name, address, password or second factor', id from users
      where closed_at is not null and (name <> 'Closed account' or num_nonnulls(email, password_hash, issuer, subject) > 0
        or exists (select 1 from second_factors where user_id = users.id))
    union all
    select 'a closed account has no session', user_id from sessions join users on users.id = user_id
      where closed_at is not null and ended_at is null
    union all
    select 'a closed account has no key', organization_id
      from api_keys join organizations on organizations.id = organization_id join users on users.id = owner_id
      where closed_at is not null and revoked_at is null
    union all
    select 'a closed account is a member of nothing that others own', user_id from users join (
        select user_id from organization_members where role = 'member'
        union all select user_id from mark_members
        union all select invited_by from invitations
        union all select admin_id from marks where owner_id <> admin_id
      ) membership on user_id = users.id
      where closed_at is not null
    union all
    select 'no organization of an enterprise owner is frozen', organization.id
      from organizations organization join users owner on owner.id = owner_id
      where status = 'frozen' and owner.tier = 'enterprise'
    union all
    select 'never more than five active keys', organization_id from api_keys
      where revoked_at is null group by organization_id having count(*) > 5
    union all
    select 'counted keys are the active ones', owner_id from counters
      where api_keys <> (select count(*) from api_keys where organization_id = owner_id and revoked_at is null)
    union all
    select 'counted Marks are those owned', counters.owner_id from counters
      where marks <> (select count(*) from marks where marks.owner_id = counters.owner_id or organization_id = counters.owner_id)
    union all
    select 'counted organizations are those owned', counters.owner_id from counters
      where organizations <> (select count(*) from organizations where organizations.owner_id = counters.owner_id)
    union all
    select 'every owner has counters', id from (select id from users union all select id from organizations) owners
      where not exists (select 1 from counters where owner_id = owners.id)
    union all
    select 'every Mark has its Artifacts counted, and a skeleton of its name', id from marks
      where name_skeleton is null or not exists (
        select 1 from mark_counters where mark_id = marks.id and artifacts = (
          select count(*) from artifacts
          where artifacts.mark_id = marks.id and error_reason is null and rendition_of is null
        )
      )`,
  );
}
