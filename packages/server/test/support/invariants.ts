// Database invariants that hold whenever no request is in progress.

import { query } from '../../../../test/support/postgres.js';

/** Every row that breaks an invariant, with the name of the invariant. */
export function findViolations(databaseUrl: string): Promise<{ rule: string; id: string }[]> {
  return query(
    databaseUrl,
    `
    select 'units in use are the members' as rule, organization.id from organizations organization
      where member_count <> (select count(*) from organization_members where organization_id = organization.id)
    union all
    select 'never more units in use than there are', id from organizations where member_count > 1 + purchased_units
    union all
    select 'one owner, who is a member', organization.id from organizations organization
      where (select array_agg(user_id) from organization_members where organization_id = organization.id and role = 'owner')
        is distinct from array[owner_id]
    union all
    select 'a frozen organization has its owner alone, and no units', organization.id from organizations organization
      where status = 'frozen' and (purchased_units <> 0
        or (select count(*) from organization_members where organization_id = organization.id) <> 1)
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
      where not exists (select 1 from counters where owner_id = owners.id)`,
  );
}
