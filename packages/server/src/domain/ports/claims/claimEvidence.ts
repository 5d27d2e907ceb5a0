// Port for the evidence of claims: whether a file with this fingerprint existed at an earlier time.

import type { Fingerprint } from '@provenance-registry/core';
import type { Hex } from '../artifacts/chain.js';

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
      /** An entry in the public registry on chain; without an account, the earliest one. */
      readonly kind: 'chain-entry';
      readonly fingerprint: Fingerprint;
      readonly account?: Hex | undefined;
    };

export interface EvidenceFinding {
  /** `unchecked`: nothing is known about its time, because its source is not trusted, for example. */
  readonly state: 'checked' | 'unchecked';
  /** The time that the evidence states; never null if it is checked. */
  readonly time: Date | null;
  /** The time-stamp authority, or the account on chain. Untrusted text. */
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
  /** Id of the trusted roots and revocation lists. Evidence that was checked under another one must be checked again. */
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

/** Reads manifests as evidence, in isolated processes and without any network access. */
export interface TimestampedManifestReader {
  /** Undefined when there is no manifest that can be read. Rejects with UNAVAILABLE when the client's budget is used up. */
  readTimestamped(request: TimestampedManifestRequest): Promise<TimestampedManifest | undefined>;
}

export interface TimestampedManifestRequest {
  readonly client: string;
  /** A manifest store, or a file with one inside. */
  readonly bytes: Uint8Array;
  /** Media type of the file, as detected from its bytes. Undefined: a manifest store. */
  readonly mediaType: string | undefined;
  /** Roots of the time-stamps that the reader trusts. */
  readonly trustAnchorsPem: string;
}

export interface TimestampedManifest {
  /** Byte for byte as in the file. */
  readonly store: Uint8Array;
  /** C2PA's codes of what is wrong with the manifest, its certificate's validity and trust apart. Empty: it is intact. */
  readonly failures: readonly string[];
  /** What the signed manifest states as SHA-256 of the whole file. */
  readonly fingerprints: readonly Fingerprint[];
  /** Its hard binding matches the file that it is in. */
  readonly matchesFile: boolean;
  /** Undefined without exactly one time-stamp of its signature. */
  readonly timestamp: ManifestTimestamp | undefined;
}

export interface ManifestTimestamp {
  readonly token: Uint8Array;
  /** What the time-stamp must be about. */
  readonly data: Uint8Array;
  /** The time as c2pa-rs reads it. */
  readonly time: Date;
  /** Whether c2pa-rs finds it valid, and of an authority under the trusted roots. */
  readonly isTrusted: boolean;
}
