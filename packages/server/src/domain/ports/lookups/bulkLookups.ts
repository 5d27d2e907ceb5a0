// Port for looking up many fingerprints at once.

import type { AiPreferences, Fingerprint, LicenseKey } from '@provenance-registry/core';
import type { ChainEntry } from '../artifacts/chain.js';

export interface BulkLookups {
  /** The Artifacts that hold these fingerprints, or have renditions that do. Without failed ones. */
  findHolders(fingerprints: readonly Fingerprint[]): Promise<ReadonlyMap<Fingerprint, HolderSummary>>;
  findMirrored(fingerprints: readonly Fingerprint[]): Promise<ChainMatches>;
}

export interface HolderSummary {
  readonly artifactId: string;
  readonly createdAt: Date;
  /** Undefined if the Mark is private: nothing more may be shown then. */
  readonly details: HolderDetails | undefined;
}

export interface HolderDetails {
  readonly mark: { readonly id: string; readonly name: string };
  readonly markNameAtRegistration: string | null;
  readonly licenseKey: LicenseKey;
  readonly allowAiTraining: boolean | null;
  readonly aiPreferences: AiPreferences | null;
  /** Verified for the longest time. */
  readonly verifiedDomain: string | null;
  readonly contested: boolean;
  readonly supersededBy: { readonly id: string; readonly name: string } | null;
}

export interface ChainMatch extends ChainEntry {
  readonly registeredAt: Date;
}

export interface ChainMatches {
  readonly entries: ReadonlyMap<Fingerprint, ChainMatch>;
  /** The mirror is fresh: what it does not have is not on chain. */
  readonly isChainKnown: boolean;
}
