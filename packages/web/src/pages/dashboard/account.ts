// The logged-in user, for all pages of the dashboard.

import type { RegistryClient } from '@provenance-registry/client';
import type { Organization, Tier, TierRules, Tiers, User } from '@provenance-registry/core';
import { tierNames } from '@provenance-registry/core';
import { createContext, useContext } from 'react';
import { createPageClient } from '../../registryClient.js';
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

interface UserConnection {
  token: string;
  readonly client: RegistryClient;
}

const connections = new Map<string, UserConnection>();

/**
 * The client of a user, which sends `token` from now on. It is the same object after each log-in of that user, so that a
 * half-filled page keeps its state when the session expires.
 */
export function connectClient(userId: string, token: string): RegistryClient {
  const existing = connections.get(userId);
  if (existing) {
    existing.token = token;
    return existing.client;
  }
  const connection: UserConnection = { token, client: createPageClient(() => connections.get(userId)?.token ?? token) };
  connections.set(userId, connection);
  return connection.client;
}

const AccountContext = createContext<Account | undefined>(undefined);
export const AccountProvider = AccountContext.Provider;

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('useAccount works within the dashboard only.');
  return account;
}

/** The lowest tier with a feature. */
export function lowestTierWith({ tiers }: Tiers, hasFeature: (rules: TierRules) => boolean): Tier | undefined {
  return tierNames.find((name) => hasFeature(tiers[name]));
}
