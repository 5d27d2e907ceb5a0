// API keys: machine access to one organization.

import { randomInt, randomUUID } from 'node:crypto';
import {
  API_KEY_PREFIX,
  API_KEY_RANDOM_LENGTH,
  type ApiKey,
  type NewApiKey,
  RegistryError,
} from '@provenance-registry/core';
import { type Caller, confine, hashApiKey } from './caller.js';
import type { Ports, Store } from './ports/index.js';
import { lockOrganizationTier, takePlace } from './tiers.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHOWN_OF_RANDOM = 8;

export async function createApiKey(
  ports: Ports,
  caller: Caller,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<NewApiKey> {
  confine(caller, organizationId);
  if (caller.keyOrganizationId !== undefined) {
    throw new RegistryError('FORBIDDEN', 'API keys are made by the owner in person, with a user token.');
  }
  const token = makeToken();
  const key = {
    id: randomUUID(),
    organizationId,
    name,
    prefix: token.slice(0, API_KEY_PREFIX.length + SHOWN_OF_RANDOM),
    last4: token.slice(-4),
    createdAt: ports.clock(),
  };
  await ports.store.transaction(async (store) => {
    await requireOwner(store, caller, organizationId);
    const owner = await lockOrganizationTier(store, organizationId);
    if (!owner) throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
    await takePlace(ports, store, owner, 'api_keys');
    await store.apiKeys.insert({ ...key, tokenHash: hashApiKey(token) });
  });
  const { organizationId: _, ...shown } = key;
  return { ...shown, token, createdAt: key.createdAt.toISOString() };
}

export async function listApiKeys(ports: Ports, caller: Caller, organizationId: string | undefined): Promise<ApiKey[]> {
  return ports.store.apiKeys.listActive(await ownOrganization(ports.store, caller, organizationId));
}

export async function revokeApiKey(
  ports: Ports,
  caller: Caller,
  organizationId: string | undefined,
  keyId: string,
): Promise<void> {
  await ports.store.transaction(async (store) => {
    const own = await ownOrganization(store, caller, organizationId);
    if (!(await store.apiKeys.revoke(own, keyId, ports.clock()))) {
      throw new RegistryError('NOT_FOUND', 'The organization has no such active API key.');
    }
    await store.counters.giveBack(own, 'api_keys');
  });
}

/** The organization whose keys are meant: an API key's own, or the one that its owner names. */
async function ownOrganization(store: Store, caller: Caller, organizationId: string | undefined): Promise<string> {
  if (organizationId !== undefined) confine(caller, organizationId);
  const meant = organizationId ?? caller.keyOrganizationId;
  if (meant === undefined)
    throw new RegistryError('MISSING_ORGANIZATION_ID', 'Say which organization: organizationId.');
  await requireOwner(store, caller, meant);
  return meant;
}

/** The same refusal for organizations that exist and for those that do not. */
async function requireOwner(store: Store, caller: Caller, organizationId: string): Promise<void> {
  if ((await store.organizations.ownerOf(organizationId)) !== caller.user.id) {
    throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
  }
}

/** `randomInt` draws from the system's generator, and draws again where a remainder would favour some characters. */
export function makeToken(): string {
  const random = Array.from({ length: API_KEY_RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${API_KEY_PREFIX}${random.join('')}`;
}
