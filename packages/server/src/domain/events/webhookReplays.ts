// Replays: sending events of a webhook again, which is limited for each host.

import { DAILY_REPLAYED_EVENTS, RegistryError } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import type { Ports, Store, StoredWebhook } from '../ports/index.js';
import { readWebhookEvents } from './webhookMessages.js';

/** Pages of the feed that are read to count: as many positions as a busy service gives in some weeks. */
const MAX_PAGES = 40;

/**
 * Counts the events of the webhook after a position, up to its own, for the account and the host. Throws CONFLICT when those
 * are more than can be sent again today. The webhook is locked.
 */
export async function takeReplayBudget(
  { clock }: Pick<Ports, 'clock'>,
  store: Store,
  { user }: Caller,
  webhook: StoredWebhook,
  after: string,
): Promise<void> {
  const now = clock();
  const { hostname } = new URL(webhook.url);
  const budget = { ownerId: user.id, subject: `replays: ${hostname}` };
  const left = DAILY_REPLAYED_EVENTS - (await store.dailyBudgets.read(budget.ownerId, budget.subject, now));
  const amount = await countEvents(store, webhook, after, left);
  const use = { ...budget, amount, limit: DAILY_REPLAYED_EVENTS };
  if (amount === 0 || (amount <= left && (await store.dailyBudgets.take(use, now)))) return;
  throw new RegistryError(
    'CONFLICT',
    `These are more events than can be sent again to ${hostname} today: ${left} of ${DAILY_REPLAYED_EVENTS} are left. ` +
      'Name a later position, or read them from the feed.',
  );
}

/** The number of events; any number above `max` if there are more, or if they are too far apart to be counted. */
async function countEvents(store: Store, webhook: StoredWebhook, after: string, max: number): Promise<number> {
  let count = 0;
  let position = after;
  for (let page = 0; page < MAX_PAGES && count <= max; page += 1) {
    const { events, next } = await readWebhookEvents({ store }, webhook, position);
    count += events.filter((event) => BigInt(event.position) <= BigInt(webhook.position)).length;
    if (BigInt(next) >= BigInt(webhook.position)) return count;
    position = next;
  }
  return Math.max(count, max + 1);
}
