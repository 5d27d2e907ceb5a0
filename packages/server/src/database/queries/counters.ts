// Queries about counters: how much each owner has of what tiers limit.

import { sql } from 'kysely';
import type { Counters } from '../../domain/ports/index.js';
import type { Database } from '../connection.js';

export function counterQueries(database: Database): Counters {
  return {
    async take(ownerId, resource, limit) {
      // The statement that counts also checks the limit, so the limit holds under any concurrency.
      const { numUpdatedRows } = await database
        .updateTable('counters')
        .set({ [resource]: sql`${sql.ref(resource)} + 1` })
        .where('owner_id', '=', ownerId)
        .where((where) => where.or([where.val(limit === -1), where(resource, '<', limit)]))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async release(ownerId, resource) {
      await database
        .updateTable('counters')
        .set({ [resource]: sql`${sql.ref(resource)} - 1` })
        .where('owner_id', '=', ownerId)
        .execute();
    },

    async read(ownerId, today) {
      const row = await database
        .selectFrom('counters')
        .select(['lifetime_artifacts', 'marks', 'organizations'])
        .select((select) =>
          select
            .case()
            .when('day', '=', sql<Date>`(${today}::timestamptz at time zone 'utc')::date`)
            .then(select.ref('daily_artifacts'))
            .else(0)
            .end()
            .as('dailyArtifacts'),
        )
        .where('owner_id', '=', ownerId)
        .executeTakeFirstOrThrow();
      const { lifetime_artifacts, ...counts } = row;
      return { ...counts, lifetimeArtifacts: Number(lifetime_artifacts) };
    },
  };
}
