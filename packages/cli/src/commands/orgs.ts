// `orgs`: organizations, their members and usage units.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { type CommandGroup, defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { formatFields, formatList, type Text, text } from '../text.js';

const orgArgument = { label: 'ORGANIZATION', summary: 'organization ID' } as const;
const userArgument = { label: 'USER', summary: 'user ID of the member' } as const;

const listCommand = defineCommand({
  name: 'list',
  summary: 'list your organizations',
  description: 'Lists the organizations you belong to, oldest first.',
  examples: [{ run: 'provenance orgs list', meaning: 'Your organizations' }],
  async run(context) {
    const organizations = await (await connectLoggedIn(context)).listOrganizations();
    const rows = organizations.map(({ id, name, role, tier, status, usageUnits }) => [
      id,
      name,
      role,
      tier,
      status,
      `${usageUnits.used} of ${usageUnits.total}`,
    ]);
    context.printResult(
      organizations,
      rows.length > 0 ? formatList(['ID', 'NAME', 'ROLE', 'TIER', 'STATUS', 'UNITS'], rows) : undefined,
    );
    return 0;
  },
});

const createCommand = defineCommand({
  name: 'create',
  summary: 'create an organization',
  description: 'Creates an organization with you as its owner. Your tier limits how many you can own.',
  arguments: { name: { label: 'NAME', summary: 'name of the organization' } },
  examples: [{ run: 'provenance orgs create "Analytical Engines"', meaning: 'Create an organization' }],
  async run(context, { name }) {
    const created = await (await connectLoggedIn(context)).createOrganization({ name });
    context.printResult(created, formatOrganization(created));
    return 0;
  },
});

const showCommand = defineCommand({
  name: 'show',
  summary: 'show an organization',
  description: 'Shows one of your organizations.',
  arguments: { org: orgArgument },
  examples: [{ run: 'provenance orgs show "$ORGANIZATION_ID"', meaning: 'Show an organization' }],
  async run(context, { org: organizationId }) {
    const organization = await (await connectLoggedIn(context)).getOrganization({ organizationId });
    context.printResult(organization, formatOrganization(organization));
    return 0;
  },
});

const unitsCommand = defineCommand({
  name: 'units',
  summary: 'set the number of usage units',
  description:
    'Sets how many usage units to purchase in addition to the included one. Each member uses one unit. Owner only.',
  arguments: { org: orgArgument, purchased: { label: 'COUNT', summary: 'additional usage units', kind: 'integer' } },
  examples: [{ run: 'provenance orgs units "$ORGANIZATION_ID" 2', meaning: 'Units for two more members' }],
  async run(context, { org: organizationId, purchased }) {
    const updated = await (await connectLoggedIn(context)).putUsageUnits({
      organizationId,
      purchased,
    });
    context.printResult(updated, formatOrganization(updated));
    return 0;
  },
});

const listMembersCommand = defineCommand({
  name: 'list',
  summary: 'list members',
  description: 'Lists the members of an organization, the owner first.',
  arguments: { org: orgArgument },
  examples: [{ run: 'provenance orgs members list "$ORGANIZATION_ID"', meaning: 'List members' }],
  async run(context, { org: organizationId }) {
    const members = await (await connectLoggedIn(context)).listOrganizationMembers({ organizationId });
    context.printResult(
      members,
      formatList(
        ['ID', 'NAME', 'ROLE', 'JOINED'],
        members.map((member) => [member.id, member.name, displayRole(member), member.joinedAt]),
      ),
    );
    return 0;
  },
});

const addMemberCommand = defineCommand({
  name: 'add',
  summary: 'add a member',
  description: 'Adds a user to the organization, which uses one usage unit. Owner only.',
  arguments: { org: orgArgument, email: { label: 'EMAIL', summary: 'email address of the account' } },
  options: { admin: { kind: 'flag', summary: 'allow the member to create Marks for the organization' } },
  examples: [
    {
      run: 'provenance orgs members add "$ORGANIZATION_ID" bea@example.com --admin',
      meaning: 'Add Bea as an admin',
    },
  ],
  async run(context, { org: organizationId, email, admin }) {
    const member = await (await connectLoggedIn(context)).addOrganizationMember({
      organizationId,
      email,
      isAdmin: admin,
    });
    context.printResult(member, formatMember(member));
    return 0;
  },
});

const setMemberCommand = defineCommand({
  name: 'set',
  summary: "change a member's role",
  description: "Changes a member's role. Admins can create Marks for the organization. Owner only.",
  arguments: {
    org: orgArgument,
    user: userArgument,
    role: { label: 'ROLE', summary: 'new role', choices: ['admin', 'member'] },
  },
  examples: [
    { run: 'provenance orgs members set "$ORGANIZATION_ID" "$USER_ID" admin', meaning: 'Make a member an admin' },
  ],
  async run(context, { org: organizationId, user: userId, role }) {
    const client = await connectLoggedIn(context);
    const member = await client.updateOrganizationMember({ organizationId, userId, isAdmin: role === 'admin' });
    context.printResult(member, formatMember(member));
    return 0;
  },
});

const removeMemberCommand = defineCommand({
  name: 'remove',
  summary: 'remove a member',
  description: 'Removes a member, which releases a usage unit. Owner only.',
  arguments: { org: orgArgument, user: userArgument },
  examples: [{ run: 'provenance orgs members remove "$ORGANIZATION_ID" "$USER_ID"', meaning: 'Remove a member' }],
  async run(context, { org: organizationId, user: userId }) {
    await (await connectLoggedIn(context)).removeOrganizationMember({ organizationId, userId });
    context.printResult({ organizationId, userId }, text`Member removed.`);
    return 0;
  },
});

export const orgsGroup: CommandGroup = {
  name: 'orgs',
  summary: 'manage organizations and their members',
  description: 'Manages organizations, whose members share Marks and API keys.',
  commands: [
    listCommand,
    showCommand,
    createCommand,
    unitsCommand,
    {
      name: 'members',
      summary: 'manage members of an organization',
      description: 'Manages the members of an organization.',
      commands: [listMembersCommand, addMemberCommand, setMemberCommand, removeMemberCommand],
    },
  ],
};

function formatOrganization({ id, name, role, tier, status, usageUnits, createdAt }: Organization): Text {
  return formatFields([
    ['ID', id],
    ['Name', name],
    ['Your role', role],
    ['Tier', tier],
    ['Status', status],
    ['Usage units', `${usageUnits.used} of ${usageUnits.total} in use`],
    ['Created', createdAt],
  ]);
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
