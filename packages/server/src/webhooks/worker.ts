// Sends the events of webhooks: in order, at least once, those of one webhook by one worker at a time.

import { limitConcurrency } from '@provenance-registry/core';
import type { LeasedWebhook, WebhookQueue } from '../domain/ports/index.js';
import { LeasedRows } from '../jobs/leasedRows.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { type DeliveryParts, deliverPending } from './deliverPending.js';
import { type ChallengeParts, sendChallenge } from './sendChallenge.js';
import type { ConnectingTargets } from './targets.js';

/** An index tells quickly that none is due. */
const POLL_MS = 250;
/** Between two queries that find some: others become due in the meantime, and need no query of their own. */
const GATHER_MS = 50;
/** Webhooks at once. Most of the time goes into waiting for receivers. */
const MAX_ACTIVE = 200;
/** The most of them whose receiver took long at the last attempt. */
const MAX_SLOW = 50;
/** Longer than a turn with one more request. After it, another worker may have the webhook. */
const LEASE_MS = 60_000;
/** The most of the ten connections to the database, which requests need too. */
const MAX_QUERIES = 5;
/** Most receivers answer within it. Other requests are cut off, and their events are sent again. */
const STOP_MS = 1_000;

export interface WebhookWorkerOptions extends DeliveryParts, ChallengeParts {
  readonly queue: WebhookQueue;
  readonly targets: ConnectingTargets;
  readonly notices?: WorkNotices;
}

export interface WebhookWorker {
  close(): Promise<void>;
}

export function startWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { queue, targets, clock, log, notices } = options;
  const parts = limitQueries(options);
  return new LeasedRows<LeasedWebhook>({
    name: 'webhook',
    leaseDue(freeSlots, active) {
      const slow = active.filter(({ isSlow }) => isSlow).length;
      const slowLimit = Math.min(MAX_SLOW - slow, freeSlots);
      return queue.leaseDue({ now: clock(), leaseMs: LEASE_MS, limit: freeSlots - slowLimit, slowLimit });
    },
    async work(webhook, signals) {
      const connection = targets.connect(webhook.url);
      const { challenge } = webhook;
      const work =
        challenge === null
          ? deliverPending(parts, webhook, connection, signals)
          : sendChallenge(parts, { ...webhook, challenge }, connection, signals.cutOff);
      await work.finally(() => connection.close());
    },
    onUnrecorded: ({ id }, error) => log('warn', { webhookId: id, err: error }, 'webhook: a turn failed'),
    log,
    times: { pollMs: POLL_MS, gatherMs: GATHER_MS, stopMs: STOP_MS, cutOffMs: STOP_MS },
    ...(notices && { notices }),
    maxActive: MAX_ACTIVE,
  });
}

function limitQueries({
  queue,
  readEvents,
  recordFailure,
  ...others
}: WebhookWorkerOptions): DeliveryParts & ChallengeParts {
  // Each of the active webhooks waits with one at most.
  const query = limitConcurrency(MAX_QUERIES, MAX_ACTIVE, () => new Error('too many queries'));
  return {
    ...others,
    queue: {
      recordSuccess: (...args) => query(() => queue.recordSuccess(...args)),
      release: (...args) => query(() => queue.release(...args)),
      recordChallenge: (...args) => query(() => queue.recordChallenge(...args)),
    },
    readEvents: (...args) => query(() => readEvents(...args)),
    recordFailure: (...args) => query(() => recordFailure(...args)),
  };
}
