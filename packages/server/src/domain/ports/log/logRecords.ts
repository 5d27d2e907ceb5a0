// Ports for the public log: the leaves that wait for their places, and what hidden ones stand for.

import type { Fingerprint, LogOpening, PublishedAnchor } from '@provenance-registry/core';
import type { Hex } from '../artifacts/chain.js';

/** A leaf that is written with what it tells, in one transaction, and gets its place later. */
export interface NewLogEntry {
  readonly kind: 'artifact' | 'rendition' | 'mark' | 'claim' | 'content' | 'index' | 'keys';
  /** As it is hashed. */
  readonly leaf: string;
  /** Of the Artifact or the signed copy, whose receipt is found by it. */
  readonly fingerprint?: Fingerprint;
  readonly opening?: NewLogOpening;
}

/** What a leaf hides. */
export interface NewLogOpening {
  /** The hash in the leaf. */
  readonly hidden: Hex;
  readonly content: LogOpening | { readonly salt: string };
  /** It is erased with the owner of the Mark, or with the user. The operator's texts have neither. */
  readonly markId?: string;
  readonly userId?: string;
}

export interface LogRecords {
  append(entry: NewLogEntry): Promise<void>;
  /** The last leaf of the file, once it has an index. */
  findLeafIndex(fingerprint: Fingerprint): Promise<number | undefined>;
  /** Undefined: it was erased, or hides something else than a Mark. */
  findOpening(hidden: Hex): Promise<LogOpening | undefined>;
  /** Erases what the leaves of this user's own Marks and claims hide. */
  deleteOpeningsOf(userId: string): Promise<void>;
}

/** The published log, as receipts need it. */
export interface PublicLog {
  /** Undefined while no published checkpoint covers the index. Throws UNAVAILABLE when the files cannot be read. */
  readReceipt(
    index: number,
  ): Promise<{ readonly receipt: string; readonly leaf: string; readonly witnessed?: boolean } | undefined>;
  /** The first anchor that covers the index; undefined while there is none. */
  findAnchor(index: number): Promise<PublishedAnchor | undefined>;
  readLastAnchor(): Promise<PublishedAnchor | undefined>;
}
