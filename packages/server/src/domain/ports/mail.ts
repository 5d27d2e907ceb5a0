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
  /** For any address: sent only if it has an account with a password. */
  | { readonly template: 'password-reset'; readonly data: Readonly<Record<string, never>> }
  | { readonly template: 'invitation'; readonly data: { readonly invitationId: string } }
  | { readonly template: 'security-notice'; readonly data: SecurityNotice };

export const noticeKinds = [
  'password-changed',
  'password-reset',
  'email-changed',
  'totp-enabled',
  'totp-disabled',
  'recovery-code-used',
  'codes-blocked',
  'key-created',
  'organization-received',
  'account-closed',
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export interface SecurityNotice {
  readonly kind: NoticeKind;
  /** When it happened, in ISO 8601. */
  readonly at: string;
  /** The organization that it is about. */
  readonly organizationId?: string;
}

/** Mails to be sent. Times are those of the database, which all processes share. */
export interface Mails {
  /** @param lifetimeMs how long the mail is of use */
  insert(mail: NewMail & { readonly id: string }, lifetimeMs: number): Promise<void>;
  /** Does nothing if the same template was queued for this recipient within `withinMs`. Takes the same time either way. */
  insertUnlessRecent(mail: NewMail & { readonly id: string }, lifetimeMs: number, withinMs: number): Promise<void>;
  /** Also those that were sent. With a template, of that one only. */
  deleteTo(recipient: string, template?: NewMail['template']): Promise<void>;
}

/** The tokens in links are computed from the id of what they belong to, and never stored. */
export interface LinkTokens {
  tokenOf(purpose: LinkPurpose, id: string): string;
  /** What is stored of a token. */
  hash(token: string): Uint8Array;
}

export type LinkPurpose = OneTimePurpose | 'invitation';
export type OneTimePurpose = 'verify-email' | 'reset-password';

export interface OneTimeTokens {
  /** For an id that exists, sets its expiry. */
  insert(token: NewOneTimeToken): Promise<void>;
  find(id: string): Promise<OneTimeToken | undefined>;
  /** Deletes the token and returns it, expired or not. */
  take(purpose: OneTimePurpose, tokenHash: Uint8Array): Promise<OneTimeToken | undefined>;
  /** Newest first, as of `requestAgain`. */
  listOf(userId: string, purpose: OneTimePurpose): Promise<OneTimeToken[]>;
  /** Makes the token the newest one. */
  requestAgain(id: string, at: Date): Promise<void>;
  delete(id: string): Promise<void>;
  /** With a purpose, of that one only. */
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
