// `orgs`: organizations, their members and usage units.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { defineApiCommand } from '../apiCommand.js';
import type { CommandGroup } from '../command.js';
import { formatFields, formatList, type Text, text } from '../text.js';
import {
  createAcceptCommand,
  createDeclineCommand,
  inviteToOrganizationCommand,
  organizationInvitationsGroup,
} from './invitations.js';

const orgArgument = { label: 'ORGANIZATION', summary: 'organization ID' } as const;
const userArgument = { label: 'USER', summary: 'user ID of the member' } as const;

const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list your organizations',
  description: 'Lists the organizations you belong to, oldest first.',
  examples: { 'provenance orgs list': 'Your organizations' },
  request: (client) => client.listOrganizations(),
  format: (organizations) =>
    formatList(
      ['ID', 'NAME', 'ROLE', 'TIER', 'STATUS', 'UNITS'],
      organizations.map((org) => [org.id, org.name, org.role, org.tier, org.status, displayUnits(org)]),
    ),
});

const createCommand = defineApiCommand({
  name: 'create',
  summary: 'create an organization',
  description: 'Creates an organization with you as its owner. Your tier limits how many you can own.',
  arguments: { name: { label: 'NAME', summary: 'name of the organization' } },
  examples: { 'provenance orgs create "Analytical Engines"': 'Create an organization' },
  request: (client, { name }) => client.createOrganization({ name }),
  format: formatOrganization,
});

const showCommand = defineApiCommand({
  name: 'show',
  summary: 'show an organization',
  description: 'Shows one of your organizations.',
  arguments: { organizationId: orgArgument },
  examples: { 'provenance orgs show "$ORGANIZATION_ID"': 'Show an organization' },
  request: (client, { organizationId }) => client.getOrganization({ organizationId }),
  format: formatOrganization,
});

const unitsCommand = defineApiCommand({
  name: 'units',
  summary: 'set the number of usage units',
  description:
    'Sets how many usage units to purchase in addition to the included one. Each member uses one unit. Owner only.',
  arguments: {
    organizationId: orgArgument,
    purchased: { label: 'COUNT', summary: 'additional usage units', kind: 'integer' },
  },
  examples: { 'provenance orgs units "$ORGANIZATION_ID" 2': 'Units for two more members' },
  request: (client, { organizationId, purchased }) => client.putUsageUnits({ organizationId, purchased }),
  format: formatOrganization,
});

const listMembersCommand = defineApiCommand({
  name: 'list',
  summary: 'list members',
  description: 'Lists the members of an organization, the owner first.',
  arguments: { organizationId: orgArgument },
  examples: { 'provenance orgs members list "$ORGANIZATION_ID"': 'List members' },
  request: (client, { organizationId }) => client.listOrganizationMembers({ organizationId }),
  format: (members) =>
    formatList(
      ['ID', 'NAME', 'ROLE', 'JOINED'],
      members.map((member) => [member.id, member.name, displayRole(member), member.joinedAt]),
    ),
});

const setMemberCommand = defineApiCommand({
  name: 'set',
  summary: "change a member's role",
  description: "Changes a member's role. Admins can create Marks for the organization. Owner only.",
  arguments: {
    organizationId: orgArgument,
    userId: userArgument,
    role: { label: 'ROLE', summary: 'new role', choices: ['admin', 'member'] },
  },
  examples: { 'provenance orgs members set "$ORGANIZATION_ID" "$USER_ID" admin': 'Make a member an admin' },
  request: (client, { organizationId, userId, role }) =>
    client.updateOrganizationMember({ organizationId, userId, isAdmin: role === 'admin' }),
  format: formatMember,
});

const removeMemberCommand = defineApiCommand({
  name: 'remove',
  summary: 'remove a member',
  description: 'Removes a member, which releases a usage unit. Owner only.',
  arguments: { organizationId: orgArgument, userId: userArgument },
  examples: { 'provenance orgs members remove "$ORGANIZATION_ID" "$USER_ID"': 'Remove a member' },
  async request(client, { organizationId, userId }) {
    await client.removeOrganizationMember({ organizationId, userId });
    return { organizationId, userId };
  },
  format: () => text`Member removed.`,
});

const membersGroup: CommandGroup = {
  name: 'members',
  summary: 'manage members of an organization',
  description: 'Manages the members of an organization.',
  commands: [listMembersCommand, setMemberCommand, removeMemberCommand],
};

export const orgsGroup: CommandGroup = {
  name: 'orgs',
  summary: 'manage organizations and their members',
  description: 'Manages organizations, whose members share Marks and API keys.',
  commands: [
    listCommand,
    showCommand,
    createCommand,
    unitsCommand,
    membersGroup,
    inviteToOrganizationCommand,
    organizationInvitationsGroup,
    createAcceptCommand('orgs'),
    createDeclineCommand('orgs'),
  ],
};

function formatOrganization(org: Organization): Text {
  return formatFields([
    ['ID', org.id],
    ['Name', org.name],
    ['Your role', org.role],
    ['Tier', org.tier],
    ['Status', org.status],
    ['Usage units', `${displayUnits(org)} in use`],
    ['Created', org.createdAt],
  ]);
}

function displayUnits({ usageUnits: { used, total } }: Organization): string {
  return `${used} of ${total}`;
}

function formatMember(member: OrganizationMember): Text {
  return formatFields([
    ['ID', member.id],
    ['Name', member.name],
    ['Role', displayRole(member)],
    ['Joined', member.joinedAt],
  ]);
}

function displayRole({ role, isAdmin }: OrganizationMember): string {
  return role === 'member' && isAdmin ? 'admin' : role;
}
