// The subscription tiers and their limits. `-1` means unlimited.

import Type, { type Static } from 'typebox';
import { StringEnum } from './text/text.js';

export const tierNames = ['free', 'creator', 'enterprise'] as const;

export const Tier = StringEnum(tierNames, { title: 'Tier', description: 'A subscription tier.' });
export type Tier = (typeof tierNames)[number];

const Limit = Type.Integer({ minimum: -1, maximum: 2_147_483_647 });

export const TierRules = Type.Object({
  dailyArtifactLimit: Limit,
  lifetimeArtifactLimit: Limit,
  maxMarks: Limit,
  maxOrganizations: Limit,
  maxOrganizationMembers: Limit,
  privateMarks: Type.Boolean(),
  markEditing: Type.Boolean(),
  apiKeys: Type.Boolean(),
});
export type TierRules = Static<typeof TierRules>;

/** Active keys per organization. Needing a sixth usually means that unused keys are not revoked. */
export const MAX_API_KEYS = 5;

export type TierTable = Readonly<Record<Tier, TierRules>>;

const SomeTierRules = Type.Partial(TierRules, { additionalProperties: false });

/** The contents of a TIERS_FILE: any part of the table. */
export const TierOverrides = Type.Partial(
  Type.Object({ free: SomeTierRules, creator: SomeTierRules, enterprise: SomeTierRules }),
  { additionalProperties: false },
);
export type TierOverrides = Static<typeof TierOverrides>;

export const defaultTiers: TierTable = {
  free: {
    dailyArtifactLimit: 25,
    lifetimeArtifactLimit: 250,
    maxMarks: 3,
    maxOrganizations: 0,
    maxOrganizationMembers: 0,
    privateMarks: false,
    markEditing: false,
    apiKeys: false,
  },
  creator: {
    dailyArtifactLimit: 500,
    lifetimeArtifactLimit: 25_000,
    maxMarks: 50,
    maxOrganizations: 1,
    maxOrganizationMembers: 5,
    privateMarks: true,
    markEditing: true,
    apiKeys: false,
  },
  enterprise: {
    dailyArtifactLimit: -1,
    lifetimeArtifactLimit: -1,
    maxMarks: -1,
    maxOrganizations: -1,
    maxOrganizationMembers: -1,
    privateMarks: true,
    markEditing: true,
    apiKeys: true,
  },
};

export function overrideTiers(overrides: TierOverrides): TierTable {
  return {
    free: { ...defaultTiers.free, ...overrides.free },
    creator: { ...defaultTiers.creator, ...overrides.creator },
    enterprise: { ...defaultTiers.enterprise, ...overrides.enterprise },
  };
}

/** The numeric limits, without the feature flags. */
export function limitsOf({ privateMarks: _, markEditing: _editing, apiKeys: _keys, ...limits }: TierRules) {
  return limits;
}
