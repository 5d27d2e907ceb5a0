// Port for the evidence of claims: whether a file with this fingerprint existed at an earlier time.

import type { Fingerprint } from '@provenance-registry/core';
import type { Hex } from './chain.js';

/** Larger evidence is refused with PAYLOAD_TOO_LARGE. */
export const maxEvidenceBytes = {
  /** A token with its certificates has 2 to 10 KB. */
  timestamp: 64 * 1024,
  /** A photo of a good camera. Several copies of the file are in memory while it is read. */
  manifest: 20 * 1024 * 1024,
} as const;

export type SubmittedEvidence =
  | {
      /** RFC 3161: a TimeStampToken or a TimeStampResp. */
      readonly kind: 'timestamp';
      /** Whose budget the work counts in. */
      readonly client: string;
      readonly fingerprint: Fingerprint;
      readonly bytes: Uint8Array;
    }
  | {
      /** A C2PA manifest store, or the registered file with one inside. */
      readonly kind: 'manifest';
      readonly client: string;
      readonly fingerprint: Fingerprint;
      readonly bytes: Uint8Array;
    }
  | {
      /** In the public registry on chain; without an account, the earliest one. */
      readonly kind: 'chain-entry';
      readonly fingerprint: Fingerprint;
      readonly account?: Hex | undefined;
    };

export interface EvidenceFinding {
  /** `unchecked`: nothing is known about its time, because its source is not trusted, for example. */
  readonly state: 'checked' | 'unchecked';
  /** As the evidence states it; never null if it is checked. */
  readonly time: Date | null;
  /** The time-stamp authority, or the account on chain. Text of strangers. */
  readonly source: string;
  /** Why it is unchecked, as a sentence. */
  readonly reason: string | null;
}

export interface EvidenceResult extends EvidenceFinding {
  /** The token or the manifest store; null for entries on chain. */
  readonly kept: Uint8Array | null;
}

export interface KeptEvidence {
  readonly kind: 'timestamp' | 'manifest';
  readonly fingerprint: Fingerprint;
  readonly bytes: Uint8Array;
}

export interface ClaimEvidenceChecker {
  /** Of the trusted roots and revocation lists. Evidence that was checked under another one must be checked again. */
  readonly trustId: string;
  /**
   * Rejects with BAD_REQUEST and the reason if the evidence is malformed, forged, revoked or about another file, with
   * PAYLOAD_TOO_LARGE, and with UNAVAILABLE if the chain does not respond or the client's budget is used up. Does not
   * compare the time with that of the registration.
   */
  check(evidence: SubmittedEvidence): Promise<EvidenceResult>;
  /**
   * Checks evidence that was accepted before, under the present roots: what `check` would refuse is unchecked. Rejects
   * with UNAVAILABLE as `check` does.
   */
  recheck(evidence: KeptEvidence): Promise<EvidenceFinding>;
}
