// The caller: a user, or an API key that acts as the owner of its organization.

import { createHash, randomUUID } from 'node:crypto';
import { apiKeyPattern, normalizeEmail, type Organization, RegistryError, type User } from '@provenance-registry/core';
import type { Ports, ProviderIdentity, Store } from './ports/index.js';

export interface Caller {
  /** For an API key, the owner of its organization. */
  readonly user: User;
  /** The organization that an API key is limited to; undefined for a user. */
  readonly keyOrganizationId: string | undefined;
  /** Undefined for an API key. */
  readonly session: CallerSession | undefined;
}

export interface CallerSession {
  readonly id: string;
  readonly issuedAt: Date;
  /** The token comes from an OpenID provider. */
  readonly isFromProvider: boolean;
}

/** Undefined: an anonymous reader. */
export type Reader = Caller | undefined;

export async function authenticate(ports: Ports, token: string): Promise<Caller> {
  return apiKeyPattern.test(token) ? authenticateKey(ports, token) : authenticateUser(ports, token);
}

export function hashApiKey(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/** Throws API_KEY_ORG_MISMATCH when an API key is used outside of its organization. */
export function requireOwnOrganization(caller: Caller, organizationId: string | undefined): void {
  if (caller.keyOrganizationId !== undefined && caller.keyOrganizationId !== organizationId) {
    throw new RegistryError('API_KEY_ORG_MISMATCH', "This is outside the API key's organization.");
  }
}

/** Throws NOT_FOUND when the caller is not a member: non-members cannot tell whether the organization exists. */
export async function requireMembership(store: Store, caller: Caller, id: string): Promise<Organization> {
  requireOwnOrganization(caller, id);
  const organization = await store.organizations.findFor(id, caller.user.id);
  if (!organization) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return organization;
}

async function authenticateKey(ports: Ports, token: string): Promise<Caller> {
  const key = await ports.store.apiKeys.findByTokenHash(hashApiKey(token));
  if (!key?.active) throw new RegistryError('UNAUTHORIZED', 'The API key is unknown or revoked.');
  if (key.organizationStatus === 'frozen') {
    throw new RegistryError(
      'WORKSPACE_FROZEN',
      "The API key's organization is frozen until its owner is on enterprise again.",
    );
  }
  ports.store.apiKeys.recordUse(key.id, ports.clock());
  return { user: key.owner, keyOrganizationId: key.organizationId, session: undefined };
}

async function authenticateUser(ports: Ports, token: string): Promise<Caller> {
  const identity = await ports.tokens.verify(token, ports.clock());
  const user =
    identity?.kind === 'provider'
      ? await findProviderUser(ports, identity)
      : identity && (await ports.store.users.findById(identity.userId));
  if (!user) throw new RegistryError('UNAUTHORIZED', 'The token is malformed, expired or not valid here.');
  return { user, keyOrganizationId: undefined, session: undefined };
}

function findProviderUser(ports: Ports, identity: ProviderIdentity): Promise<User> {
  return ports.store.users.findOrInsertProviderUser({
    id: randomUUID(),
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email === null ? null : normalizeEmail(identity.email),
    name: identity.name ?? 'Unnamed',
  });
}
