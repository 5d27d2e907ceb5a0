// Port for giving leaves their places in the public log. Every change takes the lease, and throws `LeaseLostError` without
// changing anything when another process has taken it since.

import type { AiPreferences, ArtifactMetadata, Fingerprint, LicenseKey } from '@provenance-registry/core';
import type { Hex, Lease } from '../artifacts/chain.js';
import type { ClaimEntryType } from '../claims/claims.js';
import type { NewLogEntry, NewLogOpening } from './logRecords.js';

export interface LogSequence {
  acquireLease(lease: Lease): Promise<boolean>;
  releaseLease(lease: Lease): Promise<void>;
  readHead(): Promise<LogHead>;
  /** Oldest first; the last one signs. */
  listKeys(): Promise<LogKeys[]>;
  /** Leaves with these indexes, in order; fewer if they were deleted. */
  readLeaves(from: number, to: number): Promise<string[]>;
  /** Leaves without an index, in the order in which they were written. */
  listPending(limit: number): Promise<PendingLeaf[]>;
  /** The last index of each file that has one. */
  findLeafIndexes(fingerprints: readonly Fingerprint[]): Promise<ReadonlyMap<Fingerprint, number>>;
  /** What the leaves of Artifacts and signed copies say, for those that are registered. */
  findRegistrations(fingerprints: readonly Fingerprint[]): Promise<StoredRegistration[]>;
  /** What is to be imported next. @param after the position of what is just imported */
  listImports(limit: number, after?: string): Promise<ImportPage>;
  /** Moves the head. False when it is no longer where it was. */
  advance(lease: Lease, step: LogStep): Promise<boolean>;
  /**
   * Moves the head to what is published, after the database was restored: leaves that it has still, and that waited for their
   * places, get those that they had. False when the head is no longer where it was.
   */
  restore(lease: Lease, step: LogStep, keys: readonly LogKeys[]): Promise<boolean>;
  /** From here on this key signs, although the log does not know it; `leaf` says so. */
  acceptKeys(keys: LogKeys, leaf: string): Promise<void>;
  /** Runs `publish` while the head is locked. False when it is no longer this one. */
  whileLocked(lease: Lease, head: TreeSize, publish: () => Promise<boolean>): Promise<boolean>;
  /** Deletes leaves below this index that are older than `days`: the published files have them. */
  deletePublished(below: number, days: number): Promise<void>;
  readBacklog(): Promise<LogBacklog>;
}

export interface TreeSize {
  readonly size: number;
  readonly root: Uint8Array;
}

export interface LogHead extends TreeSize {
  /** Null: the log has not begun. */
  readonly origin: string | null;
  readonly isImporting: boolean;
  readonly hasPending: boolean;
}

export interface LogKeys {
  readonly vkey: string;
  /** SHA-256 of the certificates that manifests lead to. */
  readonly signers: readonly Hex[];
}

export interface PendingLeaf {
  readonly id: string;
  readonly kind: NewLogEntry['kind'] | 'failed';
  /** Null: it has to be made. */
  readonly leaf: string | null;
  readonly fingerprint: Fingerprint | null;
  readonly createdAt: Date;
}

export interface SequencedLeaf {
  /** Of the pending one; undefined for a leaf that was not written before. */
  readonly id?: string;
  readonly kind: PendingLeaf['kind'] | 'genesis';
  /** Undefined: the pending one has it. */
  readonly leaf?: string | undefined;
  readonly fingerprint?: Fingerprint | null | undefined;
  readonly opening?: NewLogOpening | undefined;
}

export interface LogStep {
  readonly from: TreeSize;
  readonly to: TreeSize;
  /** Of the indexes from `from.size`. */
  readonly leaves: readonly SequencedLeaf[];
  /** Pending ones that have no place in the log. */
  readonly dropped?: readonly string[];
  /** Imports up to this position are done. */
  readonly importedUntil?: string;
  /** Begins the log. */
  readonly origin?: string;
  /** From here on. */
  readonly keys?: LogKeys;
}

export interface StoredRegistration {
  readonly kind: 'artifact' | 'rendition';
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  readonly manifestHash: Hex;
  readonly markId: string;
  readonly isMarkPrivate: boolean;
  readonly metadata: Pick<ArtifactMetadata, 'licenseKey' | 'allowAiTraining'>;
  readonly aiPreferences: AiPreferences | null;
  readonly isContentPrivate: boolean;
  readonly createdAt: Date;
}

export interface ImportedMark {
  readonly id: string;
  readonly licenseKey: LicenseKey;
  readonly aiPreferences: AiPreferences;
}

export interface ImportedClaim {
  readonly id: string;
  readonly fingerprint: Fingerprint;
  readonly claimantId: string;
  readonly statement: string;
  readonly evidence: Uint8Array | null;
  readonly entries: readonly {
    readonly type: ClaimEntryType;
    readonly text: string | null;
    readonly authorId: string | null;
  }[];
}

export interface ImportPage {
  /** Of the last one in the page; undefined: there is nothing left. */
  readonly position: string | undefined;
  readonly left: number;
  readonly marks: readonly ImportedMark[];
  readonly registrations: readonly StoredRegistration[];
  readonly claims: readonly ImportedClaim[];
}

export interface LogBacklog {
  readonly size: number;
  readonly pending: number;
  readonly oldestPendingSeconds: number;
  readonly toImport: number;
}
