// Ports for the audit: reading database, chain and files as they are, and repairing what can be repaired.

import type { ArtifactMetadata, ArtifactStatus, Fingerprint } from '@provenance-registry/core';
import type { Hex } from './artifacts/chain.js';
import type { CountedResource } from './store.js';

/** Each read shows one moment. A repair returns false, and changes nothing, when the data has changed since it was read. */
export interface AuditRecords {
  /** Artifacts and renditions, in the order of their ids, after this id. */
  listArtifactIds(after: string | undefined, limit: number): Promise<string[]>;
  readArtifacts(ids: readonly string[]): Promise<AuditedArtifact[]>;
  /** Those of the ids that an Artifact or a draft has. */
  findKnownIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the names that are files of the downloads. */
  findKnownDownloads(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** Users and organizations, in the order of their ids, after this id. */
  listOwnerIds(after: string | undefined, limit: number): Promise<string[]>;
  /** The counters of these owners, each with the number of rows that it should have. */
  readCounts(ownerIds: readonly string[]): Promise<AuditedCount[]>;
  /** Keys in the order of callers and keys, after this one. */
  listIdempotencyKeys(after: IdempotencyKey | undefined, limit: number): Promise<IdempotencyKey[]>;
  /** The keys whose stored response names an Artifact that does not exist. */
  findKeysWithoutArtifact(keys: readonly IdempotencyKey[]): Promise<IdempotencyKey[]>;
  /** Those of these Artifacts whose stored perceptual hashes differ from their metadata. */
  findImageHashDifferences(ids: readonly string[]): Promise<ImageHashDifference[]>;

  /** Queues an Artifact with one of these statuses for the chain, unless it is queued. */
  enqueue(artifactId: string, statuses: readonly ArtifactStatus[]): Promise<boolean>;
  /** Removes a failed Artifact from the queue, unless it is in an unconfirmed transaction. */
  dequeue(artifactId: string): Promise<boolean>;
  /**
   * Moves a failed Artifact to `submitted`, counts it again, and has its transaction watched. Its renditions that failed
   * with it wait for the chain again, unless another Artifact has their fingerprint by now. A signed copy is not counted, and
   * stays failed as long as its Artifact is.
   */
  markRegistered(artifactId: string, transactionHash: Hex): Promise<boolean>;
  setTransactionHash(artifactId: string, transactionHash: Hex): Promise<boolean>;
  setManifestHash(artifactId: string, manifestHash: Hex): Promise<boolean>;
  recount(ownerId: string): Promise<boolean>;
  recountMembers(organizationId: string): Promise<boolean>;
  deleteIdempotencyRecord(key: IdempotencyKey): Promise<boolean>;
  /** Derives them from the metadata again. */
  deriveImageHashes(artifactId: string): Promise<boolean>;
}

/** `missing`: from the table. `unknown`: the metadata has none. */
export interface ImageHashDifference {
  readonly artifactId: string;
  readonly problem: 'missing' | 'unknown' | 'different';
}

/** Values by which recordings are found, which are derived from the metadata of Artifacts. */
export interface AuditedSoundHashes {
  /** Those of the Artifacts whose values are missing, or not those of their Chromaprint. Not those that still wait for them. */
  findWrong(artifactIds: readonly string[]): Promise<ReadonlySet<string>>;
  repair(artifactId: string): Promise<boolean>;
}

/** An Artifact, or a signed copy of one: that has no files, and the Artifact's metadata are what its hash is of. */
export interface AuditedArtifact {
  readonly id: string;
  /** The id on chain: the Artifact's, for its renditions too. */
  readonly manifestId: string;
  readonly fingerprint: Fingerprint;
  readonly status: ArtifactStatus;
  readonly manifestHash: Fingerprint;
  readonly metadata: ArtifactMetadata;
  /** It was recovered without a part of its metadata, which its hash is of. */
  readonly isIncomplete: boolean;
  readonly transactionHash: Hex | null;
  /** `watched`: in a confirmed transaction that a reorganization could still remove. */
  readonly outbox: 'none' | 'waiting' | 'watched';
}

export interface AuditedCount {
  readonly ownerId: string;
  /**
   * `counters`: the owner has no counters at all. `member_count`: kept with the organization. `mark_counters`: Marks whose
   * own counter is right, of all Marks.
   */
  readonly counter:
    | CountedResource
    | 'lifetime_artifacts'
    | 'daily_artifacts'
    | 'mark_counters'
    | 'member_count'
    | 'counters';
  readonly counted: number;
  readonly rows: number;
}

export interface IdempotencyKey {
  readonly callerId: string;
  readonly key: string;
}

/** The curated registry. Throws when the node does not respond. */
export interface AuditedChain {
  /** Entries of the fingerprints that have one. */
  readEntries(fingerprints: readonly Fingerprint[]): Promise<ReadonlyMap<Fingerprint, AuditedEntry>>;
  /** The hash of the transaction that wrote the entry. Throws when there is none. */
  findTransactionHash(fingerprint: Fingerprint): Promise<Hex>;
}

export interface AuditedEntry {
  readonly artifactId: string;
  readonly manifestHash: Hex;
}

/** Checks published files, and creates those again that can be derived. */
export interface FileInspector {
  inspectSidecar(sidecar: Uint8Array, subject: InspectedSubject): Promise<InspectedSidecar>;
  /** Why the report does not match the sidecar's own report; undefined when it does. */
  findReportFault(report: Uint8Array, expected: Uint8Array): string | undefined;
  /** Why the card is not valid for this fingerprint; undefined when it is. */
  findCardFault(card: Uint8Array, fingerprint: Fingerprint): Promise<string | undefined>;
  createCard(fingerprint: Fingerprint): Promise<Uint8Array>;
}

export type InspectedSubject = Pick<AuditedArtifact, 'id' | 'fingerprint'>;

/** `foreign`: valid, but about another Artifact. */
export type InspectedSidecar =
  | { readonly state: 'valid'; readonly report: Uint8Array }
  | { readonly state: 'invalid' | 'foreign'; readonly reason: string };
