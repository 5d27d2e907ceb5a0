// Ports for passwords and bearer tokens.

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time for every current hash, and for `undefined`, which no password matches. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** Whether passwords are hashed in another way today. */
  isOutdated(hash: string): boolean;
}

/** Those with enough characters to be a password here, in lower case. */
export interface CommonPasswords {
  has(password: string): boolean;
}

export interface Tokens {
  issue(userId: string, sessionId: string, now: Date): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Undefined when the token is not valid, for whatever reason. */
  verify(token: string, now: Date): Promise<VerifiedToken | undefined>;
}

export interface VerifiedToken {
  readonly identity: Identity;
  /** Named by the token, or made from its hash. */
  readonly sessionId: string;
  /** False for a token of the provider, or of an earlier version: its session is created when it is first used. */
  readonly namesSession: boolean;
  /** The epoch, if the provider does not tell. */
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The user that a token authenticates. */
export type Identity = { readonly kind: 'service'; readonly userId: string } | ProviderIdentity;

/** A user of the OpenID provider. */
export interface ProviderIdentity {
  readonly kind: 'provider';
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
}
