-- Who made a grant: it ends when its maker loses the right to make it.

alter table api_keys add column created_by uuid references users;   -- the owner of the organization then
alter table invitations add column key_id uuid references api_keys; -- the API key that made it; null: the user did
alter table webhooks add column key_id uuid references api_keys;    -- the same, of who set the URL; created_by is that user
create index invitations_by_inviter on invitations (invited_by);
create index webhooks_by_creator on webhooks (created_by);

-- A key was made by the owner before the first transfer that came after it.
update api_keys set created_by = coalesce(
  (
    select actor_id from events
    where events.organization_id = api_keys.organization_id and type = 'organization.transferred' and is_listed
      and at >= api_keys.created_at
    order by id limit 1
  ),
  (select owner_id from organizations where id = organization_id)
);
alter table api_keys alter column created_by set not null;

-- Grants that have outlived the right that they rest on end now.
with revoked as (
  update api_keys set revoked_at = now() from organizations organization
  where organization.id = organization_id and owner_id <> created_by and revoked_at is null
  returning api_keys.id, organization_id
), deleted_networks as (
  delete from api_key_networks using revoked where key_id = revoked.id
), counted as (
  update counters set api_keys = api_keys - number
  from (select organization_id, count(*)::integer as number from revoked group by 1) of_organization
  where counters.owner_id = organization_id
)
insert into events (type, organization_id, key_id) select 'key.revoked', organization_id, id from revoked;

with deleted as (
  delete from webhooks where organization_id is not null and not exists (
    select 1 from organization_members member join organizations organization on organization.id = member.organization_id
    where organization.id = webhooks.organization_id and status = 'active' and user_id = created_by and is_admin
  ) returning id, organization_id
)
insert into events (type, organization_id, data)
select 'webhook.deleted', organization_id, jsonb_build_object('webhookId', id) from deleted;

with deleted as (
  delete from invitations where not exists (
    select 1 from organizations where id = organization_id and owner_id = invited_by
    union all
    select 1 from marks where id = mark_id and admin_id = invited_by
  ) returning *
)
insert into events (type, organization_id, mark_id, data)
select 'invitation.withdrawn', coalesce(deleted.organization_id, mark.organization_id), deleted.mark_id,
  jsonb_build_object('invitationId', deleted.id)
from deleted left join marks mark on mark.id = deleted.mark_id;
