// Accounts: sign-up, log-in and tiers.

import { randomUUID } from 'node:crypto';
import { type NewSession, normalizeEmail, RegistryError, type Tier, type User } from '@provenance-registry/core';
import { type Caller, type Origin, requireUserSession } from '../caller.js';
import { applyTierToOrganizations } from '../organizations/memberships.js';
import { listOrganizations } from '../organizations/organizations.js';
import type { Ports } from '../ports/index.js';
import { requestVerification } from './emailAddresses.js';
import { requireStrongPassword } from './passwordRules.js';
import { requireSecondFactor } from './secondFactor.js';
import { startSession } from './sessions.js';

export async function signUp(
  ports: Ports,
  request: { email: string; password: string; name: string },
  origin: Origin,
): Promise<NewSession> {
  requireStrongPassword(ports, request.password, request, 'password');
  const email = normalizeEmail(request.email);
  const passwordHash = await ports.passwords.hash(request.password);
  return ports.store.transaction(async (store) => {
    const user = await store.users.insert({ id: randomUUID(), email, name: request.name, passwordHash });
    if (!user) throw new RegistryError('CONFLICT', 'This email address has an account already.');
    await requestVerification(ports, store, user, email);
    return startSession(ports, store, user, { tokensNotBefore: null, origin });
  });
}

export async function logIn(
  ports: Ports,
  request: { email: string; password: string; totpCode?: string },
  origin: Origin,
): Promise<NewSession> {
  const { store, passwords } = ports;
  const account = await store.users.findByEmail(normalizeEmail(request.email));
  // Verified without an account too: the response time must not tell which addresses have one.
  const matches = await passwords.verify(request.password, account?.passwordHash ?? undefined);
  if (!account || !matches) throw new RegistryError('UNAUTHORIZED', 'Wrong email or password.');
  const { passwordHash, tokensNotBefore, ...user } = account;
  if (user.hasTotp) await requireSecondFactor(ports, user.id, request.totpCode);
  if (passwordHash !== null && passwords.isOutdated(passwordHash)) {
    await store.users.replacePasswordHash(user.id, passwordHash, await passwords.hash(request.password));
  }
  return startSession(ports, store, user, { tokensNotBefore, origin });
}

export async function describeCaller(ports: Ports, caller: Caller) {
  return { user: caller.user, organizations: await listOrganizations(ports, caller) };
}

export async function changeName(ports: Ports, caller: Caller, name: string): Promise<User> {
  requireUserSession(caller);
  await ports.store.users.setName(caller.user.id, name);
  return { ...caller.user, name };
}

export async function chooseTier(ports: Ports, caller: Caller, tier: Tier): Promise<User> {
  if (ports.billing === 'operator') {
    throw new RegistryError('FORBIDDEN', 'Tiers are set by the operator of this service.');
  }
  if (caller.keyOrganizationId !== undefined) {
    throw new RegistryError('FORBIDDEN', 'An API key cannot change the tier of its owner.');
  }
  return setTier(ports, caller.user.id, tier, caller.user.id);
}

/** `actorId`: undefined for the operator. */
export async function setTier(ports: Ports, userId: string, tier: Tier, actorId?: string): Promise<User> {
  return ports.store.transaction(async (store) => {
    const before = await store.users.lock(userId, 'all');
    if (!before) throw new RegistryError('NOT_FOUND', 'There is no such user.');
    await store.users.setTier(userId, tier);
    await applyTierToOrganizations(store, userId, { from: before.tier, to: tier }, actorId);
    return { ...before, tier };
  });
}
