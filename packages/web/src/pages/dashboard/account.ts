// The logged-in user, for all pages of the dashboard.

import type { RegistryClient } from '@provenance-registry/client';
import type { Organization, Tiers, User } from '@provenance-registry/core';
import { createContext, useContext, useEffect } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { useIsTokenRejected } from '../../session.js';
import { type QueryState, useQuery } from '../../ui/query.js';
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

/** A query with the session of the user: what an expired session rejected is loaded again after the next log-in. */
export function useAuthedQuery<T>(load: (signal: AbortSignal) => Promise<T>): QueryState<T> {
  const query = useQuery(load);
  const isExpired = useIsSessionExpired();
  const { error, reload } = query;
  const wasRejected = hasErrorCode(error, 'UNAUTHORIZED');
  useEffect(() => {
    if (wasRejected && !isExpired) reload();
  }, [wasRejected, isExpired, reload]);
  return query;
}
