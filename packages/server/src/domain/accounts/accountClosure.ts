// Closing an account: erases what is known about the user, for good. What was registered stays.

import { RegistryError, type User } from '@provenance-registry/core';
import { type Caller, type CallerSession, lockAccount, requireUserSession } from '../caller.js';
import { fieldError } from '../errors.js';
import { leaveAllOrganizations } from '../organizations/memberships.js';
import type { Ports, Store } from '../ports/index.js';
import { changeWithPassword } from './credentials.js';
import { notifyUser } from './notices.js';

/** Instead of the password, which users of an OpenID provider do not have here. */
const MAX_PROVIDER_TOKEN_AGE_MS = 10 * 60 * 1000;

export async function closeAccount(ports: Ports, caller: Caller, password: string | undefined): Promise<void> {
  const session = requireUserSession(caller);
  if (session.isFromProvider) {
    requireRecentToken(ports, session);
    await ports.store.transaction(async (store) => {
      await close(ports, store, await lockAccount(store, caller.user.id));
    });
    return;
  }
  if (password === undefined) throw fieldError('password', '"password" is missing.');
  await changeWithPassword(ports, caller, password, (store, user) => close(ports, store, user));
}

function requireRecentToken({ clock }: Ports, { issuedAt }: CallerSession): void {
  if (clock().getTime() - issuedAt.getTime() <= MAX_PROVIDER_TOKEN_AGE_MS) return;
  throw new RegistryError(
    'UNAUTHORIZED',
    'Log in at your OpenID provider again first: this needs a token that is younger than ten minutes.',
  );
}

/** The user is locked. */
async function close(ports: Ports, store: Store, user: User): Promise<void> {
  const organizations = await store.organizations.lockOwnedBy(user.id);
  if (organizations.some(({ memberCount }) => memberCount > 1)) {
    throw new RegistryError(
      'CONFLICT',
      'You own an organization with other members. Transfer it, or remove its members first.',
    );
  }
  await eraseAccount(ports, store, user);
  await notifyUser(ports, store, user, 'account-closed');
}

/** Ends all that the account may do, and erases what is known about the user. The user is locked. */
export async function eraseAccount({ clock }: Pick<Ports, 'clock'>, store: Store, user: User): Promise<void> {
  const { id } = user;
  await leaveAllOrganizations(store, id);
  await store.sessions.endAll(id);
  await store.secondFactors.delete(id);
  await deleteMails(store, user);
  await store.oneTimeTokens.deleteOf(id);
  await store.mailRecipients.forgetAllOf(id);
  await store.log.deleteOpeningsOf(id);
  await store.users.close(id, clock());
  await store.grants.endUnfounded({ userId: id }, id);
  await store.events.append({ type: 'account.closed', actorId: id, userId: id });
}

/** Deletes mails to the user, also to an address that was never verified. Invitations by others are theirs. */
async function deleteMails({ mails, oneTimeTokens }: Store, { id, email }: User): Promise<void> {
  const links = await oneTimeTokens.listOf(id, 'verify-email');
  for (const address of new Set([email, ...links.map((link) => link.email)])) {
    if (address === null) continue;
    for (const template of [
      'verify-email',
      'password-reset',
      'security-notice',
      'claim-notice',
      'domain-notice',
      'webhook-notice',
    ] as const) {
      await mails.deleteTo(address, template);
    }
  }
}
