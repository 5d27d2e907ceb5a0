// Who is at work in this tab. The service is the same object through every new log-in of the same user, so that a page
// that is half filled in stays as it is when a token expires.

import type { RegistryClient } from '@provenance-registry/client';
import type { Organization, Tier, TierRules, Tiers, User } from '@provenance-registry/core';
import { tierNames } from '@provenance-registry/core';
import { createContext, useContext } from 'react';
import { serviceWith } from '../../registryClient.js';

export interface Account {
  readonly user: User;
  readonly organizations: readonly Organization[];
  readonly tiers: Tiers;
  readonly service: RegistryClient;
  /** After something that changes what is above. */
  readonly reload: () => void;
}

const services = new Map<string, { token: string; readonly service: RegistryClient }>();

/** The service as that user, who has this token from now on. */
export function serviceOf(userId: string, token: string): RegistryClient {
  const known = services.get(userId);
  if (known) known.token = token;
  const { service } = known ?? connect(userId, token);
  return service;
}

function connect(userId: string, token: string) {
  const connection = { token, service: serviceWith(() => services.get(userId)?.token ?? token) };
  services.set(userId, connection);
  return connection;
}

const AccountContext = createContext<Account | undefined>(undefined);
export const AccountProvider = AccountContext.Provider;

export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error('Only pages of the dashboard know the account.');
  return account;
}

/** The lowest tier that has what is asked for; for sentences such as "comes with the creator tier". */
export function firstTierWith({ tiers }: Tiers, has: (rules: TierRules) => boolean): Tier | undefined {
  return tierNames.find((name) => has(tiers[name]));
}
