// Ports for the signed downloads.

import type { AiPreferences } from '@provenance-registry/core';

export interface Downloads {
  /** The signed index of the current version; undefined before the first one. */
  findIndex(): Promise<string | undefined>;
}

/** What makes the downloads needs from the database. One worker at a time has the turn. */
export interface DownloadRecords {
  /** True if a version is due and no other worker makes it; it is this worker's turn then, for `holdMs`. */
  acquireBuildLease(holder: string, intervalMs: number, holdMs: number): Promise<boolean>;
  /** False if another worker has taken it. */
  extendTurn(holder: string, holdMs: number): Promise<boolean>;
  /** Entries on chain up to this block are in the mirror; null: it is not known to be complete. */
  readMirroredBlock(): Promise<number | null>;
  /** Fingerprints in ascending order, after this one; empty at the end. */
  listFingerprints(after: Uint8Array | undefined, limit: number): Promise<PreferenceGroup[]>;
  /** Announces a file before it is published. True if it is published already. */
  addFile(name: string): Promise<boolean>;
  markPublished(name: string): Promise<void>;
  /** Makes this the current version and ends the turn. False if another worker has taken it. */
  finish(holder: string, version: { readonly jws: string; readonly names: readonly string[] }): Promise<boolean>;
  /** Files that no index has named for this long. */
  listUnused(graceMs: number): Promise<string[]>;
  removeFile(name: string): Promise<void>;
}

/** Fingerprints of one page that have the same preferences. */
export interface PreferenceGroup {
  /** Null: not public, or not known. */
  readonly stated: {
    readonly allowAiTraining: boolean | null;
    readonly aiPreferences: AiPreferences | null;
  } | null;
  /** 32 bytes each, in ascending order. */
  readonly fingerprints: Uint8Array;
}

/** Signs documents of the registry as JSON Web Signatures. */
export interface JwsSigner {
  /** Algorithm as JOSE names it. */
  readonly algorithm: string;
  /** DER, the signer's own first, without the root. */
  readonly certificates: readonly Uint8Array[];
  sign(data: Uint8Array): Promise<Uint8Array>;
}
