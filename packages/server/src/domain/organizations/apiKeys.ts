// API keys: machine access to one organization.

import { randomInt, randomUUID } from 'node:crypto';
import {
  API_KEY_PREFIX,
  API_KEY_RANDOM_LENGTH,
  type ApiKey,
  type ApiKeyScope,
  type NewApiKey,
  RegistryError,
} from '@provenance-registry/core';
import { notifyUser } from '../accounts/notices.js';
import { type Caller, hashApiKey, requireOwnOrganization } from '../caller.js';
import { notOwnerError, unexpectedValueError } from '../errors.js';
import type { Ports, Store } from '../ports/index.js';
import { lockOrganizationTier, takeQuota } from '../tiers.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Random characters that the prefix shows, to tell keys apart. */
const PREFIX_RANDOM_LENGTH = 8;
/** Seven days. */
const EXPIRY_NOTICE_MS = 7 * 24 * 60 * 60 * 1000;

export interface NewApiKeyRequest {
  readonly organizationId: string;
  readonly name: string;
  readonly scope?: ApiKeyScope;
  readonly expiresAt?: string;
}

export async function createApiKey(
  ports: Ports,
  caller: Caller,
  { organizationId, name, ...request }: NewApiKeyRequest,
): Promise<NewApiKey> {
  requireOwnOrganization(caller, organizationId);
  if (caller.keyOrganizationId !== undefined) {
    throw new RegistryError('FORBIDDEN', 'API keys are created by the owner, with a user token.');
  }
  const now = ports.clock();
  const scope = request.scope ?? null;
  const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
  // Also refuses a leap second, which is no date here.
  if (expiresAt && !(expiresAt > now)) throw unexpectedValueError('expiresAt', 'a time in the future');
  const token = generateToken();
  const key = {
    id: randomUUID(),
    organizationId,
    createdBy: caller.user.id,
    name,
    prefix: token.slice(0, API_KEY_PREFIX.length + PREFIX_RANDOM_LENGTH),
    last4: token.slice(-4),
    createdAt: now,
    scope,
    expiresAt,
  };
  await ports.store.transaction(async (store) => {
    const owner = await lockOrganizationTier(store, organizationId);
    // After the lock, which a transfer of the organization needs too.
    await requireOwner(store, caller, organizationId);
    if (!owner) throw notOwnerError();
    await expireKeys(store, await store.apiKeys.listExpired(now, organizationId), now);
    await takeQuota(ports, store, owner, 'api_keys');
    await store.apiKeys.insert({ ...key, tokenHash: hashApiKey(token) });
    await store.events.append({
      type: 'key.created',
      actorId: caller.user.id,
      organizationId,
      keyId: key.id,
      data: { scope, expiresAt: expiresAt?.toISOString() ?? null },
    });
    await notifyUser(ports, store, caller.user, 'key-created', { organizationId });
  });
  const { organizationId: _, createdBy: __, ...publicFields } = key;
  return {
    ...publicFields,
    token,
    createdAt: key.createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

export async function listApiKeys(ports: Ports, caller: Caller, organizationId?: string): Promise<ApiKey[]> {
  const id = await requireOwnedOrganization(ports.store, caller, organizationId);
  return ports.store.apiKeys.listActive(id, ports.clock());
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
    await store.events.append({ type: 'key.revoked', actorId: caller.user.id, organizationId: ownedId, keyId });
    await store.grants.endUnfounded({ organizationId: ownedId }, caller.user.id);
  });
}

/** Announces keys that expire soon, in time to make another one. */
export async function announceExpiringKeys({ store, clock }: Ports): Promise<void> {
  await store.transaction(async (store) => {
    const keys = await store.apiKeys.takeExpiring(clock(), EXPIRY_NOTICE_MS);
    const events = keys.map(({ id, organizationId, expiresAt }) => {
      const data = { expiresAt: expiresAt.toISOString() };
      return { type: 'key.expiring', actorId: undefined, organizationId, keyId: id, data } as const;
    });
    await store.events.append(...events);
  });
}

/** Expired keys are refused already; this makes room for others and tells when they expired. */
export async function revokeExpiredKeys({ store, clock }: Ports): Promise<void> {
  const now = clock();
  const expired = await store.apiKeys.listExpired(now);
  for (const key of expired) await store.transaction((store) => expireKeys(store, [key], now));
}

async function expireKeys(store: Store, keys: readonly { id: string; organizationId: string }[], now: Date) {
  for (const { id, organizationId } of keys) {
    // Another process may have done it.
    if (!(await store.apiKeys.revoke(organizationId, id, now))) continue;
    await store.counters.release(organizationId, 'api_keys');
    await store.events.append({ type: 'key.expired', actorId: undefined, organizationId, keyId: id });
    await store.grants.endUnfounded({ organizationId }, undefined);
  }
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
  if ((await store.organizations.findOwnerId(organizationId)) !== caller.user.id) throw notOwnerError();
}

/** `randomInt` is cryptographically secure and without modulo bias. */
export function generateToken(): string {
  const random = Array.from({ length: API_KEY_RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${API_KEY_PREFIX}${random.join('')}`;
}
