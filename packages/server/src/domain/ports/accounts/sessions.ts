// Port for sessions: every token belongs to one, and ends with it.

import type { Session, User } from '@provenance-registry/core';

export interface Sessions {
  /** False when all sessions of the user were ended since `tokensNotBefore` was read, or the account was closed. */
  insert(session: NewSessionRow & { readonly tokensNotBefore: Date | null }): Promise<boolean>;
  /** Gives a token its session. Changes nothing when there is one, or when the token is older than the user allows. */
  adopt(session: NewSessionRow): Promise<void>;
  /** Finds ended sessions too; `isActive` is false for them. */
  find(id: string): Promise<StoredSession | undefined>;
  /** Neither ended nor expired, the most recently used first. */
  list(userId: string, now: Date): Promise<Omit<Session, 'current'>[]>;
  /** False when the user has no such session that is neither ended nor expired. */
  end(userId: string, id: string, now: Date): Promise<boolean>;
  /** Ends sessions, and refuses all tokens issued until now that have none yet. Returns the number of sessions ended. */
  endAll(userId: string, exceptSessionId?: string): Promise<number>;
  /** Buffered, and written later: requests do not wait for it. */
  recordUse(id: string, at: Date): void;
  deleteExpired(before: Date): Promise<void>;
}

export interface NewSessionRow {
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date;
  readonly userAgent: string | null;
}

export interface StoredSession {
  readonly user: User;
  readonly lastUsedAt: Date;
  readonly isActive: boolean;
}
