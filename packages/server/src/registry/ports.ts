// What the rules need from the world, named by role. Other rooms implement these; the rules know nothing else.

import type { Organization, Tier, User } from '@provenance-registry/core';

export type Clock = () => Date;

export interface Users {
  /** The new user, or undefined when the address is taken. */
  insert(user: NewUser): Promise<User | undefined>;
  findById(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<(User & { readonly passwordHash: string | null }) | undefined>;
  /** The user that a provider knows by this subject; made on first sight, without the address if that is taken. */
  findOrInsertProviderUser(user: NewProviderUser): Promise<User>;
  /** The user as it is then, or undefined when there is none. */
  setTier(id: string, tier: Tier): Promise<User | undefined>;
}

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

export interface NewProviderUser {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string;
}

export interface Organizations {
  /** Those that the user belongs to, oldest first. */
  listOf(userId: string): Promise<Organization[]>;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Costs the same for every hash, also for `undefined`, which no password matches. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** Whom a token speaks for. */
export type Identity =
  | { readonly kind: 'service'; readonly userId: string }
  | {
      readonly kind: 'provider';
      readonly issuer: string;
      readonly subject: string;
      readonly email: string | null;
      readonly name: string | null;
    };

export interface Tokens {
  issue(userId: string, now: Date): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Undefined when the token is not valid, for whatever reason. */
  verify(token: string, now: Date): Promise<Identity | undefined>;
}
