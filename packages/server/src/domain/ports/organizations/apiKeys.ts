// The stored API keys.

import type { ApiKey, ApiKeyScope, User } from '@provenance-registry/core';

export interface ApiKeys {
  insert(key: NewApiKey): Promise<void>;
  /** Neither revoked nor expired, oldest first. */
  listActive(organizationId: string, now: Date): Promise<ApiKey[]>;
  /** Expired and not revoked yet, of one organization or of all. */
  listExpired(now: Date, organizationId?: string): Promise<{ id: string; organizationId: string }[]>;
  /** Those that expire within the time, each once in all. Keys that were made for a shorter time are left out. */
  takeExpiring(now: Date, withinMs: number): Promise<{ id: string; organizationId: string; expiresAt: Date }[]>;
  /** False when it was revoked; otherwise it is not before the transaction ends. */
  lockActive(keyId: string): Promise<boolean>;
  /** False when the organization has no such active key. */
  revoke(organizationId: string, keyId: string, at: Date): Promise<boolean>;
  /** Finds revoked keys too; `active` is false for them. */
  findByTokenHash(tokenHash: Uint8Array): Promise<StoredApiKey | undefined>;
  /**
   * Buffered, and written later: requests do not wait for it. A key that was used elsewhere before gets an event, at most
   * one an hour.
   */
  recordUse(keyId: string, use: ApiKeyUse): void;
}

export interface NewApiKey {
  readonly id: string;
  readonly organizationId: string;
  /** The owner, who made it: it ends when the ownership passes on. */
  readonly createdBy: string;
  readonly name: string;
  readonly tokenHash: Uint8Array;
  readonly prefix: string;
  readonly last4: string;
  readonly createdAt: Date;
  readonly scope: ApiKeyScope | null;
  readonly expiresAt: Date | null;
}

export interface ApiKeyUse {
  readonly at: Date;
  readonly address: string;
  readonly userAgent: string | null;
}

export interface StoredApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationStatus: 'active' | 'frozen';
  readonly active: boolean;
  readonly scope: ApiKeyScope | null;
  readonly expiresAt: Date | null;
  readonly owner: User;
}
