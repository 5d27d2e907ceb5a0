// What an audit needs from the database, the chain and the reader of manifests: to see things as they are, and to put
// right what can be put right.

import type { ArtifactMetadata, ArtifactStatus, Fingerprint } from '@provenance-registry/core';
import type { Hex } from './chain.js';

/** The records as they are at one moment, and the repairs. A repair that finds things changed does nothing: false. */
export interface AuditRecords {
  /** In the order of their ids, after that one. */
  artifactIds(after: string | undefined, limit: number): Promise<string[]>;
  artifacts(ids: readonly string[]): Promise<AuditedArtifact[]>;
  /** Those of the ids that an Artifact or a creation under way has. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Users and organizations, in the order of their ids, after that one. */
  ownerIds(after: string | undefined, limit: number): Promise<string[]>;
  /** What is counted for these owners, each count with the rows that it stands for. */
  counts(ownerIds: readonly string[]): Promise<AuditedCount[]>;
  /** First answers, in the order of callers and keys, after that one. */
  answers(after: AnswerKey | undefined, limit: number): Promise<AnswerKey[]>;
  /** Those that tell of an Artifact that is not there. */
  answersWithoutArtifact(answers: readonly AnswerKey[]): Promise<AnswerKey[]>;

  /** Has an Artifact wait for the chain that does not, if it has one of these statuses. */
  putIntoOutbox(artifactId: string, statuses: readonly ArtifactStatus[]): Promise<boolean>;
  /** Takes a failed Artifact out of the outbox, unless a transaction with it is under way. */
  takeOutOfOutbox(artifactId: string): Promise<boolean>;
  /** A failed Artifact that the chain has is submitted, has its place in the caps again, and is watched. */
  markRegistered(artifactId: string, transactionHash: Hex): Promise<boolean>;
  setTransactionHash(artifactId: string, transactionHash: Hex): Promise<boolean>;
  setManifestHash(artifactId: string, manifestHash: Hex): Promise<boolean>;
  recount(ownerId: string): Promise<boolean>;
  recountMembers(organizationId: string): Promise<boolean>;
  forgetAnswer(answer: AnswerKey): Promise<boolean>;
}

export interface AuditedArtifact {
  readonly id: string;
  readonly fingerprint: Fingerprint;
  readonly status: ArtifactStatus;
  readonly manifestHash: Fingerprint;
  readonly metadata: ArtifactMetadata;
  readonly transactionHash: Hex | null;
  /** `watched`: in a transaction that counts as confirmed. */
  readonly outbox: 'none' | 'waiting' | 'watched';
}

export interface AuditedCount {
  readonly ownerId: string;
  /** `counters` when the owner has none at all; `member_count` is the organization's own. */
  readonly counter:
    | 'counters'
    | 'organizations'
    | 'marks'
    | 'api_keys'
    | 'lifetime_artifacts'
    | 'daily_artifacts'
    | 'member_count';
  readonly counted: number;
  readonly rows: number;
}

export interface AnswerKey {
  readonly callerId: string;
  readonly key: string;
}

/** The curated registry, as it is now. Throws when the node does not answer. */
export interface AuditedChain {
  /** Of those that have an entry. */
  entries(fingerprints: readonly Fingerprint[]): Promise<ReadonlyMap<Fingerprint, AuditedEntry>>;
  /** The transaction that made the entry. Throws when there is none. */
  transactionOf(fingerprint: Fingerprint): Promise<Hex>;
}

export interface AuditedEntry {
  readonly artifactId: string;
  readonly manifestHash: Hex;
}

/** Looks at published files, and makes those again that can be made again. */
export interface FileInspector {
  inspectSidecar(sidecar: Uint8Array, subject: InspectedSubject): Promise<InspectedSidecar>;
  /** Why the report is not one about this sidecar; undefined when it is. */
  faultOfReport(report: Uint8Array, sound: Uint8Array): string | undefined;
  /** Why the card is not one of this fingerprint; undefined when it is. */
  faultOfCard(card: Uint8Array, fingerprint: Fingerprint): Promise<string | undefined>;
  makeCard(fingerprint: Fingerprint): Promise<Uint8Array>;
}

export interface InspectedSubject {
  readonly id: string;
  readonly fingerprint: Fingerprint;
}

/** `sound`: with the report that its bytes alone prove. */
export type InspectedSidecar =
  | { readonly state: 'sound'; readonly report: Uint8Array }
  | { readonly state: 'broken' | 'of another'; readonly reason: string };
