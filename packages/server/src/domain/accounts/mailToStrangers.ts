// Mail that users have sent to addresses of others: which accounts may, to how many addresses, and how readers stop it.

import { DAILY_NEW_ADDRESSES, RegistryError, type User } from '@provenance-registry/core';
import type { LeasedMail, MailPurpose, Ports, Store } from '../ports/index.js';
import { nextUtcMidnight } from '../tiers.js';

/** A mistyped address is corrected once or twice. */
const DAILY_ADDRESS_CHANGES = 3;

type MailPorts = Pick<Ports, 'mail' | 'recipientTokens' | 'clock'>;

/** Throws FORBIDDEN for an account whose own address is not verified. Without a mail server, nothing is mailed. */
export function requireVerifiedSender({ mail }: Pick<Ports, 'mail'>, { emailVerified }: User): void {
  if (!mail.isEnabled || emailVerified) return;
  throw new RegistryError('FORBIDDEN', 'Verify your own email address before you invite others by mail.');
}

/**
 * Counts an address that the account has not had mail of this purpose sent to before, in the transaction that queues the mail.
 * Throws TIER_RESTRICTION when it has had mail sent to as many new ones today as it may.
 */
export async function requireMailBudget(
  { mail, recipientTokens, clock }: MailPorts,
  store: Store,
  { id, tier }: User,
  purpose: MailPurpose,
  email: string,
): Promise<void> {
  if (!mail.isEnabled) return;
  const isNew = await store.mailRecipients.remember(id, purpose, recipientTokens.hash(email));
  const limit = purpose === 'verification' ? DAILY_ADDRESS_CHANGES : DAILY_NEW_ADDRESSES[tier];
  if (!isNew || limit === -1) return;
  const now = clock();
  if (await store.dailyBudgets.take({ ownerId: id, subject: `mail: ${purpose}`, amount: 1, limit }, now)) return;
  const what =
    purpose === 'verification'
      ? `An account can be changed to ${limit} new addresses a day`
      : `The ${tier} tier allows invitations to ${limit} new addresses a day`;
  throw new RegistryError('TIER_RESTRICTION', `${what}. Try again after ${nextUtcMidnight(now).toISOString()}.`);
}

/** The link in a mail that others cause, which stops further mail to this address. */
export function stopUrlOf(
  { recipientTokens, baseUrl }: Pick<Ports, 'recipientTokens' | 'baseUrl'>,
  recipient: string,
): string {
  return `${baseUrl}/stop-mail/${recipientTokens.tokenOf(recipient)}`;
}

/**
 * Whether others cause this mail: every invitation, and links to an address that no account has verified. Notices go to
 * verified addresses only.
 */
export async function isMailToStranger({ store }: Pick<Ports, 'store'>, mail: LeasedMail): Promise<boolean> {
  const { template } = mail.content;
  if (template === 'invitation') return true;
  if (template !== 'verify-email' && template !== 'password-reset') return false;
  return !(await store.users.findByEmail(mail.recipient))?.emailVerified;
}

/** Whether mail to the address of this link is stopped. Throws NOT_FOUND when the service has made no such link. */
export async function isMailStopped(ports: Pick<Ports, 'store' | 'recipientTokens'>, token: string): Promise<boolean> {
  return ports.store.mailRecipients.isStopped(requireAddress(ports, token));
}

/** Stops mail that others cause to the address of this link, also mail that is queued; or allows it again. */
export async function changeMailStop(
  ports: Pick<Ports, 'store' | 'recipientTokens'>,
  token: string,
  isStopped: boolean,
): Promise<void> {
  const addressHash = requireAddress(ports, token);
  if (isStopped) await ports.store.mailRecipients.stop(addressHash);
  else await ports.store.mailRecipients.allow(addressHash);
}

function requireAddress({ recipientTokens }: Pick<Ports, 'recipientTokens'>, token: string): Uint8Array {
  const addressHash = recipientTokens.read(token);
  if (addressHash) return addressHash;
  throw new RegistryError('NOT_FOUND', 'This link is incomplete, or not one of this service.');
}
