// Port for the export of an account: what the database has about a user, as far as the user may read it now.

import type { AiPreferences, ArtifactMetadata, RegistryEvent, User } from '@provenance-registry/core';

export interface AccountRecords {
  /** Reads all tables whose rows about a user are few, without secrets and hashes of tokens. */
  read(user: Pick<User, 'id' | 'email' | 'emailVerified'>): Promise<AccountFacts>;
  /** By key, starting after the key `after`. */
  listIdempotencyKeys(userId: string, limit: number, after: string | undefined): Promise<IdempotencyKeyRow[]>;
  /** Newest first, starting before the event with the id `before`; without details where the user has no access any more. */
  listEvents(userId: string, limit: number, before: string | undefined): Promise<RegistryEvent[]>;
  /** Artifacts and signed copies that the user created, newest first, starting after the one with the id `after`. */
  listArtifacts(userId: string, limit: number, after: string | undefined): Promise<ExportedArtifact[]>;
  /** Claims that the user made, newest first, starting after the one with the id `after`. */
  listClaims(userId: string, limit: number, after: string | undefined): Promise<ExportedRow[]>;
  /** What the user wrote about claims, newest first, starting after the entry with the id `after`. */
  listClaimEntries(userId: string, limit: number, after: string | undefined): Promise<ExportedRow[]>;
}

type Row = Readonly<Record<string, unknown>>;

export interface AccountFacts {
  readonly account: Row;
  readonly secondFactor: Row | null;
  readonly usage: Row | null;
  readonly sessions: readonly Row[];
  readonly oneTimeLinks: readonly Row[];
  readonly mails: readonly Row[];
  readonly organizations: readonly Row[];
  readonly marks: readonly Row[];
  readonly domains: readonly Row[];
  readonly apiKeys: readonly Row[];
  readonly webhooks: readonly Row[];
  readonly invitations: readonly Row[];
  /** How many: only hashes are kept. */
  readonly mailedAddresses: readonly Row[];
}

export interface IdempotencyKeyRow extends Row {
  readonly key: string;
}

export interface ExportedRow extends Row {
  readonly id: string;
}

export interface ExportedArtifact extends ExportedRow {
  readonly contentVisibility: 'public' | 'private';
  readonly metadata: ArtifactMetadata;
  readonly aiPreferences: AiPreferences | null;
  /** Whether the user may register under its Mark. */
  readonly mayWrite: boolean;
  readonly isMarkPublic: boolean;
}
