// API keys: machine access to one organization.

import { randomInt, randomUUID } from 'node:crypto';
import {
  API_KEY_PREFIX,
  API_KEY_RANDOM_LENGTH,
  type ApiKey,
  type NewApiKey,
  RegistryError,
} from '@provenance-registry/core';
import { type Caller, hashApiKey, requireOwnOrganization } from './caller.js';
import type { Ports, Store } from './ports/index.js';
import { lockOrganizationTier, takeQuota } from './tiers.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random characters that the prefix shows, to tell keys apart. */
const PREFIX_RANDOM_LENGTH = 8;

export async function createApiKey(
  ports: Ports,
  caller: Caller,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<NewApiKey> {
  requireOwnOrganization(caller, organizationId);
  if (caller.keyOrganizationId !== undefined) {
    throw new RegistryError('FORBIDDEN', 'API keys are created by the owner, with a user token.');
  }
  const token = generateToken();
  const key = {
    id: randomUUID(),
    organizationId,
    name,
    prefix: token.slice(0, API_KEY_PREFIX.length + PREFIX_RANDOM_LENGTH),
    last4: token.slice(-4),
    createdAt: ports.clock(),
    scope: null,
    expiresAt: null,
  };
  await ports.store.transaction(async (store) => {
    await requireOwner(store, caller, organizationId);
    const owner = await lockOrganizationTier(store, organizationId);
    if (!owner) throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
    await takeQuota(ports, store, owner, 'api_keys');
    await store.apiKeys.insert({ ...key, tokenHash: hashApiKey(token) });
  });
  const { organizationId: _, ...publicFields } = key;
  return { ...publicFields, token, createdAt: key.createdAt.toISOString() };
}

export async function listApiKeys(ports: Ports, caller: Caller, organizationId?: string): Promise<ApiKey[]> {
  return ports.store.apiKeys.listActive(await requireOwnedOrganization(ports.store, caller, organizationId));
}

export async function revokeApiKey(
  ports: Ports,
  caller: Caller,
  organizationId: string | undefined,
  keyId: string,
): Promise<void> {
  await ports.store.transaction(async (store) => {
    const ownedId = await requireOwnedOrganization(store, caller, organizationId);
    if (!(await store.apiKeys.revoke(ownedId, keyId, ports.clock()))) {
      throw new RegistryError('NOT_FOUND', 'The organization has no such active API key.');
    }
    await store.counters.release(ownedId, 'api_keys');
  });
}

/** The id of the organization whose keys are managed: named by its owner, or that of the calling API key. */
async function requireOwnedOrganization(store: Store, caller: Caller, organizationId?: string): Promise<string> {
  if (organizationId !== undefined) requireOwnOrganization(caller, organizationId);
  const id = organizationId ?? caller.keyOrganizationId;
  if (id === undefined) throw new RegistryError('MISSING_ORGANIZATION_ID', 'organizationId is required.');
  await requireOwner(store, caller, id);
  return id;
}

/** The same error for organizations that do not exist. */
async function requireOwner(store: Store, caller: Caller, organizationId: string): Promise<void> {
  if ((await store.organizations.findOwnerId(organizationId)) !== caller.user.id) {
    throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
  }
}

/** `randomInt` is cryptographically secure and without modulo bias. */
export function generateToken(): string {
  const random = Array.from({ length: API_KEY_RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${API_KEY_PREFIX}${random.join('')}`;
}
