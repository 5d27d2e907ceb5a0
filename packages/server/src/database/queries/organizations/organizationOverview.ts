// The counts in the overview of an organization. One statement, so that they belong to one moment.

import { artifactStatusCode, MAX_OVERVIEW_MARKS, type MemberCounts, OVERVIEW_DAYS } from '@provenance-registry/core';
import { sql } from 'kysely';
import type { OrganizationCounts } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';

interface OverviewRow extends Omit<OrganizationCounts, 'byMember'>, MemberCounts {}

export async function countOrganization(database: Database, id: string, now: Date): Promise<OrganizationCounts> {
  const { rows } = await sql<OverviewRow>`
    with today as (
      select (${now}::timestamptz at time zone 'utc')::date as date
    ), own_marks as materialized (
      select id, name, created_at from marks where organization_id = ${id}
    ),
    -- Days before those of the overview are counted as one.
    registered as materialized (
      select mark_id, created_by,
        greatest((created_at at time zone 'utc')::date, (select date from today) - ${OVERVIEW_DAYS}::integer) as day,
        count(*)::integer as artifacts, max(created_at) as last_at
      from artifacts
      where mark_id in (select id from own_marks) and rendition_of is null and error_reason is null
      group by 1, 2, 3
    ), creators as (
      select created_by as user_id, sum(artifacts)::integer as artifacts, max(last_at) as last_at
      from registered group by 1
    ), actors as (
      select actor_id as user_id, max(at) as last_at from events
      where organization_id = ${id} and actor_id is not null group by 1
    ), days as (
      select day::date from today, generate_series(date - ${OVERVIEW_DAYS - 1}::integer, date, interval '1 day') day
    ), others as (
      select creators.artifacts, exists (
        select 1 from mark_members
        where mark_members.user_id = creators.user_id and mark_members.mark_id in (select id from own_marks)
      ) as has_mark
      from creators
      where not exists (
        select 1 from organization_members
        where organization_id = ${id} and organization_members.user_id = creators.user_id
      )
    )
    select
      coalesce((select sum(artifacts) from registered), 0)::integer as total,
      (
        select count(*)::integer from outbox join artifacts on artifacts.id = outbox.artifact_id
        where status in (${artifactStatusCode.pending}, ${artifactStatusCode.submitting})
          and rendition_of is null and mark_id in (select id from own_marks)
      ) as "inProgress",
      (
        select count(*)::integer from artifacts
        where mark_id in (select id from own_marks) and rendition_of is null and error_reason is not null
      ) as failed,
      (select count(*)::integer from own_marks) as marks,
      (
        select count(*)::integer from claims
        where contested_mark_id in (select id from own_marks) and ended_as is null
      ) as "openClaims",
      (
        select json_agg(json_build_object('date', day, 'artifacts', artifacts) order by day)
        from (
          select day, coalesce(sum(registered.artifacts), 0) as artifacts
          from days left join registered using (day) group by 1
        ) by_day
      ) as days,
      coalesce((
        select json_agg(
          json_build_object('id', id, 'name', name, 'artifacts', artifacts, 'lastRegisteredAt', ${isoTime(sql`last_at`)})
          order by artifacts desc, created_at, id
        )
        from (
          select id, name, own_marks.created_at, coalesce(sum(registered.artifacts), 0) as artifacts, max(last_at) as last_at
          from own_marks left join registered on registered.mark_id = own_marks.id
          group by 1, 2, 3 order by 4 desc, 3, 1 limit ${MAX_OVERVIEW_MARKS}
        ) by_mark
      ), '[]') as "byMark",
      coalesce((
        select json_agg(
          json_build_object(
            'id', person.id, 'name', person.name, 'artifacts', coalesce(creators.artifacts, 0),
            'lastActiveAt', ${isoTime(sql`greatest(creators.last_at, actors.last_at)`)}
          ) order by membership.role = 'owner' desc, membership.joined_at, person.id
        )
        from organization_members membership
        join users person on person.id = membership.user_id
        left join creators on creators.user_id = person.id
        left join actors on actors.user_id = person.id
        where membership.organization_id = ${id}
      ), '[]') as members,
      (${countOthers(sql`has_mark`)}) as "markMembers",
      (${countOthers(sql`not has_mark`)}) as "formerMembers"`.execute(database);
  const [row] = rows;
  if (!row) throw new Error('a statement without conditions returned no row');
  const { members, markMembers, formerMembers, ...counts } = row;
  return { ...counts, byMember: { members, markMembers, formerMembers } };
}

const countOthers = (condition: ReturnType<typeof sql>) => sql`
  select json_build_object('users', count(*), 'artifacts', coalesce(sum(artifacts), 0)) from others where ${condition}`;

/** Formats a time as JavaScript does. */
const isoTime = (time: ReturnType<typeof sql>) => sql`
  to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
