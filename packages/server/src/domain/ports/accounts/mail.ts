// Ports for mail: what is sent, the queue of mails to be sent, and the one-time tokens in their links.

/** What the rules need of mail. */
export interface Mail {
  /** False: no mail server is configured. Nothing is queued then. */
  readonly isEnabled: boolean;
  /** Queues a mail in the transaction of its cause. It is sent after the commit, at least once. */
  enqueue(store: { readonly mails: Mails }, mail: NewMail): Promise<void>;
}

/** Names and links are looked up when the mail is sent; a mail that has lost its cause by then is not sent. */
export type NewMail = { readonly recipient: string } & MailContent;

export type MailContent =
  | { readonly template: 'verify-email'; readonly data: { readonly oneTimeTokenId: string } }
  /** A mail for any address: sent only if it has an account with a password. */
  | { readonly template: 'password-reset'; readonly data: Readonly<Record<string, never>> }
  | { readonly template: 'invitation'; readonly data: { readonly invitationId: string } }
  | { readonly template: 'security-notice'; readonly data: SecurityNotice }
  | { readonly template: 'claim-notice'; readonly data: ClaimNotice }
  | { readonly template: 'domain-notice'; readonly data: DomainNotice }
  | { readonly template: 'webhook-notice'; readonly data: WebhookNotice };

export type NoticeKind =
  | 'password-changed'
  | 'password-reset'
  | 'email-changed'
  | 'totp-enabled'
  | 'totp-disabled'
  | 'recovery-code-used'
  | 'codes-blocked'
  | 'key-created'
  | 'organization-received'
  | 'account-closed';

export interface SecurityNotice {
  readonly kind: NoticeKind;
  /** When it happened, in ISO 8601. */
  readonly at: string;
  /** The organization that it is about. */
  readonly organizationId?: string;
}

/** `received`, `withdrawn`: to the admin of the contested Mark. `answered`, `conceded`: to the claimant. `noted`, `rechecked`: to both. */
export type ClaimNoticeKind =
  | 'claim-received'
  | 'claim-answered'
  | 'claim-withdrawn'
  | 'claim-conceded'
  | 'claim-noted'
  | 'claim-rechecked';

export interface ClaimNotice {
  readonly kind: ClaimNoticeKind;
  readonly claimId: string;
  /** When it happened, in ISO 8601. */
  readonly at: string;
}

export interface DomainNotice {
  readonly kind: 'failing' | 'lapsed' | 'verified-elsewhere';
  readonly domain: string;
  /** The Mark of the recipient. */
  readonly markId: string;
  /** The Mark that the domain was verified for. */
  readonly otherMarkId?: string;
  /** When the domain lapses, in ISO 8601. */
  readonly lapsesAt?: string;
}

/** A webhook was paused. */
export interface WebhookNotice {
  readonly webhookId: string;
  readonly reason: 'failing' | 'gone';
}

/** What an account has mail sent to strangers for. */
export type MailPurpose = 'invitation' | 'verification';

/** The addresses that mail was sent to, by hashes of their mailboxes. */
export interface MailRecipients {
  /** False when this account has had mail of this purpose sent to the address before. */
  remember(userId: string, purpose: MailPurpose, addressHash: Uint8Array): Promise<boolean>;
  /** Deletes what is remembered of this account. */
  forgetAllOf(userId: string): Promise<void>;
  /** Whether a reader of the address has stopped mail that others cause. */
  isStopped(addressHash: Uint8Array): Promise<boolean>;
  stop(addressHash: Uint8Array): Promise<void>;
  allow(addressHash: Uint8Array): Promise<void>;
}

/** Hashes of addresses that only this service can compute, and the tokens of links that stop mail to them. */
export interface RecipientTokens {
  hash(email: string): Uint8Array;
  tokenOf(email: string): string;
  /** The hash of the address that the token is for; undefined when the service has made no such token. */
  read(token: string): Uint8Array | undefined;
}

/** Mails to be sent. Times are those of the database, which all processes share. */
export interface Mails {
  /** @param lifetimeMs how long the mail is of use */
  insert(mail: NewMail & { readonly id: string }, lifetimeMs: number): Promise<void>;
  /** Does nothing if `max` of the template were queued with this key within `withinMs`. Takes the same time either way. */
  insertWithLimit(
    mail: NewMail & { readonly id: string },
    lifetimeMs: number,
    limit: { readonly key: string; readonly max: number; readonly withinMs: number },
  ): Promise<void>;
  /** Deletes mails, sent or not; with a template, of that one only. */
  deleteTo(recipient: string, template?: NewMail['template']): Promise<void>;
  /** Those that are done with, and were queued longer ago than that. */
  deleteOlderThan(ageMs: number): Promise<void>;
}

/** The worker's side of the mails: each is sent by one worker at a time. */
export interface MailOutbox {
  /** Mails that are due, which other workers leave alone for `leaseMs`. */
  leaseDue(limit: number, leaseMs: number): Promise<LeasedMail[]>;
  /** Ends the mail, also one that had lost its cause. */
  markSent(id: string): Promise<void>;
  retryLater(id: string, delayMs: number, error: string): Promise<void>;
  delete(id: string): Promise<void>;
  readBacklog(): Promise<MailBacklog>;
}

export interface LeasedMail {
  readonly id: string;
  readonly recipient: string;
  readonly content: MailContent;
  /** This one included. */
  readonly attempts: number;
  readonly isExpired: boolean;
}

export interface MailBacklog {
  readonly waiting: number;
  /** Undefined when none is waiting. */
  readonly oldestSeconds: number | undefined;
}

/** A mail with everything that its text needs; `stopUrl`, in mail that others cause, stops it for this address. */
export type PreparedMail = MailFacts & { readonly stopUrl?: string };

export type MailFacts =
  | { readonly template: 'verify-email'; readonly url: string }
  /** `isVerified`: the address of the account is. Otherwise the reset replaces the account by an empty one. */
  | { readonly template: 'password-reset'; readonly url: string; readonly isVerified: boolean }
  | {
      readonly template: 'invitation';
      readonly url: string;
      readonly inviterName: string;
      readonly target: { readonly kind: 'organization' | 'mark'; readonly name: string };
      readonly expiresAt: Date;
    }
  | {
      readonly template: 'security-notice';
      readonly kind: NoticeKind;
      readonly at: Date;
      readonly organizationName: string | undefined;
    }
  | {
      readonly template: 'claim-notice';
      readonly kind: ClaimNoticeKind;
      readonly at: Date;
      /** The page of the contested Artifact. */
      readonly url: string;
      readonly fingerprint: string;
    }
  | {
      readonly template: 'domain-notice';
      readonly kind: DomainNotice['kind'];
      readonly domain: string;
      readonly markName: string;
      /** Undefined for a private Mark. */
      readonly otherMarkName: string | undefined;
      readonly lapsesAt: Date | undefined;
    }
  | {
      readonly template: 'webhook-notice';
      readonly reason: WebhookNotice['reason'];
      /** Host of the receiver. */
      readonly host: string;
      /** Undefined for a webhook of the recipient's own. */
      readonly organizationName: string | undefined;
    };

/** The tokens in links are computed from the id of what they belong to, and never stored. */
export interface LinkTokens {
  tokenOf(purpose: LinkPurpose, id: string): string;
  /** What is stored of a token. */
  hash(token: string): Uint8Array;
}

export type LinkPurpose = OneTimePurpose | 'invitation';
export type OneTimePurpose = 'verify-email' | 'reset-password';

export interface OneTimeTokens {
  /** Inserts the token; if the id exists, sets its expiry. */
  insert(token: NewOneTimeToken): Promise<void>;
  find(id: string): Promise<OneTimeToken | undefined>;
  findByHash(purpose: OneTimePurpose, tokenHash: Uint8Array): Promise<OneTimeToken | undefined>;
  /** Newest first, as of `requestAgain`. */
  listOf(userId: string, purpose: OneTimePurpose): Promise<OneTimeToken[]>;
  /** Makes the token the newest one. */
  requestAgain(id: string, at: Date): Promise<void>;
  delete(id: string): Promise<void>;
  /** Deletes the tokens of the user; with a purpose, of that one only. */
  deleteOf(userId: string, purpose?: OneTimePurpose): Promise<void>;
  deleteExpired(now: Date): Promise<void>;
}

export interface OneTimeToken {
  readonly id: string;
  readonly userId: string;
  /** The address that verification proves. */
  readonly email: string | null;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
}

export interface NewOneTimeToken extends OneTimeToken {
  readonly purpose: OneTimePurpose;
  readonly tokenHash: Uint8Array;
}
