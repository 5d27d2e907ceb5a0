// "May this owner do this?": the one place where tiers and their limits are asked.

import {
  limitsOf,
  MAX_API_KEYS,
  RegistryError,
  type Tier,
  type TierLimits,
  type TierRules,
  type Tiers,
} from '@provenance-registry/core';
import { type Caller, confine } from './caller.js';
import type { ArtifactLimits, ArtifactPlace, Counted, Ports, Store } from './ports/index.js';

/** Whose limits count: a user, or an organization on the tier of its owner. */
export interface LimitedOwner {
  readonly id: string;
  readonly tier: Tier;
}

const refusals = {
  privateMarks: 'Private Marks come with the creator tier.',
  markEditing: 'Changing Marks comes with the creator tier.',
} as const;

/** Throws TIER_RESTRICTION when the tier does not have it. */
export function requireFeature(ports: Ports, tier: Tier, feature: keyof typeof refusals): void {
  if (!ports.tiers[tier][feature]) throw new RegistryError('TIER_RESTRICTION', refusals[feature]);
}

const counted = {
  organizations: { limit: (rules: TierRules) => rules.maxOrganizations, what: 'organizations' },
  marks: { limit: (rules: TierRules) => rules.maxMarks, what: 'Marks' },
  api_keys: { limit: (rules: TierRules) => (rules.apiKeys ? MAX_API_KEYS : 0), what: 'active API keys' },
} as const satisfies Record<Counted, unknown>;

/** Takes one of what the tier caps, for good if the transaction succeeds; throws TIER_LIMIT_REACHED at the cap. */
export async function takePlace(ports: Ports, store: Store, owner: LimitedOwner, what: Counted): Promise<void> {
  const limit = counted[what].limit(ports.tiers[owner.tier]);
  if (await store.counters.take(owner.id, what, limit)) return;
  throw new RegistryError('TIER_LIMIT_REACHED', `The ${owner.tier} tier allows ${limit} ${counted[what].what}.`);
}

/** Throws TIER_RESTRICTION when the organization is frozen. While its owner's tier is the same, it stays as it is. */
export async function requireActive(store: Store, organizationId: string): Promise<void> {
  if ((await store.organizations.statusOf(organizationId)) !== 'frozen') return;
  throw new RegistryError('TIER_RESTRICTION', 'The organization is frozen until its owner is on enterprise again.');
}

export function artifactLimits(ports: Ports, tier: Tier): ArtifactLimits {
  const { dailyArtifactLimit: daily, lifetimeArtifactLimit: lifetime } = ports.tiers[tier];
  return { daily, lifetime };
}

/** Which of the caps of Artifacts has no place left. */
export async function quotaError(
  { store }: Ports,
  { ownerId, limits }: ArtifactPlace,
  now: Date,
): Promise<RegistryError> {
  const { lifetimeArtifacts } = await store.counters.read(ownerId, now);
  const isLifetime = limits.lifetime !== -1 && lifetimeArtifacts >= limits.lifetime;
  return new RegistryError('TIER_RESTRICTION', `${isLifetime ? 'Lifetime' : 'Daily'} artifact limit reached`);
}

/** Throws TIER_LIMIT_REACHED when the organization, whose members its own row counts, has as many as the tier allows. */
export function requireMemberRoom(ports: Ports, { tier }: LimitedOwner, members: number): void {
  const limit = ports.tiers[tier].maxOrganizationMembers;
  if (limit === -1 || members < limit) return;
  throw new RegistryError('TIER_LIMIT_REACHED', `The ${tier} tier allows ${limit} members.`);
}

/** The tier that counts for an organization, held still until the transaction ends. */
export async function lockOrganizationTier(store: Store, organizationId: string): Promise<LimitedOwner | undefined> {
  const ownerId = await store.organizations.ownerOf(organizationId);
  const owner = ownerId && (await store.users.lock(ownerId, 'tier'));
  return owner ? { id: organizationId, tier: owner.tier } : undefined;
}

export function describeTiers({ tiers, billing }: Pick<Ports, 'tiers' | 'billing'>): Tiers {
  return { selfServe: billing === 'self-serve', tiers };
}

export async function describeLimits(
  ports: Ports,
  caller: Caller,
  organizationId: string | undefined,
): Promise<TierLimits> {
  if (organizationId !== undefined) confine(caller, organizationId);
  const owner = await limitedOwner(ports, caller, organizationId ?? caller.keyOrganizationId);
  const now = ports.clock();
  return {
    tier: owner.tier,
    ...limitsOf(ports.tiers[owner.tier]),
    usage: await ports.store.counters.read(owner.id, now),
    resetsAt: nextUtcMidnight(now).toISOString(),
  };
}

async function limitedOwner(ports: Ports, caller: Caller, organizationId: string | undefined): Promise<LimitedOwner> {
  if (organizationId === undefined) return caller.user;
  const organization = await ports.store.organizations.findFor(organizationId, caller.user.id);
  if (!organization) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return organization;
}

export function nextUtcMidnight(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
