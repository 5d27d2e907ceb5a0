// `orgs`: organizations, who is in them, and how many may be.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { command, type Group } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { fields, list, type Text, text } from '../text.js';

const org = { label: 'ORGANIZATION', summary: 'id of the organization' } as const;
const user = { label: 'USER', summary: 'id of the member' } as const;

const listCommand = command({
  name: 'list',
  summary: 'your organizations',
  description: 'Lists the organizations that you belong to, oldest first.',
  examples: [{ run: 'provenance orgs list', meaning: 'All of them' }],
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
    context.result(
      organizations,
      rows.length > 0 ? list(['ID', 'NAME', 'ROLE', 'TIER', 'STATUS', 'UNITS'], rows) : undefined,
    );
    return 0;
  },
});

const createCommand = command({
  name: 'create',
  summary: 'make an organization',
  description: 'Makes an organization, of which you become the owner. How many you may own depends on your tier.',
  arguments: { name: { label: 'NAME', summary: 'what it is called' } },
  examples: [{ run: 'provenance orgs create "Analytical Engines"', meaning: 'An organization' }],
  async run(context, { name }) {
    const made = await (await connectLoggedIn(context)).createOrganization({ name });
    context.result(made, organizationFields(made));
    return 0;
  },
});

const showCommand = command({
  name: 'show',
  summary: 'one organization',
  description: 'Shows one of your organizations.',
  arguments: { org },
  examples: [{ run: 'provenance orgs show "$ORGANIZATION_ID"', meaning: 'An organization' }],
  async run(context, given) {
    const found = await (await connectLoggedIn(context)).getOrganization({ organizationId: given.org });
    context.result(found, organizationFields(found));
    return 0;
  },
});

const unitsCommand = command({
  name: 'units',
  summary: 'buy or return usage units',
  description:
    'Sets how many usage units are purchased beyond the included one. Everybody in the organization takes one. Owner only.',
  arguments: { org, purchased: { label: 'COUNT', summary: 'units beyond the included one', kind: 'integer' } },
  examples: [{ run: 'provenance orgs units "$ORGANIZATION_ID" 2', meaning: 'Room for two more people' }],
  async run(context, given) {
    const changed = await (await connectLoggedIn(context)).putUsageUnits({
      organizationId: given.org,
      purchased: given.purchased,
    });
    context.result(changed, organizationFields(changed));
    return 0;
  },
});

const listMembers = command({
  name: 'list',
  summary: 'who is in an organization',
  description: 'Lists everybody in the organization, the owner first.',
  arguments: { org },
  examples: [{ run: 'provenance orgs members list "$ORGANIZATION_ID"', meaning: 'Everybody' }],
  async run(context, given) {
    const members = await (await connectLoggedIn(context)).listOrganizationMembers({ organizationId: given.org });
    context.result(
      members,
      list(
        ['ID', 'NAME', 'ROLE', 'SINCE'],
        members.map((one) => [one.id, one.name, roleOf(one), one.joinedAt]),
      ),
    );
    return 0;
  },
});

const addMember = command({
  name: 'add',
  summary: 'take somebody in',
  description: 'Takes somebody who has an account in, for one usage unit. Owner only.',
  arguments: { org, email: { label: 'EMAIL', summary: 'address of the account' } },
  options: { admin: { kind: 'flag', summary: 'may also make Marks for the organization' } },
  examples: [
    {
      run: 'provenance orgs members add "$ORGANIZATION_ID" bea@example.com --admin',
      meaning: 'Take Bea in, as an admin',
    },
  ],
  async run(context, { org: organizationId, email, admin }) {
    const member = await (await connectLoggedIn(context)).addOrganizationMember({
      organizationId,
      email,
      isAdmin: admin,
    });
    context.result(member, memberFields(member));
    return 0;
  },
});

const setMember = command({
  name: 'set',
  summary: 'make a member an admin, or not',
  description: 'Admin members may make Marks for the organization. Owner only.',
  arguments: { org, user, role: { label: 'ROLE', summary: 'what the member is to be', choices: ['admin', 'member'] } },
  examples: [
    { run: 'provenance orgs members set "$ORGANIZATION_ID" "$USER_ID" admin', meaning: 'Make an admin of a member' },
  ],
  async run(context, { org: organizationId, user: userId, role }) {
    const client = await connectLoggedIn(context);
    const member = await client.updateOrganizationMember({ organizationId, userId, isAdmin: role === 'admin' });
    context.result(member, memberFields(member));
    return 0;
  },
});

const removeMember = command({
  name: 'remove',
  summary: 'put somebody out',
  description: 'Removes a member, which frees a usage unit. Owner only.',
  arguments: { org, user },
  examples: [{ run: 'provenance orgs members remove "$ORGANIZATION_ID" "$USER_ID"', meaning: 'Remove a member' }],
  async run(context, { org: organizationId, user: userId }) {
    await (await connectLoggedIn(context)).removeOrganizationMember({ organizationId, userId });
    context.result({ organizationId, userId }, text`The member is out.`);
    return 0;
  },
});

export const orgsGroup: Group = {
  name: 'orgs',
  summary: 'your organizations and their members',
  description: 'Organizations: those who own Marks together.',
  commands: [
    listCommand,
    showCommand,
    createCommand,
    unitsCommand,
    {
      name: 'members',
      summary: 'who is in an organization',
      description: 'Those who are in an organization.',
      commands: [listMembers, addMember, setMember, removeMember],
    },
  ],
};

function organizationFields({ id, name, role, tier, status, usageUnits, createdAt }: Organization): Text {
  return fields([
    ['Id', id],
    ['Name', name],
    ['Your role', role],
    ['Tier', tier],
    ['Status', status],
    ['Usage units', `${usageUnits.used} of ${usageUnits.total} in use`],
    ['Since', createdAt],
  ]);
}

function memberFields(member: OrganizationMember): Text {
  return fields([
    ['Id', member.id],
    ['Name', member.name],
    ['Role', roleOf(member)],
    ['Since', member.joinedAt],
  ]);
}

function roleOf({ role, isAdmin }: OrganizationMember): string {
  return role === 'member' && isAdmin ? 'admin' : role;
}
