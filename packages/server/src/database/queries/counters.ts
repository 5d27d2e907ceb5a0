// Queries about what the tiers cap.

import { sql } from 'kysely';
import type { Counters } from '../../domain/ports/index.js';
import type { Database } from '../connection.js';

export function counterQueries(database: Database): Counters {
  return {
    async take(ownerId, what, limit) {
      // The condition is part of the statement that moves the counter: it holds however many do this at once.
      const { numUpdatedRows } = await database
        .updateTable('counters')
        .set({ [what]: sql`${sql.ref(what)} + 1` })
        .where('owner_id', '=', ownerId)
        .where((where) => where.or([where.val(limit === -1), where(what, '<', limit)]))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async giveBack(ownerId, what) {
      await database
        .updateTable('counters')
        .set({ [what]: sql`${sql.ref(what)} - 1` })
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
