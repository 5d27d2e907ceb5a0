// Ports for queries about fingerprints: own records and the mirror of the chain, asked together.

import type { Fingerprint } from '@provenance-registry/core';
import type { ChainEntry } from '../artifacts/chain.js';

export interface Lookups {
  /** Undefined when only the chain itself can tell: no record and no mirrored entry has it, and the mirror is behind. */
  findHolder(fingerprint: Fingerprint): Promise<FingerprintHolder | undefined>;
  /** Whether a curated entry has this id, and had no Artifact when it was mirrored. */
  isOnChainWithoutArtifact(manifestId: string): Promise<boolean>;
  /** Artifacts, and entries of the chain that are of no Artifact. */
  listByPrefix(query: PrefixQuery): Promise<FingerprintPage>;
}

export interface PrefixQuery {
  /** Hex digits. */
  readonly prefix: string;
  /** Lists only entries after this one: the cursor of the previous page. */
  readonly after: Fingerprint | undefined;
  /** Includes the public Marks. */
  readonly withMarks: boolean;
}

export interface FingerprintPage {
  /** The elements of a JSON array of `PrefixEntry`, in the order of the fingerprints; at most `MAX_PAGE_ENTRIES`. */
  readonly entriesJson: string;
  /** Null on the last page. */
  readonly nextCursor: Fingerprint | null;
  readonly isChainKnown: boolean;
  /** About how many fingerprints are registered. */
  readonly registeredCount: number;
}

/** `artifact`: has the fingerprint, or a signed copy that does. `chain`: an entry that others wrote there, or a lost record. */
export type FingerprintHolder =
  | { readonly kind: 'artifact'; readonly artifactId: string }
  | { readonly kind: 'chain'; readonly entry: ChainEntry }
  | { readonly kind: 'none' };
