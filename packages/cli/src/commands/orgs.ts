// `org`: organizations, their members, usage units and history.

import type { RegistryClient } from '@provenance-registry/client';
import type { Organization, OrganizationMember, RegistryEvent } from '@provenance-registry/core';
import { defineApiCommand } from '../apiCommand.js';
import type { CommandGroup } from '../command.js';
import { yesOption } from '../confirmation.js';
import { findId, organizationArgument } from '../names.js';
import { formatFields, formatList, type Text, text } from '../text.js';
import { keyGroup } from './keys.js';
import { defineListCommand, pageOptions } from './pages.js';

const userArgument = { label: 'USER', summary: 'name or ID of the member' } as const;

const LOSS_OF_MEMBER =
  "The member loses all access to the organization's Marks. The admin role of Marks passes to the owner, and invitations " +
  'to Marks that the member made are withdrawn. Registered files stay registered.';

const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list your organizations',
  description: 'Lists the organizations you belong to, oldest first.',
  examples: { 'provenance org list': 'Your organizations' },
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
  examples: { 'provenance org create "Analytical Engines"': 'Create an organization' },
  request: (client, { name }) => client.createOrganization({ name }),
  format: formatOrganization,
});

const showCommand = defineApiCommand({
  name: 'show',
  summary: 'show an organization',
  description: 'Shows one of your organizations.',
  arguments: { organizationId: organizationArgument },
  examples: { 'provenance org show "$ORGANIZATION_ID"': 'Show an organization' },
  request: (client, { organizationId }) => client.getOrganization({ organizationId }),
  format: formatOrganization,
});

const overviewCommand = defineApiCommand({
  name: 'overview',
  summary: 'show totals of an organization',
  description:
    'Shows how many files were registered under the Marks of an organization. With --json also by day and by Mark, and, ' +
    'for the owner and admins, by member.',
  arguments: { organizationId: organizationArgument },
  examples: { 'provenance org overview "$ORGANIZATION_ID"': 'Totals of an organization' },
  request: (client, { organizationId }) => client.getOrganizationOverview({ organizationId }),
  format: ({ artifacts, marks, openClaims }) =>
    formatFields([
      ['Artifacts', String(artifacts.total)],
      ['Today (UTC)', String(artifacts.today)],
      ['Last 30 days', String(artifacts.last30Days)],
      ['On chain', String(artifacts.onChain)],
      ['In progress', String(artifacts.inProgress)],
      ['Failed', String(artifacts.failed)],
      ['Marks', String(marks)],
      ['Open claims', String(openClaims)],
    ]),
});

const unitsCommand = defineApiCommand({
  name: 'units',
  summary: 'set the number of usage units',
  description:
    'Sets how many usage units to purchase in addition to the included one. Each member and each open invitation uses one unit. Owner only.',
  arguments: {
    organizationId: organizationArgument,
    purchased: { label: 'COUNT', summary: 'additional usage units', kind: 'integer' },
  },
  examples: { 'provenance org units "$ORGANIZATION_ID" 20': 'Units for twenty more members' },
  request: (client, { organizationId, purchased }) => client.putUsageUnits({ organizationId, purchased }),
  format: formatOrganization,
});

const listMembersCommand = defineApiCommand({
  name: 'list',
  summary: 'list members',
  description: 'Lists the members of an organization, the owner first.',
  arguments: { organizationId: organizationArgument },
  examples: { 'provenance org member list "$ORGANIZATION_ID"': 'List members' },
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
    organizationId: organizationArgument,
    user: userArgument,
    role: { label: 'ROLE', summary: 'new role', choices: ['admin', 'member'] },
  },
  examples: { 'provenance org member set "$ORGANIZATION_ID" "$USER_ID" admin': 'Make a member an admin' },
  request: async (client, { organizationId, user, role }) =>
    client.updateOrganizationMember({
      organizationId,
      userId: await findMemberId(client, organizationId, user),
      isAdmin: role === 'admin',
    }),
  format: formatMember,
});

const removeMemberCommand = defineApiCommand({
  name: 'remove',
  summary: 'remove a member',
  description: `Removes a member, which releases a usage unit. ${LOSS_OF_MEMBER} Owner only.`,
  arguments: { organizationId: organizationArgument, user: userArgument },
  options: { yes: yesOption },
  examples: { 'provenance org member remove "$ORGANIZATION_ID" "$USER_ID" --yes': 'Remove a member' },
  confirm: async (client, { organizationId, user }) => ({
    consequences: LOSS_OF_MEMBER,
    question: `Remove ${await findMemberName(client, organizationId, user)}?`,
  }),
  async request(client, { organizationId, user }) {
    const userId = await findMemberId(client, organizationId, user);
    await client.removeOrganizationMember({ organizationId, userId });
    return { organizationId, userId };
  },
  format: () => text`Member removed.`,
});

const membersGroup: CommandGroup = {
  name: 'member',
  summary: 'manage members of an organization',
  description: 'Manages the members of an organization.',
  commands: [listMembersCommand, setMemberCommand, removeMemberCommand],
};

const leaveCommand = defineApiCommand({
  name: 'leave',
  summary: 'leave an organization',
  description:
    'Leaves an organization. The owner cannot leave: transfer the organization first, or close your account if you are ' +
    'its only member.',
  arguments: { organizationId: organizationArgument },
  options: { yes: yesOption },
  examples: { 'provenance org leave "$ORGANIZATION_ID" --yes': 'Leave an organization' },
  confirm: async (client, { organizationId }) => ({
    consequences:
      "You lose all access to the organization's Marks, and your admin roles in them pass to the owner. You can return " +
      'only by another invitation. Files that you registered stay registered.',
    question: `Leave ${(await client.getOrganization({ organizationId })).name}?`,
  }),
  async request(client, { organizationId }) {
    const { user } = await client.getMe();
    await client.removeOrganizationMember({ organizationId, userId: user.id });
    return { organizationId };
  },
  format: () => text`You left the organization.`,
});

const transferCommand = defineApiCommand({
  name: 'transfer',
  summary: 'transfer an organization to a member',
  description:
    'Makes a member the owner of the organization; you stay as an admin. Owner only, and with a login: API keys cannot ' +
    'do this.',
  arguments: {
    organizationId: organizationArgument,
    user: { ...userArgument, summary: 'name or ID of the new owner' },
  },
  options: { yes: yesOption },
  examples: { 'provenance org transfer "$ORGANIZATION_ID" "$USER_ID" --yes': 'Make a member the owner' },
  confirm: async (client, { organizationId, user }) => ({
    consequences:
      'Only the new owner can take this back. From then on the tier of the new owner applies: if it is not enterprise, ' +
      'the organization is frozen, and all members but the new owner are removed, you among them. All API keys are ' +
      'revoked; the new owner creates others.',
    question: `Transfer the organization to ${await findMemberName(client, organizationId, user)}?`,
  }),
  request: async (client, { organizationId, user }) =>
    client.transferOrganization({ organizationId, userId: await findMemberId(client, organizationId, user) }),
  format: ({ name }) => text`${name} is transferred.`,
});

const eventsCommand = defineListCommand({
  name: 'events',
  summary: 'show what happened in an organization',
  description:
    'Shows who did what and when, newest first: members, invitations, API keys, Marks, usage units and tier. For the ' +
    'owner and admins.',
  arguments: { organizationId: organizationArgument },
  options: pageOptions,
  examples: { 'provenance org events "$ORGANIZATION_ID" --limit 200': 'The 200 newest events' },
  field: 'events',
  fetchPage: (client, { organizationId }, page) => client.listOrganizationEvents({ organizationId, ...page }),
  format: (events) =>
    formatList(
      ['TIME', 'EVENT', 'BY', 'DETAILS'],
      events.map((event) => [event.at, event.type, event.actor?.name ?? 'the service', displayDetails(event)]),
    ),
});

export const orgGroup: CommandGroup = {
  name: 'org',
  summary: 'manage organizations and their members',
  description: 'Manages organizations, whose members share Marks and API keys.',
  commands: [
    listCommand,
    showCommand,
    overviewCommand,
    createCommand,
    unitsCommand,
    membersGroup,
    keyGroup,
    leaveCommand,
    transferCommand,
    eventsCommand,
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

function findMemberId(client: RegistryClient, organizationId: string, given: string): Promise<string> {
  return findId(given, 'members', () => client.listOrganizationMembers({ organizationId }));
}

/** Finds the name for a confirmation: an unknown member is refused by the service. */
async function findMemberName(client: RegistryClient, organizationId: string, given: string): Promise<string> {
  const members = await client.listOrganizationMembers({ organizationId });
  return members.find(({ id }) => id === given.toLowerCase())?.name ?? given;
}

/** What it is about, and whatever else is known about it. */
function displayDetails({ user, mark, key, data }: RegistryEvent): string {
  const subjects = Object.entries({ user, mark, key }).flatMap(([kind, subject]) =>
    subject ? [`${kind} ${subject.name}`] : [],
  );
  const facts = Object.entries(data ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  return [...subjects, ...facts].join(', ');
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
