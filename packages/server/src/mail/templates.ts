// The texts of mails. Subjects and headings are fixed: names that users have chosen are quoted, and only in paragraphs.

import { WEBHOOK_RETRY_DAYS } from '@provenance-registry/core';
import type { ClaimNoticeKind, NoticeKind, PreparedMail } from '../domain/ports/index.js';
import { type MailBody, type RenderedMail, renderBody, type Sender } from './layout.js';
import { preventLinks, quoteName } from './untrustedNames.js';

export function renderMail(mail: PreparedMail, sender: Sender): RenderedMail {
  return renderBody({ ...buildBody(mail, sender), stopUrl: mail.stopUrl }, sender);
}

function buildBody(mail: PreparedMail, sender: Sender): MailBody {
  switch (mail.template) {
    case 'verify-email':
      return {
        subject: 'Verify your email address',
        heading: 'Verify your email address',
        paragraphs: [
          `An account at ${sender.registryName} uses this address, or is about to. Verify that it is yours.`,
        ],
        action: { label: 'Verify email address', url: mail.url },
        notes: [
          'The link is valid for 24 hours and works once.',
          'If you did not request this, do not open the link. You can ignore this mail.',
        ],
      };
    case 'password-reset':
      return {
        subject: 'Reset your password',
        heading: 'Reset your password',
        paragraphs: [
          `A password reset was requested for your account at ${sender.registryName}.`,
          ...(mail.isVerified ? [] : [unverifiedAddressWarning]),
        ],
        action: { label: 'Choose a new password', url: mail.url },
        notes: [
          'The link is valid for one hour and works once. All sessions end when you set the new password.',
          'If you did not request this, you can ignore this mail: your password stays as it is.',
        ],
      };
    case 'invitation':
      return buildInvitation(mail, sender);
    case 'security-notice':
      return buildNotice(mail, sender);
    case 'claim-notice':
      return buildClaimNotice(mail, sender);
    case 'domain-notice':
      return buildDomainNotice(mail, sender);
    case 'webhook-notice':
      return buildWebhookNotice(mail, sender);
  }
}

/** Someone else may have signed up with the address: the reset leaves nothing of that account. */
const unverifiedAddressWarning =
  'This address was never verified. A new password therefore closes the account that was opened with it, for good, and ' +
  'opens an empty one: its organizations end, and its Marks are closed, or deleted if they have no files. If you opened ' +
  'the account and know the password, log in and verify the address first.';

function buildInvitation(
  { target, inviterName, url, expiresAt }: Extract<PreparedMail, { template: 'invitation' }>,
  { registryName }: Sender,
): MailBody {
  const { subject, what, consequence } = invitationTexts[target.kind];
  return {
    subject,
    heading: subject,
    paragraphs: [
      `A user of ${registryName} invites you to ${what}: ${quoteName(target.name)}.`,
      `The name of the user is ${quoteName(inviterName)}. Users choose these names themselves; they are not checked.`,
      `${consequence} Nothing happens unless you accept.`,
    ],
    action: { label: 'View invitation', url },
    notes: [
      `The invitation is for this email address and expires on ${formatTime(expiresAt)}.`,
      'If you do not know the sender, you can ignore this mail.',
    ],
  };
}

const invitationTexts = {
  organization: {
    subject: 'You are invited to an organization',
    what: 'an organization',
    consequence: 'As a member you can register files under its Marks.',
  },
  mark: {
    subject: 'You are invited to a Mark',
    what: 'a Mark, a name that files are registered under',
    consequence: 'As a member you can register files under it.',
  },
} as const;

interface NoticeText {
  readonly subject: string;
  readonly what: string;
}

/** @param organization in quotes, or a general word */
const noticeTexts: Readonly<Record<NoticeKind, (organization: string) => NoticeText>> = {
  'password-changed': () => ({
    subject: 'Your password was changed',
    what: 'The password of your account was changed. All other sessions were ended.',
  }),
  'password-reset': () => ({
    subject: 'Your password was reset',
    what: 'The password of your account was set by a reset link. All sessions were ended.',
  }),
  'email-changed': () => ({
    subject: 'Your email address was changed',
    what: 'Your account has another email address now. This one is no longer used.',
  }),
  'totp-enabled': () => ({
    subject: 'Two-factor authentication is on',
    what: 'Logging in to your account now needs a code from an authenticator app.',
  }),
  'totp-disabled': () => ({
    subject: 'Two-factor authentication is off',
    what: 'The second factor of your account was removed. Logging in needs the password alone.',
  }),
  'recovery-code-used': () => ({
    subject: 'A recovery code was used',
    what: 'A recovery code was used instead of the authenticator app. It does not work again.',
  }),
  'codes-blocked': () => ({
    subject: 'Too many wrong codes',
    what:
      'Many wrong codes of the second factor were entered, with your correct password. Codes are refused for 15 minutes; ' +
      'recovery codes still work.',
  }),
  'key-created': (organization) => ({
    subject: 'An API key was created',
    what: `An API key was created for ${organization}.`,
  }),
  'organization-received': (organization) => ({
    subject: 'You are the owner of an organization now',
    what: `Ownership of ${organization} was transferred to you. Its limits and billing follow your tier.`,
  }),
  'account-closed': () => ({
    subject: 'Your account was closed',
    what:
      'Your account was closed. Email address, name and password were erased, and all sessions were ended. Registered files ' +
      'stay registered.',
  }),
};

/** The account no longer belongs to a reader of this address: nothing can be done from there. */
const withoutAccount = new Set<NoticeKind>(['email-changed', 'account-closed']);

function buildNotice(
  { kind, at, organizationName }: Extract<PreparedMail, { template: 'security-notice' }>,
  { registryName, baseUrl }: Sender,
): MailBody {
  const { subject, what } = noticeTexts[kind](
    organizationName === undefined ? 'your organization' : quoteName(organizationName),
  );
  const advice = withoutAccount.has(kind)
    ? `If you did not do this, contact the operator of ${registryName}.`
    : 'If you did not do this, change your password and end all sessions.';
  return {
    subject,
    heading: subject,
    paragraphs: [what, `This happened at ${registryName} on ${formatTime(at)}.`],
    ...(!withoutAccount.has(kind) && { action: { label: 'Review account security', url: `${baseUrl}/account` } }),
    notes: [advice, 'You get this mail because it concerns the security of your account.'],
  };
}

/** Texts without words of the other side, which are on the page: a mail of the registry must not carry them. */
const claimNoticeTexts: Readonly<Record<ClaimNoticeKind, NoticeText & { readonly note: string }>> = {
  'claim-received': {
    subject: 'A file that is registered under your Mark is contested',
    what: 'Another user contests a file that is registered under a Mark of yours, and gave reasons or evidence.',
    note: 'You can answer the claim or concede it. The registration itself stays as it is.',
  },
  'claim-withdrawn': {
    subject: 'A claim to a file of your Mark was withdrawn',
    what: 'The claimant withdrew a claim to a file that is registered under a Mark of yours.',
    note: 'The claim stays visible as withdrawn.',
  },
  'claim-answered': {
    subject: 'Your claim was answered',
    what: "The admin of the contested file's Mark answered your claim.",
    note: 'The claim stays open until you withdraw it or it is conceded.',
  },
  'claim-conceded': {
    subject: 'Your claim was conceded',
    what: "The admin of the contested file's Mark conceded the file to the Mark that your claim names.",
    note: 'The registration itself stays as it is, and is shown as superseded.',
  },
  'claim-noted': {
    subject: 'The operator added a note to a claim',
    what: 'The operator of the registry added a note to a claim that you made or received.',
    note: 'The note is public.',
  },
  'claim-rechecked': {
    subject: 'The evidence of a claim was checked again',
    what:
      'The operator of the registry trusts other sources of time-stamps now. The evidence of a claim that you made or ' +
      'received was checked again, with another result.',
    note: 'The page shows what was found.',
  },
};

function buildClaimNotice(
  { kind, at, fingerprint, url }: Extract<PreparedMail, { template: 'claim-notice' }>,
  { registryName }: Sender,
): MailBody {
  const { subject, what, note } = claimNoticeTexts[kind];
  return {
    subject,
    heading: subject,
    paragraphs: [what, `Fingerprint: ${fingerprint}`, `This happened at ${registryName} on ${formatTime(at)}.`],
    action: { label: 'View the claims', url },
    notes: [note, 'Claims are public. When many arrive in a short time, not every one is mailed; the page lists all.'],
  };
}

function buildDomainNotice(
  { kind, lapsesAt, ...names }: Extract<PreparedMail, { template: 'domain-notice' }>,
  { registryName, baseUrl }: Sender,
): MailBody {
  const mark = quoteName(names.markName);
  const domain = preventLinks(names.domain);
  const other = names.otherMarkName === undefined ? 'a private Mark' : `the Mark ${quoteName(names.otherMarkName)}`;
  const text = {
    failing: {
      subject: 'A domain of your Mark can no longer be confirmed',
      what:
        `The daily check of ${domain} at ${registryName} has failed for a day: neither its TXT record nor its file names ` +
        `your Mark ${mark}.`,
      next: `The domain lapses${lapsesAt ? ` on ${formatTime(lapsesAt)}` : ''} unless a check succeeds before.`,
    },
    lapsed: {
      subject: 'A domain of your Mark has lapsed',
      what: `Your Mark ${mark} at ${registryName} no longer has the verified domain ${domain}: its checks failed for too long.`,
      next: 'You can claim the domain again when its record is back.',
    },
    'verified-elsewhere': {
      subject: 'Another Mark has verified a domain of yours',
      what: `${domain} is a verified domain of your Mark ${mark} at ${registryName}. It was now also verified for ${other}.`,
      next: 'If you did not expect this, find out who can change the DNS records and the web server of the domain.',
    },
  }[kind];
  return {
    subject: text.subject,
    heading: text.subject,
    paragraphs: [text.what, text.next],
    action: { label: 'Review domains', url: `${baseUrl}/dashboard` },
    notes: [`You get this mail because you are the admin of ${mark}.`],
  };
}

function buildWebhookNotice(
  { reason, host, organizationName }: Extract<PreparedMail, { template: 'webhook-notice' }>,
  { registryName, baseUrl }: Sender,
): MailBody {
  const whose = organizationName === undefined ? 'your account' : quoteName(organizationName);
  const why = {
    failing: `It did not accept an event for ${WEBHOOK_RETRY_DAYS} days.`,
    gone: 'It answered with status 410, which means that it wants no more events.',
  }[reason];
  return {
    subject: 'A webhook was paused',
    heading: 'A webhook was paused',
    paragraphs: [
      `${registryName} no longer sends events of ${whose} to ${preventLinks(host)}. ${why}`,
      'No event is lost: resume the webhook when the receiver works, and it sends everything that happened since.',
    ],
    action: { label: 'Review webhooks', url: `${baseUrl}/dashboard` },
    notes: ['If you no longer need the webhook, delete it.'],
  };
}

/** Readers are in every time zone: `June 1, 2026 at 12:00 UTC`. */
function formatTime(time: Date): string {
  const text = new Intl.DateTimeFormat('en-US', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  return `${text.format(time)} UTC`;
}
