// Accounts: who may speak for whom, and on which tier.

import { randomUUID } from 'node:crypto';
import {
  normalizeEmail,
  type Organization,
  RegistryError,
  type Session,
  type Tier,
  type User,
} from '@provenance-registry/core';
import type { Clock, Organizations, Passwords, Tokens, Users } from './ports.js';

export interface AccountPorts {
  readonly users: Users;
  readonly organizations: Organizations;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly clock: Clock;
}

export async function signUp(
  ports: AccountPorts,
  request: { email: string; password: string; name: string },
): Promise<Session> {
  const passwordHash = await ports.passwords.hash(request.password);
  const user = await ports.users.insert({
    id: randomUUID(),
    email: normalizeEmail(request.email),
    name: request.name,
    passwordHash,
  });
  if (!user) throw new RegistryError('CONFLICT', 'This email address has an account already.');
  return startSession(ports, user);
}

export async function logIn(ports: AccountPorts, request: { email: string; password: string }): Promise<Session> {
  const found = await ports.users.findByEmail(normalizeEmail(request.email));
  // Verified even when nobody was found: the time that it takes must not tell which addresses have an account.
  const matches = await ports.passwords.verify(request.password, found?.passwordHash ?? undefined);
  if (!found || !matches) throw new RegistryError('UNAUTHORIZED', 'The email address or the password is wrong.');
  const { passwordHash: _, ...user } = found;
  return startSession(ports, user);
}

/** The user that a bearer token speaks for. */
export async function authenticate(ports: AccountPorts, token: string): Promise<User> {
  const identity = await ports.tokens.verify(token, ports.clock());
  const user = identity?.kind === 'provider' ? await providerUser(ports, identity) : await serviceUser(ports, identity);
  if (!user) throw new RegistryError('UNAUTHORIZED', 'The token is malformed, expired or not valid here.');
  return user;
}

export async function describeCaller(
  ports: AccountPorts,
  caller: User,
): Promise<{ user: User; organizations: Organization[] }> {
  return { user: caller, organizations: await ports.organizations.listOf(caller.id) };
}

/** A user chooses the own tier, where that is theirs to choose. */
export async function chooseTier(
  ports: AccountPorts,
  billing: 'self-serve' | 'operator',
  caller: User,
  tier: Tier,
): Promise<User> {
  if (billing === 'operator') throw new RegistryError('FORBIDDEN', 'Tiers are set by the operator of this service.');
  return setTier(ports, caller.id, tier);
}

export async function setTier(ports: AccountPorts, userId: string, tier: Tier): Promise<User> {
  const user = await ports.users.setTier(userId, tier);
  if (!user) throw new RegistryError('NOT_FOUND', 'There is no such user.');
  return user;
}

async function startSession(ports: AccountPorts, user: User): Promise<Session> {
  const { token, expiresAt } = await ports.tokens.issue(user.id, ports.clock());
  return { user, token, expiresAt: expiresAt.toISOString() };
}

type Identity = NonNullable<Awaited<ReturnType<Tokens['verify']>>>;

async function serviceUser(ports: AccountPorts, identity: Extract<Identity, { kind: 'service' }> | undefined) {
  return identity && ports.users.findById(identity.userId);
}

async function providerUser(ports: AccountPorts, identity: Extract<Identity, { kind: 'provider' }>): Promise<User> {
  return ports.users.findOrInsertProviderUser({
    id: randomUUID(),
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email === null ? null : normalizeEmail(identity.email),
    name: identity.name ?? 'Unnamed',
  });
}
