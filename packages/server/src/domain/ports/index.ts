// What the rules need from the world, named by role. Other rooms implement these; the rules know nothing else.

import type {
  ApiKey,
  ArtifactMetadata,
  ArtifactStatus,
  Fingerprint,
  GalleryMark,
  LicenseKey,
  Mark,
  Organization,
  OrganizationMember,
  Tier,
  TierTable,
  User,
} from '@provenance-registry/core';
import type { ChainRegistry } from './chain.js';
import type { Embedder, FileStore, Manifests, Media } from './files.js';

export * from './audit.js';
export * from './chain.js';
export * from './files.js';

/** Everything that the rules are given. */
export interface Ports {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly tiers: TierTable;
  readonly billing: 'self-serve' | 'operator';
  readonly markListCache: MarkListCache;
  readonly files: FileStore;
  readonly manifests: Manifests;
  readonly embedder: Embedder;
  readonly media: Media;
  readonly chain: Chain;
  readonly statusChanges: StatusChanges;
  readonly lookup: Lookup;
  readonly recording: Recording;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly cdnUrl: string;
}

export type Clock = () => Date;

/** What is kept. Inside a transaction, everything of it or nothing happens. */
export interface Store {
  readonly users: Users;
  readonly organizations: Organizations;
  readonly marks: Marks;
  readonly apiKeys: ApiKeys;
  readonly counters: Counters;
  readonly artifacts: Artifacts;
  readonly drafts: Drafts;
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

export interface Users {
  /** The new user, or undefined when the address is taken. */
  insert(user: NewUser): Promise<User | undefined>;
  findById(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<(User & { readonly passwordHash: string | null }) | undefined>;
  /** The user that a provider knows by this subject; made on first sight, without the address if that is taken. */
  findOrInsertProviderUser(user: NewProviderUser): Promise<User>;
  /** `tier`: until the transaction ends, the user's tier stays as it is. `all`: nobody else may do even that. */
  lock(id: string, what: 'tier' | 'all'): Promise<User | undefined>;
  setTier(id: string, tier: Tier): Promise<void>;
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
  /** With its owner as the first member, and counters of its own. */
  insert(organization: { id: string; name: string; ownerId: string }): Promise<void>;
  /** Those that the user belongs to, oldest first. */
  listOf(userId: string): Promise<Organization[]>;
  /** As the user sees it; undefined when the user does not belong to it. */
  findFor(id: string, userId: string): Promise<Organization | undefined>;
  /** The owner never changes. */
  ownerOf(id: string): Promise<string | undefined>;
  /** Undefined when there is no such organization. */
  statusOf(id: string): Promise<'active' | 'frozen' | undefined>;
  /** Its units and members stay as they are until the transaction ends. */
  lock(id: string): Promise<OrganizationUnits | undefined>;
  setPurchasedUnits(id: string, purchased: number): Promise<void>;
  members(id: string): Promise<OrganizationMember[]>;
  findMember(id: string, userId: string): Promise<OrganizationMember | undefined>;
  insertMember(id: string, userId: string, isAdmin: boolean): Promise<void>;
  setAdmin(id: string, userId: string, isAdmin: boolean): Promise<void>;
  deleteMember(id: string, userId: string): Promise<void>;
  /** All that the user owns: no members, no purchased units, nothing to be uploaded. */
  freezeOwnedBy(userId: string): Promise<void>;
  thawOwnedBy(userId: string): Promise<void>;
}

export interface OrganizationUnits {
  readonly status: 'active' | 'frozen';
  readonly purchasedUnits: number;
  readonly memberCount: number;
}

export interface Marks {
  insert(mark: NewMark): Promise<void>;
  find(id: string): Promise<Mark | undefined>;
  update(id: string, changes: MarkChanges): Promise<void>;
  /** Oldest first. */
  listWritableBy(userId: string): Promise<Mark[]>;
  listOfOrganization(organizationId: string): Promise<Mark[]>;
  /** False when the user is one already. */
  insertMember(id: string, userId: string): Promise<boolean>;
  /** False when there was no such member. */
  deleteMember(id: string, userId: string): Promise<boolean>;
  /** Public ones, newest first, that are older than the one named by `after`. */
  gallery(page: { query: string; limit: number; after: string | undefined }): Promise<GalleryMark[]>;
}

export interface NewMark extends Required<MarkChanges> {
  readonly id: string;
  readonly adminId: string;
  readonly owner: MarkOwner;
}

export type MarkOwner = { readonly userId: string } | { readonly organizationId: string };

export interface MarkChanges {
  readonly name?: string;
  readonly visibility?: 'public' | 'private';
  readonly license?: LicenseKey;
  readonly allowAiTraining?: boolean | null;
}

export interface ApiKeys {
  insert(key: {
    id: string;
    organizationId: string;
    name: string;
    tokenHash: Uint8Array;
    prefix: string;
    last4: string;
    createdAt: Date;
  }): Promise<void>;
  /** Oldest first. */
  listActive(organizationId: string): Promise<ApiKey[]>;
  /** False when the organization has no such active key. */
  revoke(organizationId: string, keyId: string, at: Date): Promise<boolean>;
  /** Also when it is revoked: then `active` is false. */
  findByTokenHash(tokenHash: Uint8Array): Promise<KnownApiKey | undefined>;
  /** Remembered now, written down later: nobody waits for it. */
  recordUse(keyId: string, at: Date): void;
}

export interface KnownApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationStatus: 'active' | 'frozen';
  readonly active: boolean;
  readonly owner: User;
}

export type Counted = 'organizations' | 'marks' | 'api_keys';

export interface Counters {
  /** Counts one more, unless the limit (-1: none) is reached: then false. Others wait until the transaction ends. */
  take(ownerId: string, what: Counted, limit: number): Promise<boolean>;
  giveBack(ownerId: string, what: Counted): Promise<void>;
  read(ownerId: string, today: Date): Promise<Usage>;
}

/** -1: none. */
export interface ArtifactLimits {
  readonly daily: number;
  readonly lifetime: number;
}

export interface Usage {
  readonly dailyArtifacts: number;
  readonly lifetimeArtifacts: number;
  readonly marks: number;
  readonly organizations: number;
}

export interface Artifacts {
  /** The one that holds the fingerprint; if there is none, the last that failed. */
  find(fingerprint: Fingerprint): Promise<StoredArtifact | undefined>;
  findById(id: string): Promise<StoredArtifact | undefined>;
  /** The ids of those that hold these fingerprints. */
  findIds(fingerprints: readonly Fingerprint[]): Promise<ReadonlyMap<Fingerprint, string>>;
  statuses(ids: readonly string[]): Promise<ReadonlyMap<string, ArtifactStatus>>;
  /** Newest first, older than the one named by `after`. */
  list(page: {
    markId: string;
    status: ArtifactStatus | undefined;
    limit: number;
    after: string | undefined;
  }): Promise<StoredArtifact[]>;
  setContentPrivate(id: string, contentPrivate: boolean): Promise<void>;
  /**
   * For each, ends the draft, takes a place in the caps, puts the Artifact into the outbox and keeps the answer to its key:
   * all of it or nothing. What came of each, in their order; throws when that is not known of any.
   */
  insert(artifacts: readonly NewArtifact[]): Promise<readonly (Recorded | Promise<Recorded>)[]>;
  /** The first answer that was given to a key, not older than `since`. */
  firstAnswer(callerId: string, key: string, since: Date): Promise<IdempotencyRecord | undefined>;
  deleteExpiredIdempotencyRecords(before: Date): Promise<void>;
}

/** The id of the Artifact that holds a fingerprint. */
export type Lookup = (fingerprint: Fingerprint) => Promise<string | undefined>;

/** Artifacts of one owner, who is named first, are recorded together with those that are about to be. */
export type Recording = (ownerId: string) => {
  arrive(artifact: NewArtifact): Promise<Recorded>;
  /** In any case: nobody waits for one that does not come. */
  leave(): void;
};

export interface StatusChanges {
  /** Until the status is another, or the time is over. */
  after(artifactId: string, status: ArtifactStatus, waitMs: number): Promise<void>;
}

export interface StoredArtifact {
  readonly id: string;
  readonly markId: string;
  readonly fingerprint: Fingerprint;
  readonly status: ArtifactStatus;
  readonly errorReason: string | null;
  readonly transactionHash: string | null;
  readonly metadata: ArtifactMetadata;
  readonly contentPrivate: boolean;
  readonly createdBy: { readonly id: string; readonly name: string };
  readonly createdAt: Date;
}

/**
 * `abandoned`: the draft was given up by somebody else. `full`: a cap is reached. `tierChanged`: the limits are those of
 * another tier by now.
 */
export type Refusal = 'abandoned' | 'duplicate' | 'keyUsed' | 'full' | 'tierChanged';

export type Recorded = 'recorded' | Refusal;

/** A place in the caps of a user or an organization; the payer is the user whose tier decides. */
export interface ArtifactPlace {
  readonly ownerId: string;
  readonly payerId: string;
  readonly tier: Tier;
  readonly limits: ArtifactLimits;
}

export interface NewArtifact {
  readonly id: string;
  readonly markId: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly fingerprint: Fingerprint;
  readonly manifestHash: Fingerprint;
  readonly metadata: ArtifactMetadata;
  readonly answer:
    | (IdempotencyRecord & { readonly callerId: string; readonly key: string; readonly since: Date })
    | undefined;
  readonly place: ArtifactPlace;
}

export interface IdempotencyRecord {
  readonly requestHash: Fingerprint;
  readonly response: unknown;
}

/** Creations under way. */
export interface Drafts {
  /** False, and nothing is begun, when the fingerprint is taken. What has begun may begin again: it is as new, then. */
  begin(draft: Draft): Promise<boolean>;
  /**
   * Undoes a creation, unless it is recorded or somebody else is undoing it: then false. Nobody can record it while `undo`
   * runs, nor afterwards.
   */
  abandon(artifactId: string, undo: () => Promise<void>): Promise<boolean>;
  olderThan(date: Date, limit: number): Promise<string[]>;
}

export interface Draft {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
}

export interface Chain {
  readonly registry: ChainRegistry;
  /** An Artifact waits for it. */
  wake(): void;
  /** Throws when it does not answer. */
  check(): Promise<void>;
}

/** The lists of writable Marks, remembered for a while for each caller. */
export interface MarkListCache {
  get(caller: string, load: () => Promise<Mark[]>): Promise<Mark[]>;
  forget(caller: string): void;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Costs the same for every hash, also for `undefined`, which no password matches. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

/** Whom a token speaks for. */
export type Identity = ServiceIdentity | ProviderIdentity;

export interface ServiceIdentity {
  readonly kind: 'service';
  readonly userId: string;
}

export interface ProviderIdentity {
  readonly kind: 'provider';
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
}

export interface Tokens {
  issue(userId: string, now: Date): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Undefined when the token is not valid, for whatever reason. */
  verify(token: string, now: Date): Promise<Identity | undefined>;
}
