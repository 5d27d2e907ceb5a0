// Webhooks: creating, changing and deleting them, and sending them back to an earlier position. What is sent: webhookMessages.ts.

import { randomUUID } from 'node:crypto';
import {
  type EventType,
  MAX_WEBHOOK_DELIVERIES,
  MAX_WEBHOOKS,
  type NewWebhook,
  RegistryError,
  type Webhook,
  type WebhookDelivery,
} from '@provenance-registry/core';
import { type Caller, lockAccount, lockCallingKey, requireOwnOrganization } from '../caller.js';
import { fieldError } from '../errors.js';
import { isAdmin, lockOrganization, requireAdmin, requireNotFrozen } from '../organizations/organizations.js';
import { type PageRequest, readPage } from '../pages.js';
import type {
  FeedReader,
  NewEvent,
  Ports,
  Store,
  StoredWebhook,
  WebhookChanges,
  WebhookMaker,
} from '../ports/index.js';
import { startChallenge } from './webhookChallenges.js';
import { findPreviousSecretEnd } from './webhookMessages.js';
import { takeReplayBudget } from './webhookReplays.js';

/** What these rules need. */
type WebhookPorts = Pick<Ports, 'store' | 'clock' | 'webhookSecrets' | 'webhookTargets'>;

const HOUR_MS = 3_600_000;
const DELIVERY_TTL_MS = 30 * 24 * HOUR_MS;
/** Longer than the time between two sweeps: only webhooks with new deliveries can have too many. */
const RECENT_DELIVERY_MS = 60_000;

export interface NewWebhookRequest {
  readonly url: string;
  readonly types?: readonly EventType[];
  readonly organizationId?: string;
}

export async function createWebhook(
  ports: WebhookPorts,
  caller: Caller,
  request: NewWebhookRequest,
): Promise<NewWebhook> {
  const { types = null, organizationId } = request;
  const owner = await requireOwner(ports.store, caller, organizationId);
  const url = await requireTarget(ports, request.url);
  const id = randomUUID();
  return ports.store.transaction(async (store) => {
    await lockOwner(store, caller, owner);
    await lockCallingKey(store, caller);
    if ((await store.webhooks.list(owner)).length >= MAX_WEBHOOKS) {
      throw new RegistryError('CONFLICT', `There can be up to ${MAX_WEBHOOKS} webhooks. Delete one first.`);
    }
    const { challenge, challengesLeft } = await startChallenge(ports, store, caller.user.id, url);
    await store.webhooks.insert(
      { id, owner, maker: makerOf(caller), url, types, createdAt: ports.clock(), challenge, challengesLeft },
      { type: 'webhook.created', actorId: caller.user.id, ...owner, data: { webhookId: id } },
    );
    return withSecret(ports, await requireStored(store, id));
  });
}

export async function listWebhooks(ports: WebhookPorts, caller: Caller, organizationId?: string): Promise<Webhook[]> {
  const owner = await requireOwner(ports.store, caller, organizationId);
  return (await ports.store.webhooks.list(owner)).map((webhook) => toWebhook(ports, webhook));
}

export async function readWebhook(ports: WebhookPorts, caller: Caller, id: string): Promise<Webhook> {
  return toWebhook(ports, await requireWebhook(ports.store, caller, id));
}

export async function updateWebhook(
  ports: WebhookPorts,
  caller: Caller,
  id: string,
  request: { readonly url?: string; readonly types?: readonly EventType[] | null; readonly paused?: boolean },
): Promise<Webhook> {
  await requireWebhook(ports.store, caller, id);
  const url = request.url === undefined ? undefined : await requireTarget(ports, request.url);
  return changeWebhook(ports, caller, id, async (store, webhook) => {
    const { types, paused } = request;
    const now = ports.clock();
    await lockCallingKey(store, caller);
    const changes = {
      url: url === undefined || url === webhook.url ? undefined : await changeUrl(ports, store, caller, url),
      types: types === undefined ? undefined : await changeTypes(store, webhook, types),
      [paused ? 'paused' : 'resumed']: paused === undefined ? undefined : changePause(webhook, paused, now),
    };
    const made = Object.entries(changes).filter(([, change]) => change !== undefined);
    return { changes: Object.assign({}, ...Object.values(changes)), changed: made.map(([name]) => name) };
  });
}

/** Events wait until the new URL has answered a challenge. */
async function changeUrl(ports: WebhookPorts, store: Store, caller: Caller, url: string): Promise<WebhookChanges> {
  const challenge = await startChallenge(ports, store, caller.user.id, url);
  return { url, maker: makerOf(caller), attempts: 0, failingSince: null, ...challenge };
}

/** Has the URL of an unverified webhook challenged again. */
export async function verifyWebhook(ports: WebhookPorts, caller: Caller, id: string): Promise<Webhook> {
  return changeWebhook(ports, caller, id, async (store, webhook) => {
    if (webhook.verifiedAt !== null) return { changes: {}, changed: [] };
    const challenge = await startChallenge(ports, store, caller.user.id, webhook.url);
    return { changes: { ...resume(webhook, ports.clock()), ...challenge }, changed: ['challenge'] };
  });
}

/** Undefined: nothing changes. */
async function changeTypes(
  store: Store,
  webhook: StoredWebhook,
  types: readonly EventType[] | null,
): Promise<WebhookChanges | undefined> {
  return isSameSet(types, webhook.types) ? undefined : { types, ...(await passOldEvents(store, webhook)) };
}

/** Undefined: nothing changes. Resuming an active webhook sends the event that failed again. */
function changePause(webhook: StoredWebhook, paused: boolean, now: Date): WebhookChanges | undefined {
  const { pausedAt, attempts } = webhook;
  if (paused) return pausedAt === null ? { pausedAt: now, pauseReason: 'requested' } : undefined;
  return pausedAt !== null || attempts > 0 ? resume(webhook, now) : undefined;
}

/** Now, and with all the time for retries if it was paused. */
function resume({ pausedAt, failingSince }: StoredWebhook, now: Date): WebhookChanges {
  return {
    pausedAt: null,
    pauseReason: null,
    attempts: 0,
    failingSince: pausedAt === null ? failingSince : null,
    runAt: now,
  };
}

/** A webhook without pending events starts with its new types now: not where the last event of the old types was. */
async function passOldEvents(
  store: Store,
  { position, pendingPosition, startPosition, leaseId }: StoredWebhook,
): Promise<WebhookChanges> {
  const isIdle = startPosition !== null && leaseId === null && BigInt(pendingPosition) <= BigInt(position);
  return isIdle ? { position: await store.feed.readEnd() } : {};
}

export async function rotateWebhookSecret(ports: WebhookPorts, caller: Caller, id: string): Promise<NewWebhook> {
  await changeWebhook(ports, caller, id, async (_store, { secretVersion }) => ({
    changes: { secretVersion: secretVersion + 1, secretRotatedAt: ports.clock() },
    changed: ['secret'],
  }));
  return withSecret(ports, await requireWebhook(ports.store, caller, id));
}

/** Sends events again, but none from before its creation: those were never for it, and are in the feed. */
export async function replayWebhook(ports: WebhookPorts, caller: Caller, id: string, after: string): Promise<Webhook> {
  return changeWebhook(ports, caller, id, async (store, webhook) => {
    const { position, pendingPosition, startPosition } = webhook;
    if (BigInt(after) > BigInt(position)) {
      throw fieldError('after', `"after" must be at most ${position}: later events were not sent yet.`);
    }
    const start = max(after, startPosition ?? position);
    await takeReplayBudget(ports, store, caller, webhook, start);
    const changes: WebhookChanges = {
      ...resume(webhook, ports.clock()),
      position: start,
      pendingPosition: max(pendingPosition, position),
    };
    return { changes, changed: ['position'] };
  });
}

export async function deleteWebhook(ports: WebhookPorts, caller: Caller, id: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    const webhook = await requireAccess(store, caller, await store.webhooks.lock(id));
    await store.webhooks.delete(id);
    await store.events.append(describeChange(webhook, 'webhook.deleted', caller.user.id));
  });
}

export async function listWebhookDeliveries(
  ports: WebhookPorts,
  caller: Caller,
  id: string,
  page: PageRequest,
): Promise<{ deliveries: WebhookDelivery[]; nextCursor: string | null }> {
  await requireWebhook(ports.store, caller, id);
  const { rows, nextCursor } = await readPage(page, (limit, before) =>
    ports.store.webhooks.listDeliveries({ webhookId: id, limit, before }),
  );
  return { deliveries: rows, nextCursor };
}

export async function deleteOldDeliveries({ store, clock }: Pick<Ports, 'store' | 'clock'>): Promise<void> {
  const now = clock().getTime();
  await store.webhooks.deleteDeliveriesBefore(new Date(now - DELIVERY_TTL_MS));
  await store.webhooks.trimDeliveries(MAX_WEBHOOK_DELIVERIES, new Date(now - RECENT_DELIVERY_MS));
}

export function describeChange(
  { id, userId, organizationId }: Pick<StoredWebhook, 'id' | 'userId' | 'organizationId'>,
  type: EventType,
  actorId: string | undefined,
  data: NewEvent['data'] = {},
): NewEvent {
  return {
    type,
    actorId,
    ...(userId !== null && { userId }),
    ...(organizationId !== null && { organizationId }),
    data: { webhookId: id, ...data },
  };
}

async function changeWebhook(
  ports: WebhookPorts,
  caller: Caller,
  id: string,
  change: (store: Store, webhook: StoredWebhook) => Promise<{ changes: WebhookChanges; changed: string[] }>,
): Promise<Webhook> {
  return ports.store.transaction(async (store) => {
    const { organizationId } = await requireAccess(store, caller, await store.webhooks.find(id));
    // Its admin members stay as they are: one who is removed must not become the maker of the webhook.
    if (organizationId !== null) await lockOrganization(store, organizationId);
    const webhook = await requireAccess(store, caller, await store.webhooks.lock(id));
    const { changes, changed } = await change(store, webhook);
    if (changed.length > 0) {
      await store.webhooks.update(id, { ...changes, isRevised: true });
      await store.events.append(describeChange(webhook, 'webhook.updated', caller.user.id, { changed }));
    }
    return toWebhook(ports, await requireStored(store, id));
  });
}

/** Whose webhooks are managed. Throws NOT_FOUND for organizations of others, and FORBIDDEN for members without rights. */
async function requireOwner(store: Store, caller: Caller, organizationId: string | undefined): Promise<FeedReader> {
  if (organizationId !== undefined) requireOwnOrganization(caller, organizationId);
  const id = organizationId ?? caller.keyOrganizationId;
  if (id === undefined) return { userId: caller.user.id };
  await requireAdmin(store, caller, id);
  return { organizationId: id };
}

/** Two requests at once must not exceed the limit. */
async function lockOwner(store: Store, caller: Caller, owner: FeedReader): Promise<void> {
  if ('userId' in owner) {
    await lockAccount(store, owner.userId);
    return;
  }
  requireNotFrozen(await lockOrganization(store, owner.organizationId));
  await requireOwner(store, caller, owner.organizationId);
}

function makerOf({ user, keyId }: Caller): WebhookMaker {
  return { userId: user.id, keyId };
}

async function requireTarget({ webhookTargets }: WebhookPorts, url: string): Promise<string> {
  const target = await webhookTargets.check(url);
  if ('url' in target) return target.url;
  throw fieldError('url', `"url" must be an https address of the public internet. ${target.problem}`);
}

async function requireWebhook(store: Store, caller: Caller, id: string): Promise<StoredWebhook> {
  return requireAccess(store, caller, await store.webhooks.find(id));
}

/** The same error for webhooks of others and for none. */
async function requireAccess(store: Store, caller: Caller, webhook: StoredWebhook | undefined): Promise<StoredWebhook> {
  const { organizationId, userId } = webhook ?? {};
  const { keyOrganizationId } = caller;
  const isOwn = organizationId
    ? (keyOrganizationId ?? organizationId) === organizationId && (await isAdmin(store, caller, organizationId))
    : keyOrganizationId === undefined && userId === caller.user.id;
  if (webhook && isOwn) return webhook;
  throw new RegistryError('NOT_FOUND', 'There is no such webhook.');
}

async function requireStored(store: Store, id: string): Promise<StoredWebhook> {
  const webhook = await store.webhooks.find(id);
  if (!webhook) throw new Error('the webhook is missing');
  return webhook;
}

function withSecret(ports: WebhookPorts, webhook: StoredWebhook): NewWebhook {
  const secret = ports.webhookSecrets.secretOf(webhook.id, webhook.secretVersion);
  return { ...toWebhook(ports, webhook), secret };
}

function toWebhook({ clock }: Pick<Ports, 'clock'>, webhook: StoredWebhook): Webhook {
  const { id, organizationId, url, types, createdAt, position, attempts, failingSince, runAt, pausedAt } = webhook;
  const { verifiedAt, challengesLeft, challengeError } = webhook;
  const isRetrying = pausedAt === null && (verifiedAt === null ? challengesLeft > 0 : attempts > 0);
  return {
    id,
    organizationId,
    url,
    types: types === null ? null : [...types],
    createdAt: createdAt.toISOString(),
    status: pausedAt !== null ? 'paused' : verifiedAt === null ? 'unverified' : 'active',
    verifiedAt: verifiedAt?.toISOString() ?? null,
    challengeError,
    position,
    failingSince: failingSince?.toISOString() ?? null,
    nextAttemptAt: isRetrying ? runAt.toISOString() : null,
    pausedAt: pausedAt?.toISOString() ?? null,
    pauseReason: webhook.pauseReason,
    previousSecretUntil: findPreviousSecretEnd(webhook, clock())?.toISOString() ?? null,
  };
}

function isSameSet(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((type) => b.includes(type));
}

function max(a: string, b: string): string {
  return BigInt(a) > BigInt(b) ? a : b;
}
