// Ports for the recovery of Artifacts that chain and published files have, and the database does not: it was restored from a
// backup that is older than they are.

import type { AiPreferences, ArtifactMetadata, Fingerprint, LicenseKey } from '@provenance-registry/core';
import type { Hex } from './artifacts/chain.js';

/** An entry of the curated registry, as the contract has logged it. */
export interface LoggedEntry {
  readonly fingerprint: Hex;
  /** The Artifact's, for its signed copies too. */
  readonly manifestId: string;
  readonly manifestHash: Hex;
  /** Stands for the user, and under a private Mark for the Mark as well: see `Registrants`. */
  readonly registrantTopic: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
}

/** Throws UNAVAILABLE when the node does not respond. */
export interface RecoveryChain {
  /** All of them, oldest first. */
  listLoggedEntries(): AsyncIterable<readonly LoggedEntry[]>;
  readBlockTime(blockNumber: bigint): Promise<Date>;
}

/** Computes how the contract's log names a user. */
export interface Registrants {
  topicOf(userId: string, privateMarkId: string | null): Hex;
}

/** Reads published manifests. */
export interface RecordedManifests {
  /** Undefined when the sidecar is not valid, or was not signed for an Artifact. */
  read(sidecar: Uint8Array): Promise<RecordedManifest | undefined>;
}

/** What a manifest says about its registration. Under a private Mark it names nothing. */
export interface RecordedManifest {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  readonly signedAt: Date;
  readonly title: string | undefined;
  readonly authorName: string | undefined;
  readonly mark: { readonly id: string; readonly name: string } | undefined;
  readonly licenseKey: LicenseKey | undefined;
  readonly aiPreferences: AiPreferences;
}

export interface RecoveryRecords {
  /**
   * Those of the entries whose fingerprints have no Artifact and no signed copy, not even a failed one with this id. Failed
   * ones are for the audit to repair.
   */
  findMissing(entries: readonly LoggedEntry[]): Promise<LoggedEntry[]>;
  /** The Artifacts with these ids that are not failed, for their signed copies. */
  readOriginals(ids: readonly string[]): Promise<ReadonlyMap<string, OriginalArtifact>>;
  /** Those of the ids that an Artifact or a draft has. */
  findKnownIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** In the order of their ids, after this id. */
  listUserIds(after: string | undefined, limit: number): Promise<string[]>;
  listMarkIds(after: string | undefined, limit: number): Promise<string[]>;
  /** Everyone with write access to these Marks; a Mark that does not exist has no writers. */
  listWriters(markIds: readonly string[]): Promise<MarkWriter[]>;
  /** Adds the Artifact and counts it for its owner. False when its id or fingerprint is in use by now. */
  addArtifact(artifact: RecoveredArtifact): Promise<boolean>;
  /** False when its fingerprint is in use by now. */
  addSignedCopy(signedCopy: RecoveredSignedCopy): Promise<boolean>;
  /** Those of the fingerprints that neither an Artifact nor the mirror of the chain has. */
  findUnknownFingerprints(fingerprints: readonly Fingerprint[]): Promise<Fingerprint[]>;
  /** Names of the files of downloads that are published, according to the database. */
  listPublishedDownloads(): Promise<string[]>;
  /** Has these files published again, should they be part of the next version. */
  forgetDownloads(names: readonly string[]): Promise<void>;
}

export interface OriginalArtifact {
  readonly markId: string;
  readonly createdBy: string;
  readonly mediaType: string | null;
}

export interface MarkWriter {
  readonly markId: string;
  readonly userId: string;
  readonly userName: string;
}

export interface RecoveredArtifact {
  readonly id: string;
  readonly markId: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly fingerprint: Fingerprint;
  readonly manifestHash: Hex;
  readonly metadata: ArtifactMetadata;
  readonly aiPreferences: AiPreferences | null;
  /** Undefined: it is not on chain yet, and waits for it again. */
  readonly transactionHash: Hex | undefined;
  /** The metadata lack what only the lost row had: `manifestHash` is of the complete ones. */
  readonly isIncomplete: boolean;
}

export interface RecoveredSignedCopy extends Pick<RecoveredArtifact, 'markId' | 'createdBy' | 'createdAt'> {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  readonly manifestHash: Hex;
  readonly mediaType: string;
  readonly transactionHash: Hex;
}
