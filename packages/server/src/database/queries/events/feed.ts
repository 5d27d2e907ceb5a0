// Queries about the feed of events: positions, and what each reader may see.

import type { EventType, FeedEvent } from '@provenance-registry/core';
import { sql } from 'kysely';
import type { Feed, FeedBacklog, FeedProgress, FeedReader } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';
import { retryConflicts } from '../../retries.js';
import { isWritableBy } from '../marks/marks.js';
import { Queries } from '../queries.js';
import { selectEvents, toEvent } from './events.js';
import { markWebhooksDue } from './webhookQueue.js';

/** Positions that a reader of few types passes in one query. */
const MAX_PASSED = 20_000n;

export class FeedQueries extends Queries implements Feed {
  async read(
    reader: FeedReader,
    {
      after,
      limit,
      types,
    }: { readonly after: string; readonly limit: number; readonly types?: readonly EventType[] | null },
  ) {
    // The end is read first: every event up to it is visible to the later query.
    const { end, organizationIds, markIds, memberOf } = await readScope(this.database, reader);
    const last = types ? min(BigInt(after) + MAX_PASSED, BigInt(end)) : BigInt(end);
    const inRange = sql`position > ${after}::bigint and position <= ${String(last)}::bigint
      and (${types ?? null}::text[] is null or type = any(${types ?? null}::text[]))
      order by position limit ${limit}`;
    const userId = 'userId' in reader ? reader.userId : null;
    // Each part reads an index in order, and no more than the page holds for each organization and Mark.
    const positions = sql<string>`(
      select position from (
        select position from unnest(${organizationIds}::uuid[]) as organization (id) cross join lateral (
          select position from events where organization_id = organization.id and ${inRange}
        ) of_organization
        union
        select position from unnest(${markIds}::uuid[]) as mark (id) cross join lateral (
          select position from events where mark_id = mark.id and ${inRange}
        ) of_mark
        union
        (select position from events where user_id = ${userId}::uuid and ${inRange})
      ) found order by position limit ${limit}
    )`;
    const rows = await selectEvents(this.database)
      .leftJoin('organizations as organization', 'organization.id', 'event.organization_id')
      .select(['event.position', 'event.organization_id', 'organization.name as organization_name'])
      .select(sql<boolean>`mark.visibility = 'public' or mark.id = any(${markIds}::uuid[])`.as('may_see_mark'))
      .where('event.position', 'in', positions)
      .orderBy('event.position')
      .execute();
    const events = rows.map((row): FeedEvent => {
      const { organization_id: id, organization_name: name, may_see_mark: maySeeMark } = row;
      const event = toEvent(row);
      return {
        position: row.position ?? after,
        ...event,
        // The event that ends access is shown without the private Mark, whose name may have changed since.
        mark: maySeeMark ? event.mark : null,
        organization: id === null || name === null ? null : { id, name },
      };
    });
    const next = events.length < limit ? String(last) : (events.at(-1)?.position ?? after);
    // Read last: whatever the query above did not find any more is before it.
    const start = await this.readStart();
    // A position beyond the end, from another database, stays as it is.
    return {
      events,
      next: BigInt(next) < BigInt(after) ? after : next,
      end,
      start,
      concernedIds: [...Object.values(reader), ...memberOf, ...markIds],
    };
  }

  async readEnd() {
    const { last_position: end } = await this.database
      .selectFrom('event_feed')
      .select('last_position')
      .executeTakeFirstOrThrow();
    return end;
  }

  async readStart() {
    const { last_position: start } = await this.database
      .selectFrom('event_retention')
      .select('last_position')
      .executeTakeFirstOrThrow();
    return start;
  }

  async deleteOld(months: number, limit: number) {
    const cutoff = sql`now() - ${months} * interval '1 month'`;
    const { rows } = await sql<{ count: number }>`
      with retention as materialized (
        select last_id from event_retention
        where (select at from events where id > last_id order by id limit 1) <= ${cutoff}
        for update skip locked
      ), batch as materialized (
        -- So that the index is read in order, and no further.
        select batch.* from retention cross join lateral (
          select id, at, position, is_listed from events where id > last_id order by id limit ${limit}
        ) batch
      ), old as materialized (
        select * from batch where id < coalesce(
          (select min(id) from batch where position is null or at > ${cutoff}), 9223372036854775807
        )
      ), deleted as (
        delete from events where id = any(array(select id from old where not is_listed)) returning position
      ), moved as (
        update event_retention set last_id = (select max(id) from old),
          last_position = greatest(last_position, (select max(position) from deleted))
        where exists (select 1 from old)
      )
      select count(*)::integer as count from deleted`.execute(this.database);
    return rows[0]?.count ?? 0;
  }

  async readProgress(after: string) {
    const { rows } = await sql<FeedProgress>`
      select last_position as end, array(
        select distinct concerned.id
        from events cross join lateral (values (organization_id), (mark_id), (user_id), (actor_id)) as concerned (id)
        where position > ${after}::bigint and position <= last_position and concerned.id is not null
      ) as "concernedIds"
      from event_feed`.execute(this.database);
    return requireRow(rows);
  }

  async readBacklog() {
    const { rows } = await sql<FeedBacklog>`
      select last_position::double precision as end,
        (select count(*) from events where position is null)::integer as waiting
      from event_feed`.execute(this.database);
    return requireRow(rows);
  }

  async order(limit: number) {
    // Most of the time there is none, and a lock is written to disk.
    const { rows: waiting } = await sql`select 1 from events where position is null limit 1`.execute(this.database);
    if (waiting.length === 0) return 0;
    return retryConflicts(() =>
      this.database.transaction().execute(async (transaction) => {
        // In a statement of its own: the next one sees what the process before committed.
        const { rows } = await sql<{ last: string }>`
        select last_position as last from event_feed for update skip locked`.execute(transaction);
        const last = rows[0]?.last;
        return last === undefined ? 0 : placeEvents(transaction, last, limit);
      }),
    );
  }
}

function requireRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (!row) throw new Error('the feed has no end');
  return row;
}

async function readScope(database: Database, reader: FeedReader) {
  const writer = 'userId' in reader ? { userId: reader.userId } : { organizationId: reader.organizationId };
  const administered =
    'userId' in reader
      ? sql`select organization_id as id from organization_members where user_id = ${reader.userId} and is_admin`
      : sql`select ${reader.organizationId}::uuid as id`;
  const memberOf =
    'userId' in reader
      ? sql`select organization_id from organization_members where user_id = ${reader.userId}`
      : sql`select null::uuid where false`;
  const { rows } = await sql<{ end: string; organizationIds: string[]; markIds: string[]; memberOf: string[] }>`
    select last_position as end, array(${administered}) as "organizationIds",
      array(select id from marks mark where ${isWritableBy(writer)}) as "markIds", array(${memberOf}) as "memberOf"
    from event_feed`.execute(database);
  return requireRow(rows);
}

async function placeEvents(transaction: Database, last: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with waiting as materialized (
      select id from events where position is null order by id limit ${limit}
    ), numbered as materialized (
      select id, ${last}::bigint + row_number() over (order by id) as position from waiting
    ), placed as (
      update events set position = numbered.position from numbered where events.id = numbered.id
      returning events.position, type, organization_id, mark_id, user_id
    ), due_webhooks as (
      ${markWebhooksDue}
    ), moved as (
      update event_feed set last_position = (select max(position) from placed) where exists (select 1 from placed)
    )
    select count(*)::integer as count from placed`.execute(transaction);
  return rows[0]?.count ?? 0;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
