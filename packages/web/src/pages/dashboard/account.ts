// The logged-in user, for all pages of the dashboard.

import type { RegistryClient } from '@provenance-registry/client';
import type { FeedEvent, Organization, Tiers, User } from '@provenance-registry/core';
import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/events/live';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { useIsTokenRejected } from '../../session.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { type QueryState, useQuery } from '../../ui/feedback/query.js';
import type { EventFilter } from './live/eventFilters.js';
import { useEventReload } from './live/useEventReload.js';
import type { UserQueue } from './registrationQueue/userQueue.js';

export interface Account {
  readonly user: User;
  readonly organizations: readonly Organization[];
  readonly tiers: Tiers;
  readonly client: RegistryClient;
  readonly userQueue: UserQueue;
  /** Loads user, organizations and tiers again. */
  readonly reload: () => void;
}

const tokens = new Map<string, string>();
const clients = new Map<string, RegistryClient>();

/**
 * The client of a user, which sends `token` from now on. It is the same object after each log-in of that user, so that a
 * half-filled page keeps its state when the session expires.
 */
export function connectClient(userId: string, token: string): RegistryClient {
  tokens.set(userId, token);
  const client = clients.get(userId) ?? createPageClient(() => tokens.get(userId));
  clients.set(userId, client);
  return client;
}

const AccountContext = createContext<Account | undefined>(undefined);
export const AccountProvider = AccountContext.Provider;

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('useAccount works within the dashboard only.');
  return account;
}

/**
 * Whether the service has rejected the user's session, until the client has the token of the next one: a request before
 * that would be rejected again.
 */
export function useIsSessionExpired(): boolean {
  const { user } = useAccount();
  return useIsTokenRejected(tokens.get(user.id));
}

/** The same object while its content is the same: a new log-in or an event causes no further requests. */
export function useStableValue<T>(value: T): T {
  const [stable, setStable] = useState(value);
  if (JSON.stringify(stable) === JSON.stringify(value)) return stable;
  setStable(value);
  return value;
}

/**
 * A query with the session of the user: what an expired session rejected is loaded again after the next log-in. With a
 * filter, it is loaded again after each such event.
 */
export function useAuthedQuery<T>(
  load: (signal: AbortSignal) => Promise<T>,
  filter?: EventFilter | undefined,
): QueryState<T> {
  const query = useQuery(load);
  const value = useStableValue(query.value);
  const isExpired = useIsSessionExpired();
  const { error, reload } = query;
  const wasRejected = hasErrorCode(error, 'UNAUTHORIZED');
  useEffect(() => {
    if (wasRejected && !isExpired) reload();
  }, [wasRejected, isExpired, reload]);
  useEventReload(query, filter, useUpdateAnnouncement(value));
  return { ...query, value };
}

/** Pause between two announcements, which would otherwise interrupt each other. */
const ANNOUNCEMENT_INTERVAL_MS = 10_000;
let announcedAt = Number.NEGATIVE_INFINITY;

/** Tells screen readers that the value has changed by what others did; users know what they did themselves. */
function useUpdateAnnouncement(value: unknown): (event: FeedEvent) => void {
  const { user } = useAccount();
  const isDue = useRef(false);
  const isLoaded = useRef(false);
  useEffect(() => {
    if (isLoaded.current && isDue.current && performance.now() - announcedAt > ANNOUNCEMENT_INTERVAL_MS) {
      announcedAt = performance.now();
      announce(texts.updated);
    }
    isDue.current = false;
    isLoaded.current = value !== undefined;
  }, [value]);
  return useCallback(
    ({ actor }: FeedEvent) => {
      if (actor?.id !== user.id) isDue.current = true;
    },
    [user.id],
  );
}
