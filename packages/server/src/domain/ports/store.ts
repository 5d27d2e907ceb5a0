// Ports for what the database keeps: one interface a table or group of tables.

import type {
  AiPreferences,
  Artifact,
  ArtifactMetadata,
  ArtifactStatus,
  ClaimSummary,
  Fingerprint,
  GalleryMark,
  LicenseKey,
  Mark,
  MemberCounts,
  Organization,
  OrganizationMember,
  OrganizationOverview,
  Tier,
  TierLimits,
  User,
} from '@provenance-registry/core';
import type { AccountRecords } from './accounts/accountRecords.js';
import type { DailyBudgets } from './accounts/dailyBudgets.js';
import type { ProviderIdentity } from './accounts/identity.js';
import type { MailRecipients, Mails, OneTimeTokens } from './accounts/mail.js';
import type { SecondFactors } from './accounts/secondFactors.js';
import type { Sessions } from './accounts/sessions.js';
import type { WritableArtifactsPage } from './artifacts/artifactLists.js';
import type { Claims } from './claims/claims.js';
import type { Events } from './events/events.js';
import type { Feed } from './events/feed.js';
import type { Webhooks } from './events/webhooks.js';
import type { LogRecords, NewLogEntry } from './log/logRecords.js';
import type { BulkLookups } from './lookups/bulkLookups.js';
import type { MirrorReader } from './lookups/chainMirror.js';
import type { Downloads } from './lookups/downloads.js';
import type { ImageHashRecords, SoundHashRecords } from './lookups/lookalikes.js';
import type { Lookups } from './lookups/lookups.js';
import type { MarkDomains } from './marks/markDomains.js';
import type { MarkPreferences } from './marks/markPreferences.js';
import type { Sitemap } from './marks/sitemap.js';
import type { ApiKeys } from './organizations/apiKeys.js';
import type { Grants } from './organizations/grants.js';
import type { Invitations } from './organizations/invitations.js';

export interface Store {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly organizations: Organizations;
  readonly marks: Marks;
  readonly markDomains: MarkDomains;
  readonly markPreferences: MarkPreferences;
  readonly apiKeys: ApiKeys;
  readonly counters: Counters;
  readonly dailyBudgets: DailyBudgets;
  readonly artifacts: Artifacts;
  readonly lookups: Lookups;
  readonly drafts: Drafts;
  readonly idempotencyRecords: IdempotencyRecords;
  readonly events: Events;
  readonly feed: Feed;
  readonly log: LogRecords;
  readonly webhooks: Webhooks;
  readonly secondFactors: SecondFactors;
  readonly accountRecords: AccountRecords;
  readonly mails: Mails;
  readonly mailRecipients: MailRecipients;
  readonly oneTimeTokens: OneTimeTokens;
  readonly invitations: Invitations;
  readonly grants: Grants;
  readonly claims: Claims;
  readonly downloads: Downloads;
  readonly chainMirror: MirrorReader;
  readonly bulkLookups: BulkLookups;
  readonly imageHashes: ImageHashRecords;
  readonly soundHashes: SoundHashRecords;
  readonly sitemap: Sitemap;
  /** Everything that `work` does with its store is committed, or nothing is. `work` may run more than once. */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

export interface Users {
  /** Undefined when the email address is in use. */
  insert(user: { id: string; email: string; name: string; passwordHash: string }): Promise<User | undefined>;
  /** Undefined when the account is closed. */
  findById(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<UserWithPassword | undefined>;
  /** The user with this provider subject; created on first use, without the email address if that is in use. */
  findOrInsertProviderUser(user: NewProviderUser): Promise<User>;
  /** Locks the user until the transaction ends: `tier` keeps the tier as it is, `all` also excludes other locks. */
  lock(id: string, what: 'tier' | 'all'): Promise<User | undefined>;
  setTier(id: string, tier: Tier): Promise<void>;
  setName(id: string, name: string): Promise<void>;
  /** Undefined for users of an OpenID provider. */
  findPasswordHash(id: string): Promise<string | undefined>;
  /** Erases what is known about the user. */
  close(id: string, at: Date): Promise<void>;
  /** Replaces the hash only if the user still has the old one. */
  replacePasswordHash(id: string, oldHash: string, newHash: string): Promise<void>;
  setPasswordHash(id: string, hash: string): Promise<void>;
  markEmailVerified(id: string): Promise<void>;
  /** False when the address is in use: the transaction can only be rolled back then. */
  replaceEmail(id: string, email: string, isVerified: boolean): Promise<boolean>;
}

/** `tokensNotBefore`: when all sessions were last ended. */
export interface UserWithPassword extends User {
  readonly passwordHash: string | null;
  readonly tokensNotBefore: Date | null;
}

export interface NewProviderUser extends Omit<ProviderIdentity, 'kind' | 'name'> {
  readonly id: string;
  readonly name: string;
}

export interface Organizations {
  /** Inserts the organization with its owner as the first member, and with counters. */
  insert(organization: { id: string; name: string; ownerId: string }): Promise<void>;
  /** The organizations of this user, oldest first. */
  listOf(userId: string): Promise<Organization[]>;
  /** The organization with the user's role; undefined when the user is not a member. */
  findFor(id: string, userId: string): Promise<Organization | undefined>;
  findOwnerId(id: string): Promise<string | undefined>;
  findName(id: string): Promise<string | undefined>;
  findStatus(id: string): Promise<'active' | 'frozen' | undefined>;
  /** Owner, units and members cannot change until the transaction ends. */
  lock(id: string): Promise<LockedOrganization | undefined>;
  /** All organizations of this owner, locked in the order of their ids. */
  lockOwnedBy(userId: string): Promise<LockedOrganization[]>;
  setPurchasedUnits(id: string, purchased: number): Promise<void>;
  /** Counts of the organization; those by day are of the days until `now`. */
  count(id: string, now: Date): Promise<OrganizationCounts>;
  listMembers(id: string): Promise<OrganizationMember[]>;
  findMember(id: string, userId: string): Promise<OrganizationMember | undefined>;
  insertMember(id: string, userId: string, isAdmin: boolean): Promise<void>;
  setAdmin(id: string, userId: string, isAdmin: boolean): Promise<void>;
  deleteMembers(id: string, userIds: readonly string[]): Promise<void>;
  /** Exchanges the roles of the two members; the former owner is an admin member then. */
  setOwner(id: string, change: { from: string; to: string }): Promise<void>;
  /** Removes the purchased units too: there are no members but the owner. */
  freeze(id: string): Promise<void>;
  unfreeze(id: string): Promise<void>;
}

export interface OrganizationCounts
  extends Pick<OrganizationOverview, 'marks' | 'openClaims' | 'days' | 'byMark'>,
    Pick<OrganizationOverview['artifacts'], 'total' | 'inProgress' | 'failed'> {
  readonly byMember: MemberCounts;
}

export interface LockedOrganization {
  readonly id: string;
  readonly ownerId: string;
  readonly status: 'active' | 'frozen';
  readonly purchasedUnits: number;
  readonly memberCount: number;
}

export interface Marks {
  insert(mark: NewMark): Promise<void>;
  find(id: string): Promise<Mark | undefined>;
  /** The Mark for a registration, which names the version when it is recorded. */
  findForWriting(id: string): Promise<WritableMark | undefined>;
  /** The Mark, its admin and its members do not change until the transaction ends. */
  lock(id: string): Promise<Mark | undefined>;
  update(id: string, changes: MarkChanges): Promise<void>;
  setRepresentative(id: string, representativeId: string | null): Promise<void>;
  /** Oldest first. */
  listWritableBy(userId: string): Promise<Mark[]>;
  listOfOrganization(organizationId: string): Promise<Mark[]>;
  /** False when the user is a member already. */
  insertMember(id: string, userId: string): Promise<boolean>;
  /** False when there was no such member. Ends registrations that were authorized before, as all of the following do. */
  deleteMember(id: string, userId: string): Promise<boolean>;
  setAdmin(id: string, userId: string): Promise<void>;
  /**
   * Deletes memberships of the organization's Marks, and gives Marks that one of these users is the admin of to `adminId`.
   * Returns the ids of those. The organization is locked.
   */
  revokeInOrganization(
    organizationId: string,
    change: { userIds: readonly string[]; adminId: string },
  ): Promise<string[]>;
  /**
   * Deletes the user's memberships of all Marks, and gives others' personal Marks back to their owners. Returns the ids of
   * those. Registrations under the user's own Marks end too.
   */
  revokeAll(userId: string): Promise<string[]>;
  /** Deletes the Marks of the user, and of the user's organizations, to which no Artifact and no claim belongs. */
  deleteUnused(userId: string): Promise<void>;
  /** Public Marks, newest first, starting after the Mark with the id `after`. Undefined when that is no public Mark. */
  listGallery(page: { query: string; limit: number; after: string | undefined }): Promise<GalleryMark[] | undefined>;
  /** Public Marks whose names look like this one, oldest first. */
  listNamesakes(name: string, limit: number): Promise<GalleryMark[]>;
  /** Computes the skeleton of names from before there were skeletons, of at most this many Marks. */
  addMissingSkeletons(limit: number): Promise<void>;
}

export interface WritableMark {
  readonly mark: Mark;
  /** Greater whenever a user has lost access to the Mark. */
  readonly accessVersion: number;
  /** Verified domains whose last check succeeded. */
  readonly confirmedDomains: readonly DomainPeriod[];
}

export interface NewMark extends Required<MarkChanges> {
  readonly id: string;
  readonly adminId: string;
  readonly owner: { readonly userId: string } | { readonly organizationId: string };
}

export interface MarkChanges {
  readonly name?: string;
  readonly visibility?: 'public' | 'private';
  readonly license?: LicenseKey;
  readonly allowAiTraining?: boolean | null;
  /** Null: `allowAiTraining` says it for all uses. */
  readonly aiPreferences?: AiPreferences | null;
}

/** What an owner may have a limited number of; Artifacts are counted when they are recorded. */
export type CountedResource = 'organizations' | 'marks' | 'api_keys';

export interface Counters {
  /** Counts one more and locks the counter until the transaction ends; false at the limit (-1: unlimited). */
  take(ownerId: string, resource: CountedResource, limit: number): Promise<boolean>;
  release(ownerId: string, resource: CountedResource): Promise<void>;
  read(ownerId: string, today: Date): Promise<TierLimits['usage']>;
}

export interface Artifacts {
  /** The Artifact that holds the fingerprint, or has a signed copy that does; if there is none, the latest that failed. */
  find(fingerprint: Fingerprint): Promise<StoredArtifact | undefined>;
  findById(id: string): Promise<StoredArtifact | undefined>;
  findStatuses(ids: readonly string[]): Promise<ReadonlyMap<string, ArtifactStatus>>;
  /** Newest first, starting after the Artifact with the id `after`. Undefined when that is none of the Mark's. */
  list(page: {
    markId: string;
    status: ArtifactStatus | undefined;
    limit: number;
    after: string | undefined;
  }): Promise<StoredArtifact[] | undefined>;
  /** Lists, as `list` does, over all Marks that the writer may register under. Undefined when `after` is none of theirs. */
  listWritable(page: WritableArtifactsPage): Promise<StoredArtifact[] | undefined>;
  /** Whether any of these Artifacts is under a private Mark, or has private content. Unknown ids are ignored. */
  hasPrivate(ids: readonly string[]): Promise<boolean>;
  /** Returns what it is now: content whose metadata are incomplete stays private. */
  setContentPrivate(id: string, contentPrivate: boolean): Promise<boolean>;
  /**
   * Ends the draft, takes quota, inserts the Artifact and its signed copy, queues both for the chain and stores the
   * idempotency record, in one transaction. Rejects when it is unknown whether that happened.
   */
  record(artifact: NewArtifact): Promise<RecordResult>;
  /** Records a signed copy of an Artifact and queues it for the chain, in one transaction. */
  recordSignedCopy(signedCopy: NewSignedCopy & SignedCopyTarget): Promise<SignedCopyResult>;
}

/** `full`: the Artifact has as many as allowed. `gone`: it failed, or does not exist. */
export type SignedCopyResult = 'recorded' | 'accessChanged' | 'duplicate' | 'full' | 'gone';

export interface SignedCopyTarget extends AuthorizedMark {
  readonly artifactId: string;
  readonly logEntry: NewLogEntry;
}

/** The Mark as it was when the caller was authorized. */
export interface AuthorizedMark {
  readonly markId: string;
  readonly accessVersion: number;
  /** What the leaf in the public log hides follows from it. */
  readonly visibility: Mark['visibility'];
}

export interface NewSignedCopy {
  readonly id: string;
  readonly fingerprint: Fingerprint;
  readonly mediaType: string;
  /** The user that requested it. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Trace of the request, if it is traced. */
  readonly traceContext: string | undefined;
}

export interface StoredSignedCopy extends Pick<NewSignedCopy, 'fingerprint' | 'mediaType' | 'createdAt'> {
  readonly status: ArtifactStatus;
  readonly transactionHash: string | null;
}

export interface StoredArtifact {
  readonly id: string;
  readonly markId: string;
  readonly fingerprint: Fingerprint;
  /** Of the metadata, as on chain. */
  readonly manifestHash: Fingerprint;
  readonly status: ArtifactStatus;
  readonly errorReason: string | null;
  readonly transactionHash: string | null;
  readonly metadata: ArtifactMetadata;
  readonly contentPrivate: boolean;
  readonly createdBy: { readonly id: string; readonly name: string };
  readonly createdAt: Date;
  /** Oldest first, without those that failed. */
  readonly renditions: readonly StoredSignedCopy[];
  readonly authorshipStated: boolean;
  /** Preferences as captured; null: `allowAiTraining` of the metadata says it for all uses. */
  readonly aiPreferences: AiPreferences | null;
  /** Domains of the Mark that were verified then, oldest first. */
  readonly domainsAtRegistration: readonly DomainPeriod[];
  readonly claims: ClaimSummary;
  /** Read for one Artifact at a time, and once the mirror has it. */
  readonly chainEntry?: StoredChainEntry;
}

export interface StoredChainEntry {
  readonly blockNumber: number;
  readonly blockTime: Date;
  /** The account that wrote it. */
  readonly registrar: string;
}

export interface DomainPeriod {
  readonly domain: string;
  readonly method: 'dns' | 'file';
  readonly since: Date;
  /** Null while it is verified. */
  readonly until: Date | null;
}

export interface NewArtifact
  extends AuthorizedMark,
    Pick<
      StoredArtifact,
      'id' | 'manifestHash' | 'createdAt' | 'fingerprint' | 'metadata' | 'authorshipStated' | 'aiPreferences'
    > {
  readonly createdBy: string;
  /** The signed image that is returned, recorded together with its Artifact. */
  readonly signedCopy?: Pick<NewSignedCopy, 'id' | 'fingerprint' | 'mediaType'> & { readonly logEntry: NewLogEntry };
  readonly logEntry: NewLogEntry;
  /** Near-identical Artifacts of other public Marks, the closest first. */
  readonly similarTo?: readonly { readonly fingerprint: Fingerprint; readonly markId: string }[];
  readonly idempotency: NewIdempotencyRecord | undefined;
  /** Trace of the request, if it is traced. */
  readonly traceContext: string | undefined;
  readonly quota: ArtifactQuota;
}

/** The caps that an Artifact counts against: those of its owner, a user or an organization. */
export interface ArtifactQuota {
  readonly ownerId: string;
  /** The user whose tier sets the limits. */
  readonly billingUserId: string;
  readonly tier: Tier;
  /** -1: unlimited. */
  readonly limits: { readonly daily: number; readonly lifetime: number };
}

export type RecordResult = 'recorded' | RecordRefusal;

/**
 * `abandoned`: another process has undone the draft. `tierChanged`: the billing user is on another tier by now.
 * `accessChanged`: a user has lost access to the Mark since the caller was authorized, maybe the caller; or the Mark has
 * become public or private.
 */
export type RecordRefusal = 'abandoned' | 'accessChanged' | 'duplicate' | 'keyUsed' | 'quotaExceeded' | 'tierChanged';

/** Creations in progress: a draft is written before the first file is published, and deleted when the Artifact is recorded. */
export interface Drafts {
  /** False when an Artifact or a signed copy has the fingerprint. For a draft that exists, resets its age. */
  begin(draft: Draft): Promise<boolean>;
  /**
   * Runs `undo` and deletes the draft. False when there is no such draft: its Artifact is recorded, or the draft was
   * abandoned before. While `undo` runs, and afterwards, the Artifact cannot be recorded.
   */
  abandon(artifactId: string, undo: () => Promise<void>): Promise<boolean>;
  listOlderThan(date: Date, limit: number): Promise<string[]>;
}

export interface Draft {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  /** The user or organization that the Artifact will count for. */
  readonly ownerId: string;
}

export interface IdempotencyRecords {
  /** The record of this caller and key, unless it is older than `since`. */
  find(callerId: string, key: string, since: Date): Promise<IdempotencyRecord | undefined>;
  deleteOlderThan(date: Date): Promise<void>;
}

export interface IdempotencyRecord {
  readonly requestHash: Fingerprint;
  /** Undefined if an earlier release stored it, in another form than that of today. */
  readonly response: Artifact | undefined;
  /** The Artifact that the response is about. */
  readonly artifactId: string;
}

export interface NewIdempotencyRecord {
  readonly callerId: string;
  readonly requestHash: Fingerprint;
  readonly response: unknown;
  readonly key: string;
  /** A record older than this has expired, and is replaced. */
  readonly since: Date;
}
