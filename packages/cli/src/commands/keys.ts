// `keys`: API keys of organizations.

import type { RegistryClient } from '@provenance-registry/client';
import { defineApiCommand } from '../apiCommand.js';
import { type CommandGroup, defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { UsageError } from '../errors.js';
import { formatList, text } from '../text.js';

const orgOption = { label: 'ORGANIZATION', summary: 'organization ID; optional if you have only one' } as const;

const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list active API keys',
  description: "Lists the organization's active API keys, oldest first, without their tokens.",
  options: { org: orgOption },
  examples: { 'provenance keys list --org "$ORGANIZATION_ID"': 'API keys of an organization' },
  request: async (client, { org }) => client.listApiKeys({ organizationId: await resolveOrganizationId(client, org) }),
  format: (keys) =>
    formatList(
      ['ID', 'NAME', 'TOKEN', 'CREATED', 'LAST USED'],
      keys.map((key) => [key.id, key.name, `${key.prefix}…${key.last4}`, key.createdAt, key.lastUsedAt ?? 'never']),
    ),
});

const createCommand = defineCommand({
  name: 'create',
  summary: 'create an API key',
  description:
    'Creates an API key that acts as the owner of the organization. Its token is printed to standard output and ' +
    'cannot be shown again.',
  arguments: { name: { label: 'NAME', summary: 'what the key is for' } },
  options: { org: orgOption },
  examples: {
    'provenance keys create "build server" --org "$ORGANIZATION_ID" > key.txt': 'Create a key and save its token',
  },
  async run(context, { name, org }) {
    const client = await connectLoggedIn(context);
    const key = await client.createApiKey({ name, organizationId: await resolveOrganizationId(client, org) });
    context.printHint(text`Created API key ${key.name} (${key.id}). Its token is shown only once:`);
    context.printResult(key, text`${key.token}`);
  },
});

const revokeCommand = defineApiCommand({
  name: 'revoke',
  summary: 'revoke an API key',
  description: 'Revokes an API key. It stops working immediately.',
  arguments: { keyId: { label: 'KEY', summary: 'key ID' } },
  options: { org: orgOption },
  examples: { 'provenance keys revoke "$KEY_ID" --org "$ORGANIZATION_ID"': 'Revoke a key' },
  async request(client, { keyId, org }) {
    await client.deleteApiKey({ keyId, organizationId: await resolveOrganizationId(client, org) });
    return { keyId };
  },
  format: () => text`API key revoked.`,
});

async function resolveOrganizationId(client: RegistryClient, organizationId: string | undefined): Promise<string> {
  if (organizationId !== undefined) return organizationId;
  const organizations = await client.listOrganizations();
  const [only, another] = organizations;
  if (only === undefined)
    throw new UsageError("You do not belong to an organization. Create one with 'provenance orgs create NAME'.");
  if (another === undefined) return only.id;
  const choices = organizations.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new UsageError(`Specify an organization with --org: ${choices}.`, ['keys']);
}

export const keysGroup: CommandGroup = {
  name: 'keys',
  summary: 'manage API keys of your organizations',
  description: 'Manages the API keys of your organizations.',
  commands: [listCommand, createCommand, revokeCommand],
};
