// Passwords of accounts that exist: changes that need the current one.

import { RegistryError, type User } from '@provenance-registry/core';
import { type Caller, lockAccount, requireUserSession } from '../caller.js';
import { closedAccountError } from '../errors.js';
import type { Ports, Store } from '../ports/index.js';
import { notifyUser } from './notices.js';
import { requireStrongPassword } from './passwordRules.js';

export async function changePassword(
  ports: Ports,
  caller: Caller,
  request: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { id: sessionId } = requireUserSession(caller);
  requireStrongPassword(ports, request.newPassword, caller.user, 'newPassword');
  const oldHash = await requirePassword(ports, caller, request.currentPassword);
  const newHash = await ports.passwords.hash(request.newPassword);
  await changeUser(ports, caller, oldHash, async (store, user) => {
    await store.users.replacePasswordHash(user.id, oldHash, newHash);
    await revokeLinks(store, user);
    await store.sessions.endAll(user.id, sessionId);
    await store.events.append({ type: 'account.password_changed', actorId: user.id, userId: user.id });
    await notifyUser(ports, store, user, 'password-changed');
  });
}

/** A new password locks out anyone who knew the old one: also reset links, and an email change that is not verified yet. */
export async function revokeLinks({ oneTimeTokens }: Store, { id, email }: User): Promise<void> {
  await oneTimeTokens.deleteOf(id, 'reset-password');
  for (const link of await oneTimeTokens.listOf(id, 'verify-email')) {
    if (link.email !== email) await oneTimeTokens.delete(link.id);
  }
}

/** Checks the current password, then makes the change in one transaction with the user locked. */
export async function changeWithPassword<T>(
  ports: Ports,
  caller: Caller,
  password: string,
  change: (store: Store, user: User) => Promise<T>,
): Promise<T> {
  return changeUser(ports, caller, await requirePassword(ports, caller, password), change);
}

/** Throws UNAUTHORIZED when the password is wrong, and CONFLICT for users of an OpenID provider. Returns its hash. */
async function requirePassword({ store, passwords }: Ports, caller: Caller, password: string): Promise<string> {
  const { isFromProvider } = requireUserSession(caller);
  const hash = await store.users.findPasswordHash(caller.user.id);
  if (hash === undefined) {
    if (!isFromProvider) throw closedAccountError();
    throw new RegistryError('CONFLICT', 'You log in through an OpenID provider and have no password here.');
  }
  if (!(await passwords.verify(password, hash))) throw new RegistryError('UNAUTHORIZED', 'Wrong password.');
  return hash;
}

/** @param passwordHash of the password that was checked, which must still be that of the user */
async function changeUser<T>(
  ports: Ports,
  caller: Caller,
  passwordHash: string,
  change: (store: Store, user: User) => Promise<T>,
): Promise<T> {
  const { id } = caller.user;
  return ports.store.transaction(async (store) => {
    const user = await lockAccount(store, id);
    if ((await store.users.findPasswordHash(id)) !== passwordHash) {
      throw new RegistryError('UNAUTHORIZED', 'The password has just been changed. Try again.');
    }
    return change(store, user);
  });
}
