// `keys`: API keys, with which machines act for an organization.

import type { RegistryClient } from '@provenance-registry/client';
import { command, type Group } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { UsageError } from '../errors.js';
import { list, text } from '../text.js';

const org = {
  kind: 'text',
  label: 'ORGANIZATION',
  summary: 'id of the organization; not needed if you have only one',
} as const;

const listCommand = command({
  name: 'list',
  summary: 'active API keys',
  description: "Lists the organization's keys, oldest first, without their secrets.",
  options: { org },
  examples: [{ run: 'provenance keys list --org "$ORGANIZATION_ID"', meaning: 'The keys of an organization' }],
  async run(context, given) {
    const client = await connectLoggedIn(context);
    const keys = await client.listApiKeys({ organizationId: await organizationOf(client, given.org) });
    const rows = keys.map(({ id, name, prefix, last4, createdAt, lastUsedAt }) => [
      id,
      name,
      `${prefix}…${last4}`,
      createdAt,
      lastUsedAt ?? 'never',
    ]);
    context.result(keys, rows.length > 0 ? list(['ID', 'NAME', 'TOKEN', 'SINCE', 'LAST USED'], rows) : undefined);
    return 0;
  },
});

const createCommand = command({
  name: 'create',
  summary: 'make an API key',
  description:
    'Makes a key that acts as the owner of the organization. Its token is printed on standard output, this once: the ' +
    'service does not keep it.',
  arguments: { name: { label: 'NAME', summary: 'what the key is for' } },
  options: { org },
  examples: [
    { run: 'provenance keys create "build server" --org "$ORGANIZATION_ID" > key.txt', meaning: 'A key, into a file' },
  ],
  async run(context, { name, ...given }) {
    const client = await connectLoggedIn(context);
    const key = await client.createApiKey({ name, organizationId: await organizationOf(client, given.org) });
    context.hint(text`The key ${key.name} has the id ${key.id}. Its token is shown only now:`);
    context.result(key, text`${key.token}`);
    return 0;
  },
});

const revokeCommand = command({
  name: 'revoke',
  summary: 'end an API key',
  description: 'Revokes a key; it stops working at once, everywhere.',
  arguments: { key: { label: 'KEY', summary: 'id of the key' } },
  options: { org },
  examples: [{ run: 'provenance keys revoke "$KEY_ID" --org "$ORGANIZATION_ID"', meaning: 'End a key' }],
  async run(context, { key: keyId, ...given }) {
    const client = await connectLoggedIn(context);
    await client.deleteApiKey({ keyId, organizationId: await organizationOf(client, given.org) });
    context.result({ keyId }, text`The key is revoked.`);
    return 0;
  },
});

async function organizationOf(client: RegistryClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const organizations = await client.listOrganizations();
  const [only, another] = organizations;
  if (only === undefined) throw new UsageError('You belong to no organization: provenance orgs create NAME makes one.');
  if (another === undefined) return only.id;
  const known = organizations.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new UsageError(`Which organization? Say --org with one of ${known}.`, ['keys']);
}

export const keysGroup: Group = {
  name: 'keys',
  summary: 'API keys of your organizations',
  description: 'API keys, with which machines act for an organization.',
  commands: [listCommand, createCommand, revokeCommand],
};
