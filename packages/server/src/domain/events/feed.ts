// The feed of events: what each caller may see, in order, now and as it happens.

import { type FeedEvent, RegistryError } from '@provenance-registry/core';
import { type Caller, requireOwnOrganization } from '../caller.js';
import { requireAdmin } from '../organizations/organizations.js';
import type { FeedPage, FeedReader, Ports, WaitOptions } from '../ports/index.js';

const DEFAULT_PAGE_SIZE = 50;
/** Few enough that a slow client keeps little in memory. */
const STREAMED_PAGE_SIZE = 100;
/** Shorter than the timeouts of proxies, and of the SDK. */
const KEEP_ALIVE_MS = 15_000;
/** So that a caller who logged out or was revoked is noticed also while nothing happens. */
const MAX_AUTHORIZATION_AGE_MS = 30_000;
/** Streams and waiting requests of a caller in this process. A user has some devices with some pages each. */
const MAX_READERS = 10;

/** All that a user may see, or the events of one organization. */
export async function findFeedReader(ports: Ports, caller: Caller, organizationId?: string): Promise<FeedReader> {
  const { keyOrganizationId, user } = caller;
  if (organizationId !== undefined) requireOwnOrganization(caller, organizationId);
  if (keyOrganizationId !== undefined) return { organizationId: keyOrganizationId };
  if (organizationId === undefined) return { userId: user.id };
  await requireAdmin(ports.store, caller, organizationId);
  return { organizationId };
}

/** Authenticates the caller again, and throws when it may not read the feed any more. */
export type AuthorizeReader = () => Promise<FeedReader>;

export interface FeedRequest extends WaitOptions {
  readonly after?: string;
  readonly limit?: number;
  /** Aborted when the response is of no use any more, or the service stops. */
  readonly signal: AbortSignal;
}

export async function readFeed(
  ports: Ports,
  authorize: AuthorizeReader,
  { after = '0', limit = DEFAULT_PAGE_SIZE, waitMs, giveWay, signal }: FeedRequest,
): Promise<Pick<FeedPage, 'events' | 'next'>> {
  const end = ports.clock().getTime() + waitMs;
  let position = await findFeedStart(ports, after);
  for (;;) {
    const page = await ports.store.feed.read(await authorize(), { after: position, limit });
    requireComplete(position, page.start);
    const { events, next } = page;
    const remainingMs = end - ports.clock().getTime();
    if (events.length > 0 || remainingMs <= 0 || signal.aborted) return { events, next };
    position = next;
    await giveWay(() => ports.feedChanges.waitForEvents(page, remainingMs, signal));
  }
}

/** What the reader of a stream gets: events, or none after a while, and where it goes on. */
export interface FeedPiece {
  readonly events: readonly FeedEvent[];
  readonly position: string;
}

/** Follows the feed, without `after` from its end on, until the signal aborts or the caller may not read any more. */
export async function* followFeed(
  ports: Ports,
  authorize: AuthorizeReader,
  { after, signal }: { readonly after: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<FeedPiece> {
  let reader = await authorize();
  let authorizedAt = ports.clock().getTime();
  let position = after ?? (await ports.store.feed.readEnd());
  while (!signal.aborted) {
    const page = await ports.store.feed.read(reader, { after: position, limit: STREAMED_PAGE_SIZE });
    requireComplete(position, page.start);
    const now = ports.clock().getTime();
    if (page.events.length > 0 || now - authorizedAt >= MAX_AUTHORIZATION_AGE_MS) {
      const confirmed = await authorize().catch(endIfRefused);
      if (!confirmed) return;
      reader = confirmed;
      authorizedAt = now;
    }
    position = page.next;
    yield { events: page.events, position };
    if (page.events.length < STREAMED_PAGE_SIZE) await ports.feedChanges.waitForEvents(page, KEEP_ALIVE_MS, signal);
  }
}

/** A reader who has read nothing starts with the oldest event that is kept. Throws GONE if others have missed events. */
export async function findFeedStart({ store }: Pick<Ports, 'store'>, after: string): Promise<string> {
  const start = await store.feed.readStart();
  if (BigInt(after) === 0n) return start;
  requireComplete(after, start);
  return after;
}

function requireComplete(position: string, start: string): void {
  if (BigInt(position) >= BigInt(start)) return;
  throw new RegistryError(
    'GONE',
    `Events after position ${position} have been deleted: the feed begins after ${start}. Start again without a position.`,
  );
}

function endIfRefused(error: unknown): undefined {
  if (error instanceof RegistryError && error.code !== 'UNAVAILABLE' && error.code !== 'INTERNAL') return undefined;
  throw error;
}

/** Counts streams and waiting requests of each caller. */
export function limitReaders() {
  const counts = new Map<string, number>();
  /** Throws CONFLICT when the caller has too many; returns what ends one. */
  return ({ user, keyOrganizationId }: Caller): (() => void) => {
    const id = keyOrganizationId ?? user.id;
    const count = counts.get(id) ?? 0;
    if (count >= MAX_READERS) {
      throw new RegistryError(
        'CONFLICT',
        `Up to ${MAX_READERS} streams and waiting requests can be open. End one first.`,
      );
    }
    counts.set(id, count + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const remaining = (counts.get(id) ?? 1) - 1;
      if (remaining > 0) counts.set(id, remaining);
      else counts.delete(id);
    };
  };
}
