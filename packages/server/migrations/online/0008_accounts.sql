-- step: add tables and columns
-- original without: update users | update marks | create index artifacts_by_creator

-- step: trust the addresses that the provider has verified
update users set email_verified = true where issuer is not null and email is not null;

-- step: give the Marks of former members to the owner
update marks set admin_id = organization.owner_id
from organizations organization
where organization.id = marks.organization_id
  and not exists (
    select 1 from organization_members
    where organization_id = organization.id and user_id = marks.admin_id
  );

-- step: index the Artifacts of each user
create index concurrently artifacts_by_creator on artifacts (created_by, created_at desc, id desc);
