// Queries about what owners have used today (UTC) of what is limited by the day.

import { sql } from 'kysely';
import type { DailyBudgets, DailyUse } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class DailyBudgetQueries extends Queries implements DailyBudgets {
  async take({ ownerId, subject, amount, limit }: DailyUse, now: Date) {
    // The statement compares with what was used before only.
    if (amount > limit) return false;
    // The row is locked until the transaction ends, so the limit holds under any concurrency.
    const { rows } = await sql`
      insert into daily_budgets as budget (owner_id, subject, day, used)
      values (${ownerId}, ${subject}, ${today(now)}, ${amount})
      on conflict (owner_id, subject) do update set
        -- Of two processes at midnight, one may still be in the day before.
        day = greatest(budget.day, excluded.day),
        used = excluded.used + case when budget.day >= excluded.day then budget.used else 0 end
      where budget.day < excluded.day or budget.used + excluded.used <= ${limit}
      returning used`.execute(this.database);
    return rows.length === 1;
  }

  async read(ownerId: string, subject: string, now: Date) {
    const row = await this.database
      .selectFrom('daily_budgets')
      .select('used')
      .where('owner_id', '=', ownerId)
      .where('subject', '=', subject)
      .where('day', '>=', today(now))
      .executeTakeFirst();
    return row?.used ?? 0;
  }

  async deleteBefore(now: Date) {
    await this.database.deleteFrom('daily_budgets').where('day', '<', today(now)).execute();
  }
}

function today(now: Date) {
  return sql<Date>`(${now}::timestamptz at time zone 'utc')::date`;
}
