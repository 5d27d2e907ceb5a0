// `org key`: API keys of organizations.

import { defineApiCommand } from '../apiCommand.js';
import type { CommandGroup } from '../command.js';
import { UsageError } from '../errors.js';
import { chooseOrganizationId, findId } from '../names.js';
import { formatList, text } from '../text.js';

const orgOption = {
  label: 'ORGANIZATION',
  summary: 'name or ID of the organization; optional if you have only one',
} as const;

const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list active API keys',
  description: "Lists the organization's active API keys, oldest first, without their tokens.",
  options: { org: orgOption },
  examples: { 'provenance org key list --org "$ORGANIZATION_ID"': 'API keys of an organization' },
  request: async (client, { org }) => client.listApiKeys({ organizationId: await chooseOrganizationId(client, org) }),
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

const createCommand = defineApiCommand({
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
    'provenance org key create "build server" --org "$ORGANIZATION_ID" > key.txt': 'Create a key and save its token',
    'provenance org key create ci --org "$ORGANIZATION_ID" --scope register --expires 90d > key.txt':
      'Create a key that only registers files, for 90 days',
  },
  async request(client, { name, org, scope, expires }) {
    const expiresAt = expires === undefined ? undefined : parseExpiry(expires, Date.now());
    return client.createApiKey({ name, organizationId: await chooseOrganizationId(client, org), scope, expiresAt });
  },
  hint: ({ name, id }) => text`Created API key ${name} (${id}). Its token is shown only once:`,
  format: ({ token }) => text`${token}`,
});

const revokeCommand = defineApiCommand({
  name: 'revoke',
  summary: 'revoke an API key',
  description: 'Revokes an API key. It stops working immediately.',
  arguments: { key: { label: 'KEY', summary: 'name or ID of the key' } },
  options: { org: orgOption },
  examples: { 'provenance org key revoke "$KEY_ID" --org "$ORGANIZATION_ID"': 'Revoke a key' },
  async request(client, { key, org }) {
    const organizationId = await chooseOrganizationId(client, org);
    const keyId = await findId(key, 'API keys', () => client.listApiKeys({ organizationId }));
    await client.deleteApiKey({ keyId, organizationId });
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
    throw new UsageError(`--expires must be days such as 90d, or a date such as 2027-01-31, not '${value}'.`);
  }
  return new Date(time).toISOString();
}

export const keyGroup: CommandGroup = {
  name: 'key',
  summary: 'manage API keys of your organizations',
  description: 'Manages the API keys of your organizations.',
  commands: [listCommand, createCommand, revokeCommand],
};
