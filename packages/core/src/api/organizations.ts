// Organizations: those who own Marks together, and the units that say how many they may be.

import Type, { type Static } from 'typebox';
import { DisplayName, EmailAddress, OneOf } from '../text.js';
import { Tier } from '../tiers.js';
import { exampleIds, type Operation, Timestamp, Uuid } from './operation.js';

export const Organization = Type.Object(
  {
    id: Uuid('The organization.'),
    name: Type.String(),
    role: OneOf(['owner', 'member'], { description: "The caller's role." }),
    tier: Tier,
    status: OneOf(['active', 'frozen'], {
      description: 'Frozen when its owner has left the enterprise tier: nothing can be uploaded then.',
    }),
    usageUnits: Type.Object(
      {
        total: Type.Integer({ description: 'One included, and those purchased.' }),
        used: Type.Integer({ description: 'One for the owner and one for each other member.' }),
      },
      { description: 'How many people it has room for.' },
    ),
    createdAt: Timestamp('When it was made.'),
  },
  { title: 'Organization' },
);
export type Organization = Static<typeof Organization>;

export const OrganizationMember = Type.Object(
  {
    id: Uuid('The user.'),
    name: Type.String(),
    role: OneOf(['owner', 'member'], { description: 'There is one owner.' }),
    isAdmin: Type.Boolean({ description: 'May make Marks for the organization.' }),
    joinedAt: Timestamp('Since when.'),
  },
  { title: 'OrganizationMember' },
);
export type OrganizationMember = Static<typeof OrganizationMember>;

export const exampleOrganization: Organization = {
  id: exampleIds.ORGANIZATION_ID,
  name: 'Analytical Engines',
  role: 'owner',
  tier: 'enterprise',
  status: 'active',
  usageUnits: { total: 3, used: 2 },
  createdAt: '2026-06-01T12:00:00.000Z',
};
const exampleMember: OrganizationMember = {
  id: '7b2e9c1d-4f3a-4d8b-a6e5-1c0f9d8e7b54',
  name: 'Bea',
  role: 'member',
  isAdmin: false,
  joinedAt: '2026-06-01T12:00:00.000Z',
};

const OrganizationParams = Type.Object({ organizationId: Uuid('The organization.') });
const MemberParams = Type.Object({ organizationId: Uuid('The organization.'), userId: Uuid('The member.') });

const notThere = 'There is no such organization, or the caller does not belong to it.';
const notOwner = 'The caller is not the owner.';
const otherOrganization = 'An API key reaches for another organization than its own.';
const frozen = 'The organization is frozen.';

export const createOrganization = {
  id: 'createOrganization',
  method: 'POST',
  path: '/api/v1/organizations',
  tag: 'Organizations',
  summary: 'Make an organization',
  description: 'The caller becomes its owner. How many one may own depends on the tier.',
  auth: 'bearer',
  body: Type.Object({ name: DisplayName("The organization's name.") }),
  exampleBody: { name: 'Analytical Engines' },
  success: {
    status: 201,
    description: 'It is made.',
    schema: Organization,
    example: { ...exampleOrganization, usageUnits: { total: 1, used: 1 } },
  },
  errors: {
    TIER_LIMIT_REACHED: 'The caller owns as many organizations as the tier allows.',
    API_KEY_ORG_MISMATCH: otherOrganization,
  },
} satisfies Operation;

export const listOrganizations = {
  id: 'listOrganizations',
  method: 'GET',
  path: '/api/v1/organizations',
  tag: 'Organizations',
  summary: 'My organizations',
  description: 'Those that the caller belongs to, oldest first; for an API key, its own.',
  auth: 'bearer',
  success: {
    status: 200,
    description: 'The organizations.',
    schema: Type.Array(Organization),
    example: [exampleOrganization],
  },
  errors: {},
} satisfies Operation;

export const getOrganization = {
  id: 'getOrganization',
  method: 'GET',
  path: '/api/v1/organizations/{organizationId}',
  tag: 'Organizations',
  summary: 'One of my organizations',
  description: 'An organization that the caller belongs to.',
  auth: 'bearer',
  params: OrganizationParams,
  success: { status: 200, description: 'The organization.', schema: Organization, example: exampleOrganization },
  errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notThere },
} satisfies Operation;

export const putUsageUnits = {
  id: 'putUsageUnits',
  method: 'PUT',
  path: '/api/v1/organizations/{organizationId}/usage-units',
  tag: 'Organizations',
  summary: 'Buy or return usage units',
  description: 'Sets how many units are purchased beyond the included one. Owner only.',
  auth: 'bearer',
  params: OrganizationParams,
  body: Type.Object({ purchased: Type.Integer({ minimum: 0, maximum: 1_000_000 }) }),
  exampleBody: { purchased: 2 },
  success: { status: 200, description: 'The units are set.', schema: Organization, example: exampleOrganization },
  errors: {
    BAD_REQUEST: 'Fewer units than are in use.',
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    TIER_RESTRICTION: frozen,
    NOT_FOUND: notThere,
  },
} satisfies Operation;

export const addOrganizationMember = {
  id: 'addOrganizationMember',
  method: 'POST',
  path: '/api/v1/organizations/{organizationId}/members',
  tag: 'Organizations',
  summary: 'Add a member',
  description: 'Takes somebody who has an account in, for one usage unit. Owner only.',
  auth: 'bearer',
  params: OrganizationParams,
  body: Type.Object({ email: EmailAddress, isAdmin: Type.Optional(Type.Boolean()) }),
  exampleBody: { email: 'bea@example.com' },
  success: { status: 201, description: 'The new member.', schema: OrganizationMember, example: exampleMember },
  errors: {
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    USAGE_UNIT_LIMIT_REACHED: 'No usage unit is free.',
    TIER_LIMIT_REACHED: 'The organization has as many members as its tier allows.',
    TIER_RESTRICTION: frozen,
    NOT_FOUND: `${notThere} Or nobody has that email address.`,
    CONFLICT: 'That person is a member already.',
  },
} satisfies Operation;

export const listOrganizationMembers = {
  id: 'listOrganizationMembers',
  method: 'GET',
  path: '/api/v1/organizations/{organizationId}/members',
  tag: 'Organizations',
  summary: 'Members',
  description: 'Everybody in the organization, the owner first.',
  auth: 'bearer',
  params: OrganizationParams,
  success: {
    status: 200,
    description: 'The members.',
    schema: Type.Array(OrganizationMember),
    example: [exampleMember],
  },
  errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notThere },
} satisfies Operation;

export const updateOrganizationMember = {
  id: 'updateOrganizationMember',
  method: 'PATCH',
  path: '/api/v1/organizations/{organizationId}/members/{userId}',
  tag: 'Organizations',
  summary: 'Make a member an admin, or not',
  description: 'Admin members may make Marks for the organization. Owner only.',
  auth: 'bearer',
  params: MemberParams,
  body: Type.Object({ isAdmin: Type.Boolean() }),
  exampleBody: { isAdmin: true },
  success: {
    status: 200,
    description: 'The member.',
    schema: OrganizationMember,
    example: { ...exampleMember, isAdmin: true },
  },
  errors: {
    BAD_REQUEST: 'The member is the owner, who can do everything.',
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notThere} Or it has no such member.`,
  },
} satisfies Operation;

export const removeOrganizationMember = {
  id: 'removeOrganizationMember',
  method: 'DELETE',
  path: '/api/v1/organizations/{organizationId}/members/{userId}',
  tag: 'Organizations',
  summary: 'Remove a member',
  description: 'Frees a usage unit. Owner only.',
  auth: 'bearer',
  params: MemberParams,
  success: { status: 204, description: 'The member is out.' },
  errors: {
    BAD_REQUEST: 'The member is the owner, who cannot leave.',
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notThere} Or it has no such member.`,
  },
} satisfies Operation;
