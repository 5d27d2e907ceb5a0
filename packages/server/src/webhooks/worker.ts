// Sends the events of webhooks: in order, at least once, those of one webhook by one worker at a time.

import { setTimeout as delay } from 'node:timers/promises';
import { limitConcurrency } from '@provenance-registry/core';
import type { ClaimedWebhook, WebhookQueue } from '../domain/ports/index.js';
import type { ConnectingTargets } from './targets.js';
import { type TurnParts, takeTurn } from './turn.js';

/** An index tells quickly that none is due. */
const POLL_MS = 250;
/** Between two queries that find some: others become due in the meantime, and need no query of their own. */
const GATHER_MS = 50;
/** Webhooks at once. Most of the time goes into waiting for receivers. */
const MAX_ACTIVE = 200;
/** Of them, webhooks whose receiver took long at the last attempt. */
const MAX_SLOW = 50;
/** Longer than a turn with one more request. After it, another worker may have the webhook. */
const LEASE_MS = 60_000;
/** Of the ten connections to the database, which requests need too. */
const MAX_QUERIES = 5;
/** Most receivers answer within it. Other requests are cut off, and their events are sent again. */
const STOP_MS = 1_000;

export interface WebhookWorkerOptions extends TurnParts {
  readonly queue: WebhookQueue;
  readonly targets: ConnectingTargets;
}

export interface WebhookWorker {
  close(): Promise<void>;
}

export function startWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { queue, targets, clock, log } = options;
  const stop = new AbortController();
  const cutOff = new AbortController();
  const signals = { stop: stop.signal, cutOff: cutOff.signal };
  const active = new Map<Promise<void>, ClaimedWebhook>();
  const parts = limitQueries(options);

  function start(webhook: ClaimedWebhook): void {
    const connection = targets.connect(webhook.url);
    const turn = takeTurn(parts, webhook, connection, signals)
      // The database is unavailable: the webhook is due again after the lease.
      .catch((error: unknown) => log('warn', { webhookId: webhook.id, err: error }, 'webhook: a turn failed'))
      .finally(() => {
        connection.close();
        active.delete(turn);
      });
    active.set(turn, webhook);
  }

  let lastFailure: string | undefined;
  /** Once for each reason: it is tried again and again. */
  function reportFailure(error: unknown): ClaimedWebhook[] {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== lastFailure) log('warn', { reason }, 'webhook: the queue cannot be read');
    lastFailure = reason;
    return [];
  }

  async function claim(): Promise<ClaimedWebhook[]> {
    const room = MAX_ACTIVE - active.size;
    if (room === 0) return [];
    const slow = [...active.values()].filter(({ isSlow }) => isSlow).length;
    const slowLimit = Math.min(MAX_SLOW - slow, room);
    return queue.claim({ now: clock(), leaseMs: LEASE_MS, limit: room - slowLimit, slowLimit }).catch(reportFailure);
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const claimed = await claim();
      for (const webhook of claimed) start(webhook);
      const pauseMs = claimed.length === 0 ? POLL_MS : GATHER_MS;
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async close() {
      stop.abort();
      const done = running.then(() => Promise.all(active.keys()));
      await Promise.race([done, delay(STOP_MS, undefined, { ref: false })]);
      cutOff.abort();
      await Promise.race([done, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}

function limitQueries({ queue, readEvents, recordFailure, ...others }: WebhookWorkerOptions): TurnParts {
  // Each of the active webhooks waits with one at most.
  const query = limitConcurrency(MAX_QUERIES, MAX_ACTIVE, () => new Error('too many queries'));
  return {
    ...others,
    queue: {
      recordSuccess: (...args) => query(() => queue.recordSuccess(...args)),
      release: (...args) => query(() => queue.release(...args)),
    },
    readEvents: (...args) => query(() => readEvents(...args)),
    recordFailure: (...args) => query(() => recordFailure(...args)),
  };
}
