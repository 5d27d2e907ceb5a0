// Tier limits and current usage.

import Type, { type Static } from 'typebox';
import { defaultTiers, limitsOf, Tier, TierRules } from '../tiers.js';
import { ok, operations, route } from './declarations.js';
import { exampleIds, Timestamp, Uuid } from './operation.js';

export const TierLimits = Type.Object(
  {
    tier: Tier,
    ...Type.Omit(TierRules, ['privateMarks', 'markEditing', 'apiKeys']).properties,
    usage: Type.Object({
      dailyArtifacts: Type.Integer(),
      lifetimeArtifacts: Type.Integer(),
      marks: Type.Integer(),
      organizations: Type.Integer(),
    }),
    resetsAt: Timestamp('The next midnight UTC, when the daily count resets.'),
  },
  { title: 'TierLimits', description: 'A limit of -1 means unlimited.' },
);
export type TierLimits = Static<typeof TierLimits>;

export const Tiers = Type.Object(
  {
    selfServe: Type.Boolean({ description: 'Whether users can change their own tier; if not, the operator sets it.' }),
    sendsMail: Type.Boolean({
      description: 'Whether the service sends mail: for verification, password resets, invitations and notices.',
    }),
    tiers: Type.Object({ free: TierRules, creator: TierRules, enterprise: TierRules }),
  },
  { title: 'Tiers', description: 'A limit of -1 means unlimited.' },
);
export type Tiers = Static<typeof Tiers>;

export const limitOperations = operations('Limits', {
  getTierLimits: {
    ...route('GET', '/api/tier/limits', 'bearer'),
    summary: 'Get limits and usage',
    description:
      "The caller's own limits, or those of one of the caller's organizations; for an API key, those of its organization.",
    query: Type.Object({ organizationId: Type.Optional(Uuid("One of the caller's organizations.")) }),
    exampleQuery: { organizationId: exampleIds.ORGANIZATION_ID },
    success: ok('Limits and usage.', TierLimits, {
      tier: 'free',
      ...limitsOf(defaultTiers.free),
      usage: { dailyArtifacts: 3, lifetimeArtifacts: 17, marks: 1, organizations: 0 },
      resetsAt: '2026-06-02T00:00:00.000Z',
    }),
    errors: {
      NOT_FOUND: 'No such organization, or the caller does not belong to it.',
      API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
    },
  },
  listTiers: {
    ...route('GET', '/api/tiers', 'none'),
    summary: 'List tiers',
    description: 'The limits of each tier of this service. No token needed.',
    success: ok('The tiers.', Tiers, { selfServe: true, sendsMail: true, tiers: defaultTiers }),
    hasEtag: true,
    errors: {},
  },
});
