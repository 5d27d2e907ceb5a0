// Port for claims: users who contest an Artifact, and what was said and done about that. Nothing is ever deleted.

import type { ClaimKind, Fingerprint, Person } from '@provenance-registry/core';
import type { KeptEvidence } from './claimEvidence.js';

export interface Claims {
  insert(claim: NewClaim): Promise<void>;
  find(id: string): Promise<StoredClaim | undefined>;
  /** The claim does not end and gets no other entries until the transaction ends. */
  lock(id: string): Promise<StoredClaim | undefined>;
  /** What limits apply to. Exact while the claimant is locked. */
  countOf(claimantId: string, artifactId: string): Promise<ClaimCounts>;
  /** Withdrawn ones last; of the others, those with checked evidence first; then the oldest first. */
  listOfArtifact(artifactId: string, limit: number): Promise<StoredClaim[]>;
  /** Newest first, starting after the claim with the id `after`. Undefined when that is none of this list. */
  list(
    of: { readonly claimantId: string } | { readonly contestedMarkAdminId: string },
    page: { readonly limit: number; readonly after: string | undefined },
  ): Promise<StoredClaim[] | undefined>;
  readEvidence(id: string): Promise<Uint8Array | undefined>;
  appendEntry(entry: NewClaimEntry): Promise<void>;
  /** Ends a claim that is locked and open. */
  end(id: string, as: 'withdrawn' | 'superseded'): Promise<void>;
  /** Evidence that was checked under other roots than these, in the order of ids, after the claim with the id `after`. */
  listForRecheck(trustId: string, limit: number, after: string | undefined): Promise<ClaimToRecheck[]>;
  setEvidence(id: string, evidence: CheckedEvidence): Promise<void>;
}

export interface ClaimToRecheck {
  readonly id: string;
  readonly evidence: KeptEvidence;
  readonly state: CheckedEvidence['state'];
  /** When the contested Artifact was registered. */
  readonly registeredAt: Date;
}

export interface ClaimCounts {
  /** The claimant has an open claim to this Artifact. */
  readonly hasOpenClaim: boolean;
  /** The claimant's open claims to any Artifact without checked evidence. */
  readonly openUnchecked: number;
  /** Claims that the claimant made within the last 24 hours. */
  readonly recent: number;
}

/** What the check of the evidence found, apart from its time. */
export interface ClaimEvidenceFacts {
  /** The time-stamp authority, the signer, or the account on chain. */
  readonly source: string | null;
  /** Why it is unchecked. */
  readonly reason: string | null;
  /** Id of the roots that it was checked under; entries on chain have none. */
  readonly trustId?: string;
}

export interface CheckedEvidence {
  readonly state: 'none' | 'unchecked' | 'checked';
  readonly time: Date | null;
  readonly facts: ClaimEvidenceFacts;
}

export interface NewClaim {
  readonly id: string;
  readonly artifactId: string;
  readonly contestedMarkId: string;
  readonly claimantId: string;
  /** The Mark that the claimant speaks for. */
  readonly markId: string | undefined;
  readonly kind: ClaimKind;
  readonly statement: string;
  readonly evidence: CheckedEvidence;
  /** What is kept of the evidence, so that anyone can check it. */
  readonly evidenceBytes: Uint8Array | null;
}

export interface StoredClaim {
  readonly id: string;
  /** Fingerprint of the contested Artifact. */
  readonly fingerprint: Fingerprint;
  readonly contestedMark: {
    readonly id: string;
    readonly name: string;
    readonly isPublic: boolean;
    readonly adminId: string;
    readonly organizationId: string | null;
  };
  readonly claimant: Person;
  readonly mark: ClaimMark | null;
  readonly kind: ClaimKind;
  readonly statement: string;
  readonly evidence: CheckedEvidence;
  readonly hasEvidenceBytes: boolean;
  readonly endedAs: 'withdrawn' | 'superseded' | null;
  /** Oldest first. */
  readonly entries: readonly StoredClaimEntry[];
  readonly createdAt: Date;
}

export interface ClaimMark {
  readonly id: string;
  /** `Private Mark` unless it is public. */
  readonly name: string;
  readonly isPublic: boolean;
}

export type ClaimEntryType = 'answer' | 'withdrawal' | 'superseded' | 'operator-note';

export interface StoredClaimEntry {
  readonly type: ClaimEntryType;
  /** Null: the operator. */
  readonly author: Person | null;
  readonly text: string | null;
  /** The Mark that the file was conceded to. */
  readonly mark: ClaimMark | null;
  readonly at: Date;
}

export interface NewClaimEntry {
  readonly claimId: string;
  readonly type: ClaimEntryType;
  /** Undefined: the operator. */
  readonly authorId: string | undefined;
  readonly text: string | undefined;
  readonly markId?: string;
}
