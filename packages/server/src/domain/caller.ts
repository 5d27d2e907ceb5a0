// The caller: a user, or an API key that acts as the owner of its organization.

import { createHash, randomUUID } from 'node:crypto';
import {
  type ApiKeyScope,
  apiKeyPattern,
  normalizeEmail,
  type Organization,
  RegistryError,
  type User,
} from '@provenance-registry/core';
import { closedAccountError } from './errors.js';
import type { Ports, ProviderIdentity, Store, StoredSession, VerifiedToken } from './ports/index.js';

export interface Caller {
  /** The user; for an API key, the owner of its organization. */
  readonly user: User;
  /** Undefined for a user. */
  readonly keyId: string | undefined;
  /** The organization that an API key is limited to; undefined for a user. */
  readonly keyOrganizationId: string | undefined;
  /** What an API key is limited to; null for a user, and for a key that acts as the owner. */
  readonly keyScope: ApiKeyScope | null;
  /** Undefined for an API key. */
  readonly session: CallerSession | undefined;
}

export interface CallerSession {
  readonly id: string;
  readonly issuedAt: Date;
  /** The token comes from an OpenID provider. */
  readonly isFromProvider: boolean;
}

/** The client that sent a request. */
export interface Origin {
  readonly address: string;
  /** Printable and bounded; null if the client does not tell. */
  readonly userAgent: string | null;
}

/** Uses within this time are not written: a session's last use needs no more precision. */
const LAST_USE_PRECISION_MS = 60_000;

/** Undefined: an anonymous reader. */
export type Reader = Caller | undefined;

export async function authenticate(ports: Ports, token: string, origin: Origin): Promise<Caller> {
  return apiKeyPattern.test(token) ? authenticateKey(ports, token, origin) : authenticateUser(ports, token, origin);
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

/** Throws FORBIDDEN for an API key: what concerns the account is for the user itself. */
export function requireUserSession({ session }: Caller): CallerSession {
  if (!session) throw new RegistryError('FORBIDDEN', 'An API key cannot do this: log in as a user.');
  return session;
}

/** Throws FORBIDDEN for an API key: what a leaked key did to admin members and Marks' admins would outlive the key. */
export function requireUserForAdmins({ session }: Caller): void {
  if (session) return;
  throw new RegistryError(
    'FORBIDDEN',
    'An API key cannot invite, promote, demote or remove admin members, nor hand over a Mark: log in as the owner.',
  );
}

/** Throws UNAUTHORIZED when the calling API key was revoked in the meantime; it stays active until the transaction ends. */
export async function lockCallingKey(store: Store, { keyId }: Caller): Promise<void> {
  if (keyId === undefined || (await store.apiKeys.lockActive(keyId))) return;
  throw new RegistryError('UNAUTHORIZED', 'The API key was revoked.');
}

/** Throws NOT_FOUND when the caller is not a member: non-members cannot tell whether the organization exists. */
export async function requireMembership(store: Store, caller: Caller, id: string): Promise<Organization> {
  requireOwnOrganization(caller, id);
  const organization = await store.organizations.findFor(id, caller.user.id);
  if (!organization) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return organization;
}

/** Locks the calling user: the account cannot be closed, nor its tier or address changed, until the transaction ends. */
export async function lockCaller(store: Store, { user }: Caller): Promise<User> {
  const locked = await store.users.lock(user.id, 'tier');
  if (!locked) throw new RegistryError('UNAUTHORIZED', 'The token belongs to no user.');
  return locked;
}

/** Locks the user against all other changes, until the transaction ends. */
export async function lockAccount(store: Store, userId: string): Promise<User> {
  const user = await store.users.lock(userId, 'all');
  if (!user) throw closedAccountError();
  return user;
}

async function authenticateKey(ports: Ports, token: string, { address, userAgent }: Origin): Promise<Caller> {
  const now = ports.clock();
  const key = await ports.store.apiKeys.findByTokenHash(hashApiKey(token));
  if (!key?.active || (key.expiresAt && key.expiresAt <= now)) {
    throw new RegistryError('UNAUTHORIZED', 'The API key is unknown, expired or revoked.');
  }
  if (key.organizationStatus === 'frozen') {
    throw new RegistryError(
      'WORKSPACE_FROZEN',
      "The API key's organization is frozen until its owner is on enterprise again.",
    );
  }
  ports.store.apiKeys.recordUse(key.id, { at: now, address, userAgent });
  return {
    user: key.owner,
    keyId: key.id,
    keyOrganizationId: key.organizationId,
    keyScope: key.scope,
    session: undefined,
  };
}

async function authenticateUser(ports: Ports, token: string, origin: Origin): Promise<Caller> {
  const { store, tokens, clock } = ports;
  const now = clock();
  const verified = await tokens.verify(token, now);
  const session = verified && (await findSession(ports, verified, origin, now));
  if (!verified || !session?.isActive) {
    throw new RegistryError('UNAUTHORIZED', 'The token is malformed, expired, ended or not valid here.');
  }
  const { sessionId: id, issuedAt, identity } = verified;
  if (now.getTime() - session.lastUsedAt.getTime() > LAST_USE_PRECISION_MS) store.sessions.recordUse(id, now);
  return {
    user: session.user,
    keyId: undefined,
    keyOrganizationId: undefined,
    keyScope: null,
    session: { id, issuedAt, isFromProvider: identity.kind === 'provider' },
  };
}

/** A token that names no session gets one when it is first used. */
async function findSession(
  ports: Ports,
  verified: VerifiedToken,
  { userAgent }: Origin,
  now: Date,
): Promise<StoredSession | undefined> {
  const { sessions } = ports.store;
  const { sessionId: id, identity, namesSession, issuedAt: createdAt, expiresAt } = verified;
  const found = await sessions.find(id);
  if (found) return identity.kind === 'service' && found.user.id !== identity.userId ? undefined : found;
  if (namesSession) return undefined;
  const userId = identity.kind === 'service' ? identity.userId : (await findProviderUser(ports, identity)).id;
  await sessions.adopt({ id, userId, createdAt, expiresAt, lastUsedAt: now, userAgent });
  return sessions.find(id);
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
