// Ports for questions about fingerprints: own records and the mirror of the chain, asked together.

import type { Fingerprint, PrefixEntry } from '@provenance-registry/core';
import type { ChainEntry } from './chain.js';

export interface Lookups {
  /** Undefined when only the chain itself can tell: no record and no mirrored entry has it, and the mirror is behind. */
  findHolder(fingerprint: Fingerprint): Promise<FingerprintHolder | undefined>;
  listByPrefix(question: PrefixQuestion): Promise<RegisteredFingerprints>;
}

export interface PrefixQuestion {
  /** Hex digits. */
  readonly prefix: string;
  /** Only entries after this one: the cursor of the previous page. */
  readonly after: Fingerprint | undefined;
  /** Also the public Marks. */
  readonly withMarks: boolean;
}

/** Both lists in the order of the fingerprints. One with `MAX_PAGE_ENTRIES` may go on. */
export interface RegisteredFingerprints {
  readonly artifacts: readonly PrefixEntry[];
  /** Mirrored entries; those of Artifacts may be left out. Null: the entry stands, and its data is not returned. */
  readonly chainEntries: readonly {
    readonly fingerprint: Fingerprint;
    readonly source: ChainEntry['source'];
    readonly manifestId: string | null;
  }[];
  readonly isChainKnown: boolean;
  /** About how many fingerprints are registered. */
  readonly registeredCount: number;
}

/** `artifact`: has the fingerprint, or a rendition that does. `chain`: an entry that others wrote there, or a lost record. */
export type FingerprintHolder =
  | { readonly kind: 'artifact'; readonly artifactId: string }
  | { readonly kind: 'chain'; readonly entry: ChainEntry }
  | { readonly kind: 'none' };
