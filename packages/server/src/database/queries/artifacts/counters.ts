// Queries about counters: how much each owner has of what tiers limit.

import { sql } from 'kysely';
import type { ArtifactQuota, CountedResource, Counters, NewArtifact } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';

export class CounterQueries extends Queries implements Counters {
  async take(ownerId: string, resource: CountedResource, limit: number) {
    // The statement that counts also checks the limit, so the limit holds under any concurrency.
    const { numUpdatedRows } = await this.database
      .updateTable('counters')
      .set({ [resource]: sql`${sql.ref(resource)} + 1` })
      .where('owner_id', '=', ownerId)
      .where((where) => where.or([where.val(limit === -1), where(resource, '<', limit)]))
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async release(ownerId: string, resource: CountedResource) {
    await this.database
      .updateTable('counters')
      .set({ [resource]: sql`${sql.ref(resource)} - 1` })
      .where('owner_id', '=', ownerId)
      .execute();
  }

  async read(ownerId: string, today: Date) {
    const { lifetimeArtifacts, ...counts } = await this.database
      .selectFrom('counters')
      .select(['lifetime_artifacts as lifetimeArtifacts', 'marks', 'organizations'])
      .select(
        sql<number>`case when day = (${today}::timestamptz at time zone 'utc')::date then daily_artifacts else 0 end`.as(
          'dailyArtifacts',
        ),
      )
      .where('owner_id', '=', ownerId)
      .executeTakeFirstOrThrow();
    return { ...counts, lifetimeArtifacts: Number(lifetimeArtifacts) };
  }
}

/** Locks the counters that these Artifacts count for until the transaction ends, in an order that prevents deadlocks. */
export async function lockArtifactCounters(transaction: Database, artifactIds: readonly string[]): Promise<void> {
  if (artifactIds.length === 0) return;
  await sql`
    select 1 from counters where owner_id in (
      select coalesce(marks.owner_id, marks.organization_id)
      from artifacts join marks on marks.id = artifacts.mark_id where artifacts.id = any(${artifactIds}::uuid[])
    ) order by owner_id for update`.execute(transaction);
}

/** Part of the statement that records Artifacts: counts them for their owner, unless that would exceed the limits. */
export function countForQuota({ ownerId, limits }: ArtifactQuota, createdAt: Date, added: number) {
  const { daily, lifetime } = limits;
  const count = sql`${added}::bigint`;
  const today = sql`(${createdAt}::timestamptz at time zone 'utc')::date`;
  return sql`
    update counters set
      lifetime_artifacts = lifetime_artifacts + ${count},
      -- A creation of yesterday that is recorded after one of today counts for neither day.
      daily_artifacts =
        case when day < ${today} then ${count} when day = ${today} then daily_artifacts + ${count} else daily_artifacts end,
      day = greatest(day, ${today})
    where owner_id = ${ownerId} and exists (select 1 from inserted_artifacts)
      and (${lifetime}::bigint = -1 or lifetime_artifacts + ${count} <= ${lifetime}::bigint)
      and (
        ${daily}::bigint = -1 or day > ${today}
        or case when day = ${today} then daily_artifacts else 0 end + ${count} <= ${daily}::bigint
      )
    returning 1`;
}

/**
 * Part of the statement that records Artifacts. All creations under a Mark wait for its owner's counter before, so the
 * Marks of a batch need no order.
 */
export function countForMarks(artifacts: readonly NewArtifact[]) {
  const counts = new Map<string, number>();
  for (const { markId } of artifacts) counts.set(markId, (counts.get(markId) ?? 0) + 1);
  return sql`
    update mark_counters set artifacts = artifacts + added.count
    from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[]) as added (mark_id, count)
    where mark_counters.mark_id = added.mark_id and exists (select 1 from counted_quota)`;
}
