// Which caps a new Artifact counts against, and who pays for them.

import { type Mark, RegistryError, type User } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import type { ArtifactQuota, Ports } from '../ports/index.js';

/** The user or organization whose caps count the Artifacts of this Mark. */
export function quotaOwnerId({ organization, owner, admin }: Mark): string {
  return (organization ?? owner ?? admin).id;
}

export function artifactQuota({ tiers }: Ports, mark: Mark, billingUser: User): ArtifactQuota {
  const { dailyArtifactLimit: daily, lifetimeArtifactLimit: lifetime } = tiers[billingUser.tier];
  return {
    ownerId: quotaOwnerId(mark),
    billingUserId: billingUser.id,
    tier: billingUser.tier,
    limits: { daily, lifetime },
  };
}

/** The user whose tier sets the limits. Most often it is the caller, which is not read again. */
export async function findBillingUser(ports: Ports, caller: Caller, mark: Mark): Promise<User> {
  if (mark.organization && caller.keyOrganizationId === mark.organization.id) return caller.user;
  const id = await findBillingUserId(ports, mark);
  return id === caller.user.id ? caller.user : readUser(ports, id);
}

export async function readBillingUser(ports: Ports, mark: Mark): Promise<User> {
  return readUser(ports, await findBillingUserId(ports, mark));
}

async function findBillingUserId({ store }: Ports, { organization, owner, admin }: Mark): Promise<string | undefined> {
  return organization ? store.organizations.findOwnerId(organization.id) : (owner ?? admin).id;
}

async function readUser({ store }: Ports, id: string | undefined): Promise<User> {
  const user = id === undefined ? undefined : await store.users.findById(id);
  if (!user) throw new RegistryError('FORBIDDEN', "This Mark is closed, as its owner's account is.");
  return user;
}

/** Names the cap that is reached. */
export async function quotaError(
  { store }: Ports,
  { ownerId, limits }: ArtifactQuota,
  now: Date,
): Promise<RegistryError> {
  const { lifetimeArtifacts } = await store.counters.read(ownerId, now);
  const isLifetime = limits.lifetime !== -1 && lifetimeArtifacts >= limits.lifetime;
  return new RegistryError('TIER_RESTRICTION', `${isLifetime ? 'Lifetime' : 'Daily'} artifact limit reached`);
}
