// What the tiers allow, and how much of it is used.

import Type, { type Static } from 'typebox';
import { defaultTiers, limitsOf, Tier, TierRules } from '../tiers.js';
import { exampleIds, type Operation, Timestamp, Uuid } from './operation.js';

const { dailyArtifactLimit, lifetimeArtifactLimit, maxMarks, maxOrganizations, maxOrganizationMembers } =
  TierRules.properties;

export const TierLimits = Type.Object(
  {
    tier: Tier,
    dailyArtifactLimit,
    lifetimeArtifactLimit,
    maxMarks,
    maxOrganizations,
    maxOrganizationMembers,
    usage: Type.Object({
      dailyArtifacts: Type.Integer(),
      lifetimeArtifacts: Type.Integer(),
      marks: Type.Integer(),
      organizations: Type.Integer(),
    }),
    resetsAt: Timestamp('The next UTC midnight, when the daily count begins anew.'),
  },
  { title: 'TierLimits', description: 'A limit of -1 means unlimited.' },
);
export type TierLimits = Static<typeof TierLimits>;

export const getTierLimits = {
  id: 'getTierLimits',
  method: 'GET',
  path: '/api/tier/limits',
  tag: 'Limits',
  summary: 'What may I, and what have I used?',
  description:
    "The caller's own limits, or those of one of the caller's organizations; for an API key, its organization's.",
  auth: 'bearer',
  query: Type.Object({ organizationId: Type.Optional(Uuid('One of the caller’s organizations.')) }),
  exampleQuery: { organizationId: exampleIds.ORGANIZATION_ID },
  success: {
    status: 200,
    description: 'Limits and usage.',
    schema: TierLimits,
    example: {
      tier: 'free',
      ...limitsOf(defaultTiers.free),
      usage: { dailyArtifacts: 3, lifetimeArtifacts: 17, marks: 1, organizations: 0 },
      resetsAt: '2026-06-02T00:00:00.000Z',
    },
  },
  errors: {
    NOT_FOUND: 'There is no such organization, or the caller does not belong to it.',
    API_KEY_ORG_MISMATCH: "The organization is not the API key's own.",
  },
} satisfies Operation;

export const Tiers = Type.Object(
  {
    selfServe: Type.Boolean({ description: 'Whether people choose their tier themselves; if not, the operator does.' }),
    tiers: Type.Object({ free: TierRules, creator: TierRules, enterprise: TierRules }),
  },
  { title: 'Tiers', description: 'A limit of -1 means unlimited.' },
);
export type Tiers = Static<typeof Tiers>;

export const listTiers = {
  id: 'listTiers',
  method: 'GET',
  path: '/api/tiers',
  tag: 'Limits',
  summary: 'What does each tier allow?',
  description: 'The tiers as this service has them. Needs no token.',
  auth: 'none',
  success: {
    status: 200,
    description: 'The tiers.',
    schema: Tiers,
    example: { selfServe: true, tiers: defaultTiers },
  },
  errors: {},
} satisfies Operation;
