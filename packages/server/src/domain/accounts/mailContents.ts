// What mails say when they are sent: names as they are now, and links whose tokens are computed only here.

import type { DomainNotice, LeasedMail, MailFacts, Ports, PreparedMail, WebhookNotice } from '../ports/index.js';
import { isMailToStranger, stopUrlOf } from './mailToStrangers.js';
import { RESET_TTL_MS } from './passwordResets.js';

/** Longer than a mail that was sent keeps another one from being sent. */
const SENT_MAIL_TTL_MS = 60 * 60 * 1000;

type MailPorts = Pick<Ports, 'store' | 'linkTokens' | 'recipientTokens' | 'clock' | 'baseUrl'>;

/**
 * Undefined when the mail has lost its cause: the link was used, the invitation withdrawn, or there is no such account; and
 * when others caused it, and a reader of the address has stopped such mail.
 */
export async function prepareMail(ports: MailPorts, mail: LeasedMail): Promise<PreparedMail | undefined> {
  if (!(await isMailToStranger(ports, mail))) return prepareFacts(ports, mail);
  const { store, recipientTokens } = ports;
  if (await store.mailRecipients.isStopped(recipientTokens.hash(mail.recipient))) return undefined;
  const facts = await prepareFacts(ports, mail);
  return facts && { ...facts, stopUrl: stopUrlOf(ports, mail.recipient) };
}

async function prepareFacts(ports: MailPorts, mail: LeasedMail): Promise<MailFacts | undefined> {
  const { content } = mail;
  switch (content.template) {
    case 'verify-email':
      return prepareVerification(ports, content.data.oneTimeTokenId);
    case 'password-reset':
      return prepareReset(ports, mail);
    case 'invitation':
      return prepareInvitation(ports, content.data.invitationId);
    case 'security-notice': {
      const { kind, at, organizationId } = content.data;
      const name = organizationId === undefined ? undefined : await ports.store.organizations.findName(organizationId);
      return { template: 'security-notice', kind, at: new Date(at), organizationName: name };
    }
    case 'claim-notice': {
      const { kind, at, claimId } = content.data;
      const claim = await ports.store.claims.find(claimId);
      if (!claim) return undefined;
      const { fingerprint } = claim;
      const url = `${ports.baseUrl}/artifacts/${fingerprint}`;
      return { template: 'claim-notice', kind, at: new Date(at), fingerprint, url };
    }
    case 'domain-notice':
      return prepareDomainNotice(ports, content.data);
    case 'webhook-notice':
      return prepareWebhookNotice(ports, content.data);
  }
}

/** Addresses and links are not kept longer than needed. */
export async function deleteOldMails({ store, clock }: Ports): Promise<void> {
  await store.mails.deleteOlderThan(SENT_MAIL_TTL_MS);
  await store.oneTimeTokens.deleteExpired(clock());
}

async function prepareVerification(
  { store, linkTokens, clock, baseUrl }: MailPorts,
  id: string,
): Promise<MailFacts | undefined> {
  const token = await store.oneTimeTokens.find(id);
  if (!token?.email || token.expiresAt <= clock()) return undefined;
  // Not told to the user that wants the address: the answer must not show which addresses have an account.
  const owner = await store.users.findByEmail(token.email);
  if (owner && owner.id !== token.userId) return undefined;
  return { template: 'verify-email', url: `${baseUrl}/verify-email#${linkTokens.tokenOf('verify-email', id)}` };
}

async function prepareReset(
  { store, linkTokens, clock, baseUrl }: MailPorts,
  { id, recipient }: LeasedMail,
): Promise<MailFacts | undefined> {
  const account = await store.users.findByEmail(recipient);
  if (!account || account.passwordHash === null) return undefined;
  const token = linkTokens.tokenOf('reset-password', id);
  const now = clock();
  await store.oneTimeTokens.insert({
    id,
    purpose: 'reset-password',
    tokenHash: linkTokens.hash(token),
    userId: account.id,
    email: recipient,
    requestedAt: now,
    expiresAt: new Date(now.getTime() + RESET_TTL_MS),
  });
  const { emailVerified: isVerified } = account;
  return { template: 'password-reset', url: `${baseUrl}/reset-password#${token}`, isVerified };
}

async function prepareInvitation(
  { store, linkTokens, baseUrl }: MailPorts,
  id: string,
): Promise<MailFacts | undefined> {
  const token = linkTokens.tokenOf('invitation', id);
  const invitation = await store.invitations.find(linkTokens.hash(token));
  const target = invitation?.organization ?? invitation?.mark;
  if (!invitation || !target) return undefined;
  return {
    template: 'invitation',
    url: `${baseUrl}/invitation#${token}`,
    inviterName: invitation.invitedBy.name,
    target: { kind: invitation.organization ? 'organization' : 'mark', name: target.name },
    expiresAt: invitation.expiresAt,
  };
}

async function prepareDomainNotice(
  { store }: MailPorts,
  { kind, domain, markId, otherMarkId, lapsesAt }: DomainNotice,
): Promise<MailFacts | undefined> {
  const mark = await store.marks.find(markId);
  const other = otherMarkId === undefined ? undefined : await store.marks.find(otherMarkId);
  return (
    mark && {
      template: 'domain-notice',
      kind,
      domain,
      markName: mark.name,
      otherMarkName: other?.visibility === 'public' ? other.name : undefined,
      lapsesAt: lapsesAt === undefined ? undefined : new Date(lapsesAt),
    }
  );
}

/** Undefined when the webhook was deleted or resumed in the meantime. */
async function prepareWebhookNotice(
  { store }: MailPorts,
  { webhookId, reason }: WebhookNotice,
): Promise<MailFacts | undefined> {
  const webhook = await store.webhooks.find(webhookId);
  if (!webhook?.pausedAt) return undefined;
  const { url, organizationId } = webhook;
  const organizationName = organizationId === null ? undefined : await store.organizations.findName(organizationId);
  return { template: 'webhook-notice', reason, host: new URL(url).host, organizationName };
}
