// Organizations: teams that own Marks together, their members and usage units.

import Type, { type Static } from 'typebox';
import { PublicName, StringEnum } from '../../text/text.js';
import { Tier } from '../../tiers.js';
import { created, exampleMember, exampleTime, noContent, ok, operations, route } from '../declarations.js';
import { exampleIds, Timestamp, Uuid } from '../operation.js';
import { exampleOverview, OrganizationOverview } from './organizationOverview.js';

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
        used: Type.Integer({ description: 'One for each member, including the owner, and for each open invitation.' }),
      },
      { description: 'Each member and each open invitation takes one usage unit.' },
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
  createdAt: exampleTime,
};
const example: OrganizationMember = { ...exampleMember, role: 'member', isAdmin: false, joinedAt: exampleTime };

const OrganizationParams = Type.Object({ organizationId: Uuid('The organization.') });
const MemberParams = Type.Object({ organizationId: Uuid('The organization.'), userId: Uuid('The member.') });

const notFound = 'No such organization, or the caller does not belong to it.';
const otherOrganization = 'The API key belongs to another organization.';
export const ownerErrors = { FORBIDDEN: 'The caller is not the owner.', API_KEY_ORG_MISMATCH: otherOrganization };
export const frozen = 'The organization is frozen.';

export const organizationOperations = operations('Organizations', {
  createOrganization: {
    ...route('POST', '/api/v1/organizations', 'bearer'),
    summary: 'Create an organization',
    description: 'The caller becomes its owner. The tier limits how many organizations a user may own.',
    body: Type.Object({ name: PublicName("The organization's name.") }),
    exampleBody: { name: 'Analytical Engines' },
    success: created(
      'The organization is created.',
      Organization,
      { ...exampleOrganization, usageUnits: { total: 1, used: 1 } },
      '/api/v1/organizations/{id}',
    ),
    errors: {
      TIER_LIMIT_REACHED: 'The caller has reached the number of organizations that the tier allows.',
      API_KEY_ORG_MISMATCH: 'The caller is an API key, which belongs to one organization.',
    },
  },
  listOrganizations: {
    ...route('GET', '/api/v1/organizations', 'bearer'),
    summary: 'List your organizations',
    description: 'Organizations the caller belongs to, oldest first; for an API key, its own.',
    success: ok('The organizations.', Type.Array(Organization), [exampleOrganization]),
    errors: {},
  },
  getOrganization: {
    ...route('GET', '/api/v1/organizations/{organizationId}', 'bearer'),
    summary: 'Get an organization',
    description: 'An organization the caller belongs to.',
    params: OrganizationParams,
    success: ok('The organization.', Organization, exampleOrganization),
    errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notFound },
  },
  getOrganizationOverview: {
    ...route('GET', '/api/v1/organizations/{organizationId}/overview', 'bearer'),
    summary: 'Get the overview of an organization',
    description:
      'Totals, registrations per day, and counts by Mark: for every member. Counts by member: for the owner, admin ' +
      'members and API keys. Failed Artifacts are counted separately, signed copies not at all.',
    params: OrganizationParams,
    success: ok('The overview.', OrganizationOverview, exampleOverview),
    errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notFound },
  },
  putUsageUnits: {
    ...route('PUT', '/api/v1/organizations/{organizationId}/usage-units', 'bearer'),
    summary: 'Set purchased usage units',
    description: 'Sets how many usage units are purchased in addition to the included one. Owner only.',
    params: OrganizationParams,
    body: Type.Object({ purchased: Type.Integer({ minimum: 0, maximum: 1_000_000 }) }),
    exampleBody: { purchased: 2 },
    success: ok('The usage units are set.', Organization, exampleOrganization),
    errors: {
      BAD_REQUEST: 'Fewer usage units than are in use.',
      ...ownerErrors,
      TIER_RESTRICTION: frozen,
      NOT_FOUND: notFound,
    },
  },
  listOrganizationMembers: {
    ...route('GET', '/api/v1/organizations/{organizationId}/members', 'bearer'),
    summary: 'List members',
    description: 'All members of the organization, the owner first.',
    params: OrganizationParams,
    success: ok('The members.', Type.Array(OrganizationMember), [example]),
    errors: { API_KEY_ORG_MISMATCH: otherOrganization, NOT_FOUND: notFound },
  },
  updateOrganizationMember: {
    ...route('PATCH', '/api/v1/organizations/{organizationId}/members/{userId}', 'bearer'),
    summary: "Change a member's admin role",
    description: 'Admin members may create Marks for the organization. Owner only, not with an API key.',
    params: MemberParams,
    body: Type.Object({ isAdmin: Type.Boolean() }),
    exampleBody: { isAdmin: true },
    success: ok('The member.', OrganizationMember, { ...example, isAdmin: true }),
    errors: {
      BAD_REQUEST: "The owner's role cannot be changed.",
      ...ownerErrors,
      FORBIDDEN: 'The caller is not the owner, or is an API key.',
      NOT_FOUND: `${notFound} Or no such member.`,
    },
  },
  removeOrganizationMember: {
    ...route('DELETE', '/api/v1/organizations/{organizationId}/members/{userId}', 'bearer'),
    summary: 'Remove a member, or leave',
    description:
      "Takes all of the member's access to the organization: also membership of its Marks, and the admin role of its " +
      'Marks, which passes to the owner. Frees a usage unit. For the owner, and for the member itself.',
    params: MemberParams,
    success: noContent('The member is removed.'),
    errors: {
      BAD_REQUEST: 'The owner cannot be removed, and leaves by transferring the organization first.',
      ...ownerErrors,
      FORBIDDEN: 'The caller is neither the owner nor the member, or is an API key and the member is an admin member.',
      NOT_FOUND: `${notFound} Or no such member.`,
    },
  },
  transferOrganization: {
    ...route('PUT', '/api/v1/organizations/{organizationId}/owner', 'bearer'),
    summary: 'Transfer an organization',
    description:
      'Makes a member the owner; the caller stays as an admin member. The tier of the organization is that of its new ' +
      'owner from then on: if it leaves `enterprise` this way it freezes, which removes the caller too. All its API keys ' +
      'are revoked, with the webhooks and invitations that they made. Owner only, not with an API key.',
    params: OrganizationParams,
    body: Type.Object({ userId: Uuid('The member who becomes the owner.') }),
    exampleBody: { userId: exampleMember.id },
    success: ok('The organization, as the caller sees it now.', Organization, {
      ...exampleOrganization,
      role: 'member',
    }),
    errors: {
      BAD_REQUEST: 'The user is the owner already.',
      ...ownerErrors,
      FORBIDDEN: 'The caller is not the owner, or is an API key.',
      TIER_LIMIT_REACHED: "The new owner's tier has no room for another organization.",
      NOT_FOUND: `${notFound} Or no such member.`,
    },
  },
});
