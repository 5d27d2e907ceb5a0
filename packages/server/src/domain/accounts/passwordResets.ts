// Password resets: a link is mailed if the address has an account, or created by the operator. Following it sets a new password.

import { randomUUID } from 'node:crypto';
import { isEmailAddress, normalizeEmail, RegistryError, type User } from '@provenance-registry/core';
import { revokeKeysOfOwner } from '../organizations/apiKeys.js';
import type { OneTimeToken, Ports, Store } from '../ports/index.js';
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

/** Ends all sessions. The second factor stays, unless the address is verified only by this. */
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
    await store.users.setPasswordHash(current.id, passwordHash);
    // The link was mailed to this address, so the user reads mail there.
    const verified = { ...current, emailVerified: current.emailVerified || email !== null };
    if (verified.emailVerified && !current.emailVerified) {
      await store.users.markEmailVerified(current.id);
      await revokeUnverifiedAccess(ports, store, verified);
    }
    await revokeLinks(store, current);
    // A mail whose link is used must not be sent again, and the user may need another one soon.
    if (current.email !== null) await store.mails.deleteTo(current.email, 'password-reset');
    await store.sessions.endAll(current.id);
    await store.events.append({ type: 'account.password_changed', actorId: current.id, userId: current.id });
    await notifyUser(ports, store, verified, 'password-reset');
  });
}

/**
 * Until now, the account may have been that of someone else who signed up with the address: a second factor would lock its
 * owner out, and API keys and invitations would keep working. The user is locked.
 */
async function revokeUnverifiedAccess(ports: Ports, store: Store, user: User): Promise<void> {
  await revokeKeysOfOwner(store, user.id, ports.clock());
  await store.invitations.withdraw({ madeOrOwnedBy: user.id }, user.id);
  await deleteSecondFactor(ports, store, user, user.id);
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
