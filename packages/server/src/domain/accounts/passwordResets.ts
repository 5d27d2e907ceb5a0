// Password resets: a link is mailed if the address has an account, or created by the operator. Following it sets a new password.

import { randomUUID } from 'node:crypto';
import { isEmailAddress, normalizeEmail, RegistryError, type User } from '@provenance-registry/core';
import { removeAllMembers } from '../organizations/memberships.js';
import type { OneTimeToken, Ports, Store } from '../ports/index.js';
import { eraseAccount } from './accountClosure.js';
import { revokeLinks } from './credentials.js';
import { notifyUser } from './notices.js';
import { requireStrongPassword } from './passwordRules.js';
import { deleteSecondFactor } from './secondFactor.js';

/** Part of the interface. */
export const RESET_TTL_MS = 60 * 60 * 1000;

/** Queues a mail for any address. Only the worker looks for its account: the response is the same, and takes as long. */
export async function requestPasswordReset({ store, mail }: Ports, email: string): Promise<void> {
  if (!mail.isEnabled) {
    throw new RegistryError(
      'NOT_FOUND',
      'This service sends no mail. Ask its operator for a link to reset your password.',
    );
  }
  const recipient = normalizeEmail(email);
  if (!isEmailAddress(recipient)) return;
  await store.transaction(({ mails }) => mail.enqueue({ mails }, { recipient, template: 'password-reset', data: {} }));
}

/** Given to an account that starts with an address alone. */
const DEFAULT_NAME = 'Unnamed';

/** Ends all sessions. Of an account whose address is proven only by this, the address stays, and nothing else. */
export async function confirmPasswordReset(
  ports: Ports,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  const { user } = await requireResetToken(ports, ports.store, token);
  requireStrongPassword(ports, newPassword, user, 'newPassword');
  const passwordHash = await ports.passwords.hash(newPassword);
  await ports.store.transaction(async (store) => {
    await store.users.lock(user.id, 'all');
    const { user: current, email } = await requireResetToken(ports, store, token);
    // The link was mailed to this address, so its owner follows it, who may not be who signed up with it.
    const isProven = current.emailVerified || email === null;
    const account = isProven ? current : await replaceAccount(ports, store, current, passwordHash);
    if (isProven) await setPassword(store, current, passwordHash);
    const { id } = account;
    await store.events.append({ type: 'account.password_changed', actorId: id, userId: id, isUnlimited: true });
    await notifyUser(ports, store, account, 'password-reset');
  });
}

async function setPassword(store: Store, user: User, passwordHash: string): Promise<void> {
  await store.users.setPasswordHash(user.id, passwordHash);
  await revokeLinks(store, user);
  // A mail whose link is used must not be sent again, and the user may need another one soon.
  if (user.email !== null) await store.mails.deleteTo(user.email, 'password-reset');
  await store.sessions.endAll(user.id);
}

/**
 * Closes the account, which may be that of someone else, and opens an empty one with the address. Nothing that the closed one
 * has made acts for the owner of the address, or is shown as made by it. The user is locked.
 */
async function replaceAccount(
  ports: Ports,
  store: Store,
  { email, ...user }: User,
  passwordHash: string,
): Promise<User> {
  await removeAllMembers(store, user.id);
  await eraseAccount(ports, store, { email, ...user });
  await store.marks.deleteUnused(user.id);
  const id = randomUUID();
  const account =
    email === null ? undefined : await store.users.insert({ id, email, name: DEFAULT_NAME, passwordHash });
  if (!account) throw new Error('the address of the closed account is not free');
  await store.users.markEmailVerified(id);
  return { ...account, emailVerified: true };
}

async function requireResetToken({ linkTokens, clock }: Ports, store: Store, token: string) {
  const found = await store.oneTimeTokens.findByHash('reset-password', linkTokens.hash(token));
  const user = found && (await store.users.findById(found.userId));
  if (!user || !isCurrent(found, user.email, clock())) {
    throw new RegistryError('NOT_FOUND', 'The link is unknown, used or expired.');
  }
  return { user, email: found.email };
}

function isCurrent({ email, expiresAt }: OneTimeToken, userEmail: string | null, now: Date): boolean {
  return expiresAt > now && (email === null || email === userEmail);
}

/** Creates a link for the operator. Undefined when no account with a password has the address. */
export async function createResetLink(
  ports: Pick<Ports, 'store' | 'linkTokens' | 'mail' | 'clock' | 'baseUrl'>,
  request: { email: string; removeSecondFactor: boolean },
): Promise<{ url: string; expiresAt: Date; hasRemovedSecondFactor: boolean } | undefined> {
  const { linkTokens, clock, baseUrl } = ports;
  return ports.store.transaction(async (store) => {
    const account = await store.users.findByEmail(normalizeEmail(request.email));
    const user = account && account.passwordHash !== null && (await store.users.lock(account.id, 'all'));
    if (!user) return undefined;
    const id = randomUUID();
    const token = linkTokens.tokenOf('reset-password', id);
    const now = clock();
    const expiresAt = new Date(now.getTime() + RESET_TTL_MS);
    await store.oneTimeTokens.insert({
      id,
      purpose: 'reset-password',
      tokenHash: linkTokens.hash(token),
      userId: user.id,
      // The link is not mailed: following it does not prove the address.
      email: null,
      requestedAt: now,
      expiresAt,
    });
    const hasRemovedSecondFactor = request.removeSecondFactor && user.hasTotp;
    if (hasRemovedSecondFactor) await deleteSecondFactor(ports, store, user, undefined);
    return { url: `${baseUrl}/reset-password#${token}`, expiresAt, hasRemovedSecondFactor };
  });
}
