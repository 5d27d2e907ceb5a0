// One turn of a webhook: its next events, one after the other, until all are sent, the time is up, or an attempt fails.

import type { FeedEvent, WebhookPauseReason } from '@provenance-registry/core';
import type {
  Clock,
  DeliveryAttempt,
  FeedPage,
  LeasedWebhook,
  WebhookMessage,
  WebhookQueue,
} from '../domain/ports/index.js';
import type { WorkSignals } from '../jobs/leasedRows.js';
import { webhookDeliveriesTotal } from '../monitoring/metrics.js';
import { postMessage } from './postMessage.js';
import type { TargetConnection } from './targets.js';

/** After it, a webhook with more events waits behind the others. */
const TURN_MS = 5_000;
/** Receivers that take longer wait for each other, not quick ones for them. */
const SLOW_MS = 2_000;

export interface DeliveryParts {
  readonly queue: Pick<WebhookQueue, 'recordSuccess' | 'release'>;
  readonly readEvents: (webhook: LeasedWebhook, after: string) => Promise<FeedPage>;
  readonly buildMessage: (webhook: LeasedWebhook, event: FeedEvent) => WebhookMessage;
  /** Why the webhook was paused; undefined: it was not. */
  readonly recordFailure: (webhook: LeasedWebhook, attempt: FailedAttempt) => Promise<WebhookPauseReason | undefined>;
  readonly clock: Clock;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export interface FailedAttempt extends DeliveryAttempt {
  readonly from: string;
  readonly isSlow: boolean;
}

/** What the database has of the webhook. */
interface Progress {
  readonly position: string;
  readonly attempts: number;
}

interface Step {
  readonly event: FeedEvent;
  /** The position after it. */
  readonly to: string;
  readonly isLast: boolean;
}

export async function deliverPending(
  parts: DeliveryParts,
  webhook: LeasedWebhook,
  connection: TargetConnection,
  signals: WorkSignals,
): Promise<void> {
  const { queue, clock } = parts;
  const end = performance.now() + TURN_MS;
  const isOver = () => performance.now() > end || signals.stop.aborted;
  const release = (from: string, to: string) => queue.release(webhook, { from, to, now: clock() });

  /** Undefined when the turn is over, and the webhook is free for others. */
  async function deliver({ event, to, isLast }: Step, progress: Progress): Promise<Progress | undefined> {
    const { position: from, attempts } = progress;
    const sent = await send(parts, webhook, connection, event, signals.cutOff);
    if (!sent) {
      await release(from, from);
      return undefined;
    }
    const details = { ...sent, attempt: attempts + 1, from, isSlow: sent.durationMs > SLOW_MS };
    webhookDeliveriesTotal.inc({ outcome: sent.error === null ? 'delivered' : 'failed' });
    if (sent.error !== null) {
      await recordFailure(parts, webhook, details);
      return undefined;
    }
    const isReleased = isLast || isOver();
    const mayGoOn = await queue.recordSuccess(webhook, { ...details, error: null, to, now: clock(), isReleased });
    if (mayGoOn && !isReleased) return { position: to, attempts: 0 };
    if (!isReleased) await release(to, to);
    return undefined;
  }

  let progress: Progress | undefined = webhook;
  let readUpTo = webhook.position;
  for (;;) {
    const page: FeedPage = await parts.readEvents(webhook, readUpTo);
    const isLastPage = BigInt(page.next) >= BigInt(webhook.pendingPosition);
    for (const step of listSteps(page, isLastPage)) {
      progress = await deliver(step, progress);
      if (!progress) return;
    }
    readUpTo = page.next;
    if (isLastPage || isOver()) return release(progress.position, readUpTo);
  }
}

function listSteps({ events, next }: FeedPage, isLastPage: boolean): Step[] {
  return events.map((event, index) => {
    const isLastOfPage = index === events.length - 1;
    return { event, to: isLastOfPage ? next : event.position, isLast: isLastOfPage && isLastPage };
  });
}

/** Undefined: cut off by the end of this process. */
async function send(
  { buildMessage, clock }: DeliveryParts,
  webhook: LeasedWebhook,
  connection: TargetConnection,
  event: FeedEvent,
  cutOff: AbortSignal,
): Promise<Omit<DeliveryAttempt, 'attempt'> | undefined> {
  const message = buildMessage(webhook, event);
  const at = clock();
  const startedAt = performance.now();
  const { status, error } = await postMessage(connection, message, { at, stop: cutOff });
  if (cutOff.aborted && error !== null) return undefined;
  return { position: event.position, at, durationMs: Math.round(performance.now() - startedAt), status, error };
}

async function recordFailure(parts: DeliveryParts, webhook: LeasedWebhook, failed: FailedAttempt): Promise<void> {
  const pauseReason = await parts.recordFailure(webhook, failed);
  const { attempt, status, error } = failed;
  // Not the path, which may be secret.
  const { host } = new URL(webhook.url);
  const about = { webhookId: webhook.id, host, attempt, status, reason: error };
  if (pauseReason !== undefined) parts.log('warn', { ...about, pauseReason }, 'webhook: paused');
  else parts.log('info', about, 'webhook: an event was not delivered and will be sent again');
}
