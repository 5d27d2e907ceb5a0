// Email addresses of accounts: verification by a link that is mailed, and changes, which take effect when the new address is
// verified.

import { randomUUID } from 'node:crypto';
import { normalizeEmail, RegistryError, type User } from '@provenance-registry/core';
import { type Caller, requireUserSession } from '../caller.js';
import type { Ports, Store } from '../ports/index.js';
import { changeWithPassword } from './credentials.js';
import { requireMailBudget } from './mailToStrangers.js';
import { notifyUser } from './notices.js';

/** Part of the interface. */
const VERIFICATION_TTL_MS = 24 * 60 * 60 * 1000;

/** Requests for the same address within this time send one mail. */
const QUICK_SUCCESSION_MS = 10 * 60 * 1000;

const unknownTokenError = () => new RegistryError('NOT_FOUND', 'The link is unknown, used or expired.');

/**
 * Mails a link that verifies the address for this user, in a transaction with the user locked. Only the link of the address
 * that was requested last works: one that was mistyped before may belong to someone else.
 */
export async function requestVerification(
  { mail, linkTokens, clock }: Pick<Ports, 'mail' | 'linkTokens' | 'clock'>,
  { mails, oneTimeTokens }: Pick<Store, 'mails' | 'oneTimeTokens'>,
  user: Pick<User, 'id'>,
  email: string,
): Promise<void> {
  if (!mail.isEnabled) return;
  const now = clock().getTime();
  const existing = (await oneTimeTokens.listOf(user.id, 'verify-email')).find((token) => token.email === email);
  if (existing && existing.expiresAt.getTime() > now + VERIFICATION_TTL_MS - QUICK_SUCCESSION_MS) {
    await oneTimeTokens.requestAgain(existing.id, new Date(now));
    return;
  }
  if (existing) await oneTimeTokens.delete(existing.id);
  const id = randomUUID();
  await oneTimeTokens.insert({
    id,
    purpose: 'verify-email',
    tokenHash: linkTokens.hash(linkTokens.tokenOf('verify-email', id)),
    userId: user.id,
    email,
    requestedAt: new Date(now),
    expiresAt: new Date(now + VERIFICATION_TTL_MS),
  });
  await mail.enqueue({ mails }, { recipient: email, template: 'verify-email', data: { oneTimeTokenId: id } });
}

/** Does nothing for an address that is verified. */
export async function resendVerification(ports: Ports, caller: Caller): Promise<void> {
  requireUserSession(caller);
  if (!ports.mail.isEnabled) throw new RegistryError('NOT_FOUND', 'This service sends no mail.');
  await ports.store.transaction(async (store) => {
    const user = await store.users.lock(caller.user.id, 'all');
    if (!user || user.email === null) throw new RegistryError('CONFLICT', 'Your account has no email address.');
    if (!user.emailVerified) await requestVerification(ports, store, user, user.email);
  });
}

/** Does the same whether or not the address has an account, if mail is sent: the worker sends none if it has one. */
export async function changeEmail(
  ports: Ports,
  caller: Caller,
  request: { email: string; password: string },
): Promise<void> {
  const email = normalizeEmail(request.email);
  await changeWithPassword(ports, caller, request.password, async (store, user) => {
    if (email === user.email) {
      // Takes back a change that is not verified yet.
      await store.oneTimeTokens.deleteOf(user.id, 'verify-email');
      if (!user.emailVerified) await requestVerification(ports, store, user, email);
    } else if (ports.mail.isEnabled) {
      await requireMailBudget(ports, store, user, 'verification', email);
      await requestVerification(ports, store, user, email);
    } else await replaceEmail(ports, store, user, { email, isVerified: false });
  });
}

/** Needs no session: the token proves that the user can read mail to the address. */
export async function verifyEmail(ports: Ports, token: string): Promise<void> {
  const tokenHash = ports.linkTokens.hash(token);
  await ports.store.transaction(async (store) => {
    const { oneTimeTokens, users } = store;
    const found = await oneTimeTokens.findByHash('verify-email', tokenHash);
    const user = found && (await users.lock(found.userId, 'all'));
    if (!found?.email || !user) throw unknownTokenError();
    const [newest] = await oneTimeTokens.listOf(user.id, 'verify-email');
    if (newest?.id !== found.id || found.expiresAt <= ports.clock()) throw unknownTokenError();
    await oneTimeTokens.deleteOf(user.id, 'verify-email');
    if (found.email === user.email) await users.markEmailVerified(user.id);
    else await replaceEmail(ports, store, user, { email: found.email, isVerified: true });
  });
}

/** The old address gets a notice, and reset links that were mailed to it stop working. */
async function replaceEmail(
  ports: Ports,
  store: Store,
  user: User,
  { email, isVerified }: { email: string; isVerified: boolean },
): Promise<void> {
  if (!(await store.users.replaceEmail(user.id, email, isVerified))) {
    throw new RegistryError('CONFLICT', 'This email address has an account already.');
  }
  await store.oneTimeTokens.deleteOf(user.id, 'reset-password');
  await store.events.append({ type: 'account.email_changed', actorId: user.id, userId: user.id });
  await notifyUser(ports, store, user, 'email-changed');
}
