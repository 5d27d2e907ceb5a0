// The public result of a verification: a verdict, and for each source what it shows.

import type { ArtifactStatus, Fingerprint } from '@provenance-registry/core';

/**
 * Why a check is `contradicted` or `unavailable`, for programs.
 *
 * Unavailable: `NOT_CHECKED` (the source was not given), `SOURCE_UNAVAILABLE` (it could not be read), `COPY` (only a copy
 * from a bundle is there).
 *
 * Contradicted: `UNKNOWN_TO_SERVICE` (the service has no record, the chain has an entry), `NOT_ON_CHAIN` (the reverse),
 * `FINGERPRINT_MISMATCH`, `MANIFEST_ID_MISMATCH`, `MARK_MISMATCH`, `METADATA_MISMATCH` (with the hash on chain),
 * `CLAIMS_MISMATCH` (with the signed manifest), `SOURCE_MISMATCH` (curated or public), `REGISTRANT_MISMATCH`,
 * `TRANSACTION_MISMATCH`, `BLOCK_MISMATCH`, `ENTRY_MISMATCH` (between a bundle and the chain), `MANIFEST_INVALID`,
 * `MANIFEST_UNREADABLE`, `UNTRUSTED_SIGNER`.
 * @example
 * ```ts
 * const isUntrusted = ({ code }: Check) => code === 'UNTRUSTED_SIGNER';
 * ```
 */
export type CheckCode =
  | 'NOT_CHECKED'
  | 'SOURCE_UNAVAILABLE'
  | 'COPY'
  | 'UNKNOWN_TO_SERVICE'
  | 'NOT_ON_CHAIN'
  | 'FINGERPRINT_MISMATCH'
  | 'MANIFEST_ID_MISMATCH'
  | 'MARK_MISMATCH'
  | 'METADATA_MISMATCH'
  | 'CLAIMS_MISMATCH'
  | 'SOURCE_MISMATCH'
  | 'REGISTRANT_MISMATCH'
  | 'TRANSACTION_MISMATCH'
  | 'BLOCK_MISMATCH'
  | 'ENTRY_MISMATCH'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_UNREADABLE'
  | 'UNTRUSTED_SIGNER';

/**
 * The result of checking one source.
 * @example
 * ```ts
 * const summarize = ({ state, proves, reason }: Check) => `${state}: ${reason ?? proves}`;
 * ```
 */
export interface Check<Details = RegistryDetails | ChainDetails | ManifestDetails> {
  readonly state: 'confirmed' | 'contradicted' | 'absent' | 'unavailable';
  /** What this result proves and what it does not prove. */
  readonly proves: string;
  /** Set when the check is `contradicted` or `unavailable`. */
  readonly code?: CheckCode;
  /** The reason behind `code`, for people. */
  readonly reason?: string;
  /** As stated by the source: sanitize texts before you show them. Empty when the source has nothing. */
  readonly details: Details;
}

/**
 * The service's record of the file. Fields that the service does not state are absent.
 * @example
 * ```ts
 * const { author, license }: RegistryDetails = checks.registry.details;
 * ```
 */
export interface RegistryDetails {
  readonly service?: string;
  readonly manifestId?: string;
  /** The resolution API that serves the manifest. */
  readonly endpoint?: string;
  /** Set only when the service relays an entry from the chain. */
  readonly source?: 'curated' | 'public';
  /** The account that wrote the relayed entry. */
  readonly registeredBy?: string;
  /** Why the service did not accept the credential. */
  readonly refusal?: string;
  readonly status?: ArtifactStatus;
  /** When the Artifact was created (ISO 8601). */
  readonly since?: string;
  readonly markId?: string;
  readonly markName?: string;
  readonly owner?: string;
  readonly author?: string;
  readonly filename?: string;
  readonly license?: string;
  readonly allowAiTraining?: boolean | null;
  readonly transactionHash?: string | null;
}

/**
 * The contract's entry for the file.
 * @example
 * ```ts
 * const { since, transactionHash }: ChainDetails = checks.chain.details;
 * ```
 */
export interface ChainDetails {
  readonly chainId?: number;
  /** The address of the contract. */
  readonly address?: string;
  /** Where the address comes from; only `caller` is independent of the service. */
  readonly addressFrom?: 'caller' | 'service' | 'bundle';
  readonly source?: 'curated' | 'public';
  readonly endpoints?: readonly string[];
  readonly manifestId?: string;
  readonly manifestHash?: string;
  /** The account that wrote the entry. */
  readonly registeredBy?: string;
  /** When the entry was written (ISO 8601). */
  readonly since?: string;
  readonly transactionHash?: string;
  readonly blockNumber?: number;
  readonly blockHash?: string;
}

/**
 * The content of the signed manifest.
 * @example
 * ```ts
 * const { signedBy, signedAt }: ManifestDetails = checks.manifest.details;
 * ```
 */
export interface ManifestDetails {
  readonly manifestId?: string;
  /** The service, endpoint or bundle that the manifest was read from. */
  readonly from?: string;
  readonly signedBy?: string;
  readonly signedAt?: string;
  /** Whether the signer's certificate leads to one of the trust anchors. */
  readonly isTrusted?: boolean;
  /** Whether a trusted time-stamp authority confirms `signedAt`. */
  readonly isTimestamped?: boolean;
  readonly title?: string;
  readonly author?: string;
  readonly markName?: string;
  readonly markId?: string;
  readonly license?: string;
}

/**
 * The result of {@link verify} and {@link verifyBundle}.
 * @example
 * ```ts
 * const { verdict, checks }: Verification = await verify(fingerprint, { client });
 * if (verdict === 'contradicted') {
 *   for (const [source, { code }] of Object.entries(checks)) if (code) console.log(source, code);
 * }
 * ```
 */
export interface Verification {
  readonly fingerprint: Fingerprint;
  /**
   * `verified`: the manifest or the chain confirms, and nothing contradicts. `contradicted`: at least one source is
   * contradicted. `unknown`: no available source has anything about the file. `incomplete`: it could not be determined.
   */
  readonly verdict: 'verified' | 'contradicted' | 'unknown' | 'incomplete';
  readonly checks: {
    readonly registry: Check<RegistryDetails>;
    readonly chain: Check<ChainDetails>;
    readonly manifest: Check<ManifestDetails>;
  };
}
