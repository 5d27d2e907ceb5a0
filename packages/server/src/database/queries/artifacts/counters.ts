// Queries about counters: how much each owner has of what tiers limit.

import { sql } from 'kysely';
import type { CountedResource, Counters } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';

export class CounterQueries implements Counters {
  constructor(private readonly database: Database) {}

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
