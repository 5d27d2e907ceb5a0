// The limit of the events that one account can cause in a day.

import { dailyLimitOf, RegistryError } from '@provenance-registry/core';
import type { DailyUse, NewEvent } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';
import { DailyBudgetQueries } from '../accounts/dailyBudgets.js';

/** Counts these events for their actors; throws TIER_RESTRICTION at the limit. */
export async function countEvents(database: Database, events: readonly NewEvent[]): Promise<void> {
  const budgets = new DailyBudgetQueries(database);
  for (const use of listUses(events)) {
    if (await budgets.take(use, new Date())) continue;
    throw new RegistryError(
      'TIER_RESTRICTION',
      `This account has made ${use.limit} changes today, the most that are recorded. Try again after midnight (UTC).`,
    );
  }
}

function listUses(events: readonly NewEvent[]): DailyUse[] {
  const uses = new Map<string, DailyUse>();
  for (const { type, actorId, isUnlimited } of events) {
    const limit = isUnlimited ? undefined : dailyLimitOf(type);
    if (!limit || actorId === undefined) continue;
    const key = `${actorId} ${limit.subject}`;
    uses.set(key, { ...limit, ownerId: actorId, amount: (uses.get(key)?.amount ?? 0) + 1 });
  }
  return [...uses.values()];
}
