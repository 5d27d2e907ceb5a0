// Ports for webhooks: what the database keeps of them, their deliveries, their secrets, and where they may lead.

import type { EventType, WebhookDelivery, WebhookPauseReason } from '@provenance-registry/core';
import type { NewEvent } from './events.js';
import type { FeedReader } from './feed.js';

export interface Webhooks {
  /** Inserts the webhook and the event of its creation, which is the first one that it sends. */
  insert(
    webhook: Pick<StoredWebhook, 'id' | 'url' | 'types' | 'createdAt' | 'challengesLeft'> & {
      readonly owner: FeedReader;
      readonly maker: WebhookMaker;
      readonly challenge: string;
    },
    event: NewEvent,
  ): Promise<void>;
  /** Oldest first. */
  list(owner: FeedReader): Promise<StoredWebhook[]>;
  find(id: string): Promise<StoredWebhook | undefined>;
  /** Nothing else changes it until the transaction ends. */
  lock(id: string): Promise<StoredWebhook | undefined>;
  update(id: string, changes: WebhookChanges): Promise<void>;
  delete(id: string): Promise<void>;
  /** Newest first, starting before the delivery with the id `before`. */
  listDeliveries(page: { webhookId: string; limit: number; before: string | undefined }): Promise<WebhookDelivery[]>;
  insertDelivery(webhookId: string, attempt: DeliveryAttempt): Promise<void>;
  deleteDeliveriesBefore(date: Date): Promise<void>;
  /** Deletes all but the last `max` of each webhook that has had one since that date. */
  trimDeliveries(max: number, since: Date): Promise<void>;
}

/** Who set the URL: the webhook ends when that user or that API key loses the right to make it. */
export interface WebhookMaker {
  readonly userId: string;
  readonly keyId: string | undefined;
}

export interface StoredWebhook {
  readonly id: string;
  readonly userId: string | null;
  readonly organizationId: string | null;
  readonly url: string;
  /** Null: all. */
  readonly types: readonly EventType[] | null;
  readonly createdAt: Date;
  readonly secretVersion: number;
  readonly secretRotatedAt: Date | null;
  /** When its URL answered the challenge; null: it has not. */
  readonly verifiedAt: Date | null;
  /** Challenges that may still be sent. */
  readonly challengesLeft: number;
  /** Why the last one was not answered. */
  readonly challengeError: string | null;
  /** Events up to here were delivered, or are not for it. */
  readonly position: string;
  /** Position of the last event that may be for it. */
  readonly pendingPosition: string;
  /** Just before the event of its creation; null until that event is in the feed. */
  readonly startPosition: string | null;
  /** Failed ones, of the next event. */
  readonly attempts: number;
  readonly failingSince: Date | null;
  /** The earliest time of the next attempt. */
  readonly runAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseReason: WebhookPauseReason | null;
  /** Lease of the worker that sends its events now. */
  readonly leaseId: string | null;
}

export interface WebhookChanges
  extends Partial<
    Pick<
      StoredWebhook,
      | 'url'
      | 'types'
      | 'secretVersion'
      | 'secretRotatedAt'
      | 'verifiedAt'
      | 'challengesLeft'
      | 'challengeError'
      | 'position'
      | 'pendingPosition'
      | 'attempts'
      | 'failingSince'
      | 'runAt'
      | 'pausedAt'
      | 'pauseReason'
    >
  > {
  readonly maker?: WebhookMaker;
  /** What the URL has to answer. */
  readonly challenge?: string;
  /** The worker that sends its events now stops after the current one. */
  readonly isRevised?: boolean;
  /** It is free for other workers. */
  readonly isReleased?: boolean;
  readonly isSlow?: boolean;
}

export interface ChallengeResult {
  /** Of the response; null if there was none. */
  readonly status: number | null;
  /** Null: answered. */
  readonly error: string | null;
}

export interface DeliveryAttempt {
  readonly position: string;
  readonly attempt: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  /** Null: delivered. */
  readonly error: string | null;
}

/** The worker's side: the events of a webhook are sent by one worker at a time. */
export interface WebhookQueue {
  /**
   * Webhooks that are due, which other workers leave alone for `leaseMs`. Slow receivers, and those that have not answered a
   * challenge, have a limit of their own.
   */
  leaseDue(lease: { now: Date; leaseMs: number; limit: number; slowLimit: number }): Promise<LeasedWebhook[]>;
  /**
   * Moves the webhook on and records the attempt. False when the worker must stop: the webhook was changed, paused, sent back
   * or deleted, or another worker has it.
   */
  recordSuccess(webhook: LeasedWebhook, success: RecordedSuccess): Promise<boolean>;
  /**
   * Ends the lease with the result of a challenge: the webhook is verified, or challenged again at `nextAt` (null: never).
   * False, and nothing else changes, when the webhook was changed in the meantime, or another worker has it.
   */
  recordChallenge(
    webhook: LeasedWebhook,
    result: { readonly error: string | null; readonly nextAt: Date | null; readonly now: Date },
  ): Promise<boolean>;
  /** Lets other workers have the webhook, if this one still has it and it is at `from`. */
  release(webhook: LeasedWebhook, at: { from: string; to: string; now: Date }): Promise<void>;
  readBacklog(now: Date): Promise<WebhookBacklog>;
}

export interface RecordedSuccess extends DeliveryAttempt {
  readonly error: null;
  readonly from: string;
  /** The position of the event, or a later one. */
  readonly to: string;
  readonly now: Date;
  readonly isSlow: boolean;
  readonly isReleased: boolean;
}

export interface LeasedWebhook
  extends Pick<
    StoredWebhook,
    | 'id'
    | 'userId'
    | 'organizationId'
    | 'url'
    | 'types'
    | 'secretVersion'
    | 'secretRotatedAt'
    | 'position'
    | 'pendingPosition'
    | 'attempts'
    | 'challengesLeft'
  > {
  /** What its URL has to answer; null: it is verified. */
  readonly challenge: string | null;
  readonly leaseId: string;
  readonly revision: number;
  readonly isSlow: boolean;
}

export interface WebhookBacklog {
  /** Active ones with events that are not delivered yet. */
  readonly pending: number;
  /** Those whose last attempt failed. */
  readonly failing: number;
  /** How late the most late one is; undefined when none is. */
  readonly oldestSeconds: number | undefined;
}

export interface WebhookSecrets {
  secretOf(webhookId: string, version: number): string;
}

export interface WebhookTargets {
  /** The normalized URL, or why no events are sent there, in words for the user. */
  check(url: string): Promise<{ readonly url: string } | { readonly problem: string }>;
}

/** What is sent for one event. */
export interface WebhookMessage {
  /** The same at every attempt. */
  readonly id: string;
  readonly body: string;
  /** The current one, then the previous one while it counts. */
  readonly secrets: readonly string[];
}
