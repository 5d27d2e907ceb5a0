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
      ['ID', 'NAME', 'TOKEN', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED', 'FROM', 'CLIENT'],
      keys.map((key) => [
        key.id,
        key.name,
        `${key.prefix}…${key.last4}`,
        key.scope ?? 'all',
        key.createdAt,
        key.expiresAt ?? 'never',
        key.lastUsedAt ?? 'never',
        key.lastUsedAddress ?? '',
        key.lastUsedAgent ?? '',
      ]),
    ),
});

const createCommand = defineCommand({
  name: 'create',
  summary: 'create an API key',
  description:
    'Creates an API key that acts as the owner of the organization, or only as far as its scope allows: read to read, ' +
    'register to read and register files, manage to read and manage the organization. Its token is printed to standard ' +
    'output and cannot be shown again.',
  arguments: { name: { label: 'NAME', summary: 'what the key is for' } },
  options: {
    org: orgOption,
    scope: {
      label: 'SCOPE',
      summary: 'what the key may do (default: everything)',
      choices: async () => (await import('@provenance-registry/core')).apiKeyScopes,
    },
    expires: { label: 'WHEN', summary: 'days from now (90d), or a date or time (2027-01-31; UTC). Default: never' },
  },
  examples: {
    'provenance keys create "build server" --org "$ORGANIZATION_ID" > key.txt': 'Create a key and save its token',
    'provenance keys create camera --org "$ORGANIZATION_ID" --scope register --expires 90d > key.txt':
      'Create a key that only registers files, for 90 days',
  },
  async run(context, { name, org, scope, expires }) {
    const expiresAt = expires === undefined ? undefined : parseExpiry(expires, Date.now());
    const client = await connectLoggedIn(context);
    const organizationId = await resolveOrganizationId(client, org);
    const key = await client.createApiKey({ name, organizationId, scope, expiresAt });
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

const DAY_MS = 86_400_000;

/** The service refuses a time in the past. */
function parseExpiry(value: string, now: number): string {
  const [, days] = /^(\d{1,5})d$/.exec(value) ?? [];
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(value);
  const time = days === undefined ? (isDate ? Date.parse(value) : Number.NaN) : now + Number(days) * DAY_MS;
  if (Number.isNaN(time)) {
    throw new UsageError(`--expires must be days such as 90d, or a date such as 2027-01-31, not '${value}'.`, [
      'keys',
      'create',
    ]);
  }
  return new Date(time).toISOString();
}

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
