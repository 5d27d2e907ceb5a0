// What a failed attempt to deliver an event changes.

import { WEBHOOK_RETRY_DAYS, type WebhookPauseReason } from '@provenance-registry/core';
import { notifyAboutWebhook } from '../accounts/notices.js';
import type { DeliveryAttempt, LeasedWebhook, Ports, Store, StoredWebhook } from '../ports/index.js';
import { describeChange } from './webhooks.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** After each failure; the last one again and again. A restart takes seconds, a deployment minutes, an outage hours. */
const RETRY_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS];
/** Spreads the attempts of webhooks whose receiver failed at the same time: up to that part of the delay more. */
const JITTER = 0.2;
/** So that a service that was stopped for days does not pause a webhook after two attempts. */
const MIN_ATTEMPTS = 10;
/** The receiver says that it wants no more events. */
const GONE = 410;

/** Plans the next attempt, or pauses the webhook. */
export async function recordFailedDelivery(
  ports: Pick<Ports, 'store' | 'mail' | 'clock'>,
  { id, leaseId }: LeasedWebhook,
  { from, isSlow, ...attempt }: DeliveryAttempt & { readonly from: string; readonly isSlow: boolean },
): Promise<WebhookPauseReason | undefined> {
  return ports.store.transaction(async (store) => {
    const webhook = await store.webhooks.lock(id);
    await store.webhooks.insertDelivery(id, attempt);
    if (webhook?.leaseId !== leaseId) return undefined;
    // Sent back by a user in the meantime.
    if (webhook.position !== from) {
      await store.webhooks.update(id, { isReleased: true });
      return undefined;
    }
    const now = ports.clock();
    const attempts = webhook.attempts + 1;
    const failingSince = webhook.failingSince ?? attempt.at;
    await store.webhooks.update(id, {
      attempts,
      failingSince,
      runAt: new Date(now.getTime() + retryDelay(attempts)),
      isSlow,
      isReleased: true,
    });
    const isOver = now.getTime() - failingSince.getTime() >= WEBHOOK_RETRY_DAYS * DAY_MS && attempts >= MIN_ATTEMPTS;
    const reason = attempt.status === GONE ? 'gone' : isOver ? 'failing' : undefined;
    if (reason !== undefined && webhook.pausedAt === null) await pause(ports, store, webhook, reason);
    return reason;
  });
}

function retryDelay(attempts: number): number {
  const delayMs = RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1] ?? HOUR_MS;
  return delayMs * (1 + JITTER * Math.random());
}

async function pause(
  ports: Pick<Ports, 'mail' | 'clock'>,
  store: Store,
  webhook: StoredWebhook,
  reason: 'failing' | 'gone',
): Promise<void> {
  await store.webhooks.update(webhook.id, { pausedAt: ports.clock(), pauseReason: reason });
  await store.events.append(describeChange(webhook, 'webhook.paused', undefined, { reason }));
  await notifyAboutWebhook(ports, store, webhook, reason);
}
