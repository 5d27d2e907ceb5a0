// Tier checks: which features an owner has, and how much of everything.

import {
  limitsOf,
  MAX_API_KEYS,
  RegistryError,
  type Tier,
  type TierLimits,
  type TierRules,
  type Tiers,
  type User,
} from '@provenance-registry/core';
import { type Caller, requireMembership } from './caller.js';
import type { CountedResource, Ports, Store } from './ports/index.js';

/** A user, or an organization with the tier of its owner. */
export type LimitedOwner = Pick<User, 'id' | 'tier'>;

const featureMessages = {
  privateMarks: 'Private Marks need the creator tier or higher.',
  markEditing: 'Editing Marks needs the creator tier or higher.',
} as const;

/** Throws TIER_RESTRICTION when the tier does not include the feature. */
export function requireFeature(ports: Ports, tier: Tier, feature: keyof typeof featureMessages): void {
  if (!ports.tiers[tier][feature]) throw new RegistryError('TIER_RESTRICTION', featureMessages[feature]);
}

const resources = {
  organizations: { limit: (rules: TierRules) => rules.maxOrganizations, label: 'organizations' },
  marks: { limit: (rules: TierRules) => rules.maxMarks, label: 'Marks' },
  api_keys: { limit: (rules: TierRules) => (rules.apiKeys ? MAX_API_KEYS : 0), label: 'active API keys' },
} as const satisfies Record<CountedResource, unknown>;

/** Counts one more of the resource, as part of the transaction; throws TIER_LIMIT_REACHED at the cap. */
export async function takeQuota(
  ports: Ports,
  store: Store,
  owner: LimitedOwner,
  resource: CountedResource,
): Promise<void> {
  const { limit: limitOf, label } = resources[resource];
  const limit = limitOf(ports.tiers[owner.tier]);
  if (await store.counters.take(owner.id, resource, limit)) return;
  throw new RegistryError('TIER_LIMIT_REACHED', `The ${owner.tier} tier allows ${limit} ${label}.`);
}

/** Throws TIER_RESTRICTION when the organization is frozen, which changes only with its owner's tier. */
export async function requireActive(store: Store, organizationId: string): Promise<void> {
  if ((await store.organizations.findStatus(organizationId)) !== 'frozen') return;
  throw new RegistryError(
    'TIER_RESTRICTION',
    'The organization is frozen until its owner is on the enterprise tier again.',
  );
}

/** Throws TIER_LIMIT_REACHED when an organization with so many members has as many as the tier allows. */
export function requireMemberQuota(ports: Ports, { tier }: LimitedOwner, members: number): void {
  const limit = ports.tiers[tier].maxOrganizationMembers;
  if (limit === -1 || members < limit) return;
  throw new RegistryError('TIER_LIMIT_REACHED', `The ${tier} tier allows ${limit} members.`);
}

/** The tier of an organization; neither it nor the owner can change until the transaction ends. */
export async function lockOrganizationTier(store: Store, organizationId: string): Promise<LimitedOwner | undefined> {
  let ownerId = await store.organizations.findOwnerId(organizationId);
  while (ownerId !== undefined) {
    const owner = await store.users.lock(ownerId, 'tier');
    // Transferred before the owner was locked: then the lock is on the wrong user.
    const currentOwnerId = await store.organizations.findOwnerId(organizationId);
    if (currentOwnerId === ownerId) return owner && { id: organizationId, tier: owner.tier };
    ownerId = currentOwnerId;
  }
  return undefined;
}

export function describeTiers({ tiers, billing, mail }: Pick<Ports, 'tiers' | 'billing' | 'mail'>): Tiers {
  return { selfServe: billing === 'self-serve', sendsMail: mail.isEnabled, tiers };
}

export async function describeLimits(ports: Ports, caller: Caller, organizationId?: string): Promise<TierLimits> {
  const id = organizationId ?? caller.keyOrganizationId;
  const owner = id === undefined ? caller.user : await requireMembership(ports.store, caller, id);
  const now = ports.clock();
  return {
    tier: owner.tier,
    ...limitsOf(ports.tiers[owner.tier]),
    usage: await ports.store.counters.read(owner.id, now),
    resetsAt: nextUtcMidnight(now).toISOString(),
  };
}

/** When what is limited by the day begins again. */
export function nextUtcMidnight(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
