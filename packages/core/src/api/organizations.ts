// Organizations: teams that own Marks together, their members and usage units.

import Type, { type Static } from 'typebox';
import { DisplayName, EmailAddress, StringEnum } from '../text.js';
import { Tier } from '../tiers.js';
import { exampleIds, type Operation, Timestamp, Uuid } from './operation.js';

export const Organization = Type.Object(
  {
    id: Uuid('The organization.'),
    name: Type.String(),
    role: StringEnum(['owner', 'member'], { description: "The caller's role." }),
    tier: Tier,
    status: StringEnum(['active', 'frozen'], {
      description: 'Frozen while its owner is not on the enterprise tier: no files can be registered.',
    }),
    usageUnits: Type.Object(
      {
        total: Type.Integer({ description: 'One included unit plus those purchased.' }),
        used: Type.Integer({ description: 'One for each member, including the owner.' }),
      },
      { description: 'Each member takes one usage unit.' },
    ),
    createdAt: Timestamp('When the organization was created.'),
  },
  { title: 'Organization' },
);
export type Organization = Static<typeof Organization>;

export const OrganizationMember = Type.Object(
  {
    id: Uuid('The user.'),
    name: Type.String(),
    role: StringEnum(['owner', 'member'], { description: 'Each organization has one owner.' }),
    isAdmin: Type.Boolean({ description: 'Admin members may create Marks for the organization.' }),
    joinedAt: Timestamp('When the member joined.'),
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

const notFound = 'No such organization, or the caller does not belong to it.';
const notOwner = 'The caller is not the owner.';
const otherOrganization = 'The API key belongs to another organization.';
const frozen = 'The organization is frozen.';

export const createOrganization = {
  id: 'createOrganization',
  method: 'POST',
  path: '/api/v1/organizations',
  tag: 'Organizations',
  summary: 'Create an organization',
  description: 'The caller becomes its owner. The tier limits how many organizations a user may own.',
  auth: 'bearer',
  body: Type.Object({ name: DisplayName("The organization's name.") }),
  exampleBody: { name: 'Analytical Engines' },
  success: {
    status: 201,
    description: 'The organization is created.',
    schema: Organization,
    example: { ...exampleOrganization, usageUnits: { total: 1, used: 1 } },
  },
  errors: {
    TIER_LIMIT_REACHED: 'The caller has reached the number of organizations that the tier allows.',
    API_KEY_ORG_MISMATCH: otherOrganization,
  },
} satisfies Operation;

export const listOrganizations = {
  id: 'listOrganizations',
  method: 'GET',
  path: '/api/v1/organizations',
  tag: 'Organizations',
  summary: 'List your organizations',
  description: 'Organizations the caller belongs to, oldest first; for an API key, its own.',
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
  summary: 'Get an organization',
  description: 'An organization the caller belongs to.',
  auth: 'bearer',
  params: OrganizationParams,
  success: { status: 200, description: 'The organization.', schema: Organization, example: exampleOrganization },
  errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notFound },
} satisfies Operation;

export const putUsageUnits = {
  id: 'putUsageUnits',
  method: 'PUT',
  path: '/api/v1/organizations/{organizationId}/usage-units',
  tag: 'Organizations',
  summary: 'Set purchased usage units',
  description: 'Sets how many usage units are purchased in addition to the included one. Owner only.',
  auth: 'bearer',
  params: OrganizationParams,
  body: Type.Object({ purchased: Type.Integer({ minimum: 0, maximum: 1_000_000 }) }),
  exampleBody: { purchased: 2 },
  success: { status: 200, description: 'The usage units are set.', schema: Organization, example: exampleOrganization },
  errors: {
    BAD_REQUEST: 'Fewer usage units than are in use.',
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    TIER_RESTRICTION: frozen,
    NOT_FOUND: notFound,
  },
} satisfies Operation;

export const addOrganizationMember = {
  id: 'addOrganizationMember',
  method: 'POST',
  path: '/api/v1/organizations/{organizationId}/members',
  tag: 'Organizations',
  summary: 'Add a member',
  description: 'Adds a user with an account, for one usage unit. Owner only.',
  auth: 'bearer',
  params: OrganizationParams,
  body: Type.Object({ email: EmailAddress, isAdmin: Type.Optional(Type.Boolean()) }),
  exampleBody: { email: 'bea@example.com' },
  success: { status: 201, description: 'The new member.', schema: OrganizationMember, example: exampleMember },
  errors: {
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    USAGE_UNIT_LIMIT_REACHED: 'No free usage unit.',
    TIER_LIMIT_REACHED: 'The organization has reached the number of members that its tier allows.',
    TIER_RESTRICTION: frozen,
    NOT_FOUND: `${notFound} Or no account has that email address.`,
    CONFLICT: 'That user is already a member.',
  },
} satisfies Operation;

export const listOrganizationMembers = {
  id: 'listOrganizationMembers',
  method: 'GET',
  path: '/api/v1/organizations/{organizationId}/members',
  tag: 'Organizations',
  summary: 'List members',
  description: 'All members of the organization, the owner first.',
  auth: 'bearer',
  params: OrganizationParams,
  success: {
    status: 200,
    description: 'The members.',
    schema: Type.Array(OrganizationMember),
    example: [exampleMember],
  },
  errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notFound },
} satisfies Operation;

export const updateOrganizationMember = {
  id: 'updateOrganizationMember',
  method: 'PATCH',
  path: '/api/v1/organizations/{organizationId}/members/{userId}',
  tag: 'Organizations',
  summary: "Change a member's admin role",
  description: 'Admin members may create Marks for the organization. Owner only.',
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
    BAD_REQUEST: "The owner's role cannot be changed.",
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notFound} Or no such member.`,
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
  success: { status: 204, description: 'The member is removed.' },
  errors: {
    BAD_REQUEST: 'The owner cannot be removed.',
    FORBIDDEN: notOwner,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notFound} Or no such member.`,
  },
} satisfies Operation;
