// What webhooks send: which events are for one, and signed messages.

import { type FeedEvent, WEBHOOK_SECRET_OVERLAP_HOURS } from '@provenance-registry/core';
import type { FeedPage, LeasedWebhook, Ports, StoredWebhook, WebhookMessage } from '../ports/index.js';

/** Events in one query. */
const PAGE_SIZE = 50;
const HOUR_MS = 3_600_000;

/** The next events of the webhook. What it may see is decided now. */
export async function readWebhookEvents(
  { store }: Pick<Ports, 'store'>,
  { id, userId, organizationId, types }: Pick<StoredWebhook, 'id' | 'userId' | 'organizationId' | 'types'>,
  after: string,
): Promise<FeedPage> {
  const reader = organizationId === null ? { userId: userId ?? '' } : { organizationId };
  const readTypes = types && [...new Set([...types, 'webhook.created' as const])];
  const page = await store.feed.read(reader, { after, limit: PAGE_SIZE, types: readTypes });
  // Its own creation is always sent.
  const isForIt = ({ type, data }: FeedEvent) =>
    types === null || types.includes(type) || (type === 'webhook.created' && data?.['webhookId'] === id);
  return { ...page, events: page.events.filter(isForIt) };
}

export function buildMessage(
  ports: Pick<Ports, 'webhookSecrets' | 'clock'>,
  webhook: LeasedWebhook,
  event: FeedEvent,
): WebhookMessage {
  return buildSignedMessage(ports, webhook, `evt_${event.id}`, { type: event.type, timestamp: event.at, data: event });
}

/** Signed with the current secret, and with the previous one while that counts. */
export function buildSignedMessage(
  { webhookSecrets, clock }: Pick<Ports, 'webhookSecrets' | 'clock'>,
  webhook: LeasedWebhook,
  id: string,
  content: { readonly type: string; readonly timestamp: string; readonly data: object },
): WebhookMessage {
  const { secretVersion } = webhook;
  const versions = findPreviousSecretEnd(webhook, clock()) ? [secretVersion, secretVersion - 1] : [secretVersion];
  return {
    id,
    body: JSON.stringify(content),
    secrets: versions.map((version) => webhookSecrets.secretOf(webhook.id, version)),
  };
}

/** The time until which the previous secret signs too; undefined: it does not. */
export function findPreviousSecretEnd(
  { secretRotatedAt }: Pick<StoredWebhook, 'secretRotatedAt'>,
  now: Date,
): Date | undefined {
  if (secretRotatedAt === null) return undefined;
  const end = new Date(secretRotatedAt.getTime() + WEBHOOK_SECRET_OVERLAP_HOURS * HOUR_MS);
  return end > now ? end : undefined;
}
