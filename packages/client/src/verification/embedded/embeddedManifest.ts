// The public form of a C2PA manifest that is inside a file.

import type { Fingerprint } from '@provenance-registry/core';
import type { ManifestIdentity } from '../identity.js';

/**
 * The name in a signer's certificate. Anyone can make a certificate with any name: see `trustedBy`.
 * @example
 * ```ts
 * const describe = ({ name, issuer }: ManifestSigner) => [name, issuer].filter(Boolean).join(', ');
 * ```
 */
export interface ManifestSigner {
  readonly name?: string;
  /** The organization in the certificate. */
  readonly issuer?: string;
}

/**
 * The names in a signer's certificate as one text. Undefined when it has none.
 * @example
 * ```ts
 * console.log(signerName(embedded.signer) ?? 'an unnamed signer');
 * ```
 */
export function signerName(signer: ManifestSigner | undefined): string | undefined {
  const names = [signer?.name, signer?.issuer].filter((name) => name !== undefined);
  return names.length === 0 ? undefined : names.join(', ');
}

/**
 * Something that was done to the file, according to the signer.
 * @example
 * ```ts
 * const isByAi = ({ digitalSourceType }: ManifestAction) => digitalSourceType?.endsWith('/trainedAlgorithmicMedia');
 * ```
 */
export interface ManifestAction {
  /** Name by C2PA, such as `c2pa.created`, `c2pa.opened` or `c2pa.cropped`. */
  readonly action: string;
  readonly when?: string;
  readonly softwareAgent?: string;
  /** IPTC's URL for how the content was made. */
  readonly digitalSourceType?: string;
  readonly description?: string;
}

/**
 * One generation of a file: what a manifest says about it, or a file without a manifest that went into a later one.
 * @example
 * ```ts
 * for (const { title, signer, actions } of embedded.history) console.log(title, signer?.name, actions.length);
 * ```
 */
export interface ManifestStep {
  readonly title?: string;
  /** How the next step used this one: `parentOf`, `componentOf` or `inputTo`. Absent for the file itself. */
  readonly relationship?: string;
  /** Absent when this step has no manifest. */
  readonly signer?: ManifestSigner;
  /** The time in a time-stamp whose authority leads to the roots of authorities, as `timestamp` of the file. */
  readonly signedAt?: string;
  /** The program that made the manifest. */
  readonly generator?: string;
  readonly actions: readonly ManifestAction[];
  /** Actions that were left out of a long list. Absent when there is none. */
  readonly omittedActions?: number;
  /** C2PA's codes of failed validations, found now or when the next step was signed. Empty when there is none. */
  readonly failures: readonly string[];
}

/**
 * Whether the signer allows a use: C2PA's words.
 * @example
 * ```ts
 * const isForbidden = (permission: UsePermission | undefined) => permission === 'notAllowed';
 * ```
 */
export type UsePermission = 'allowed' | 'notAllowed' | 'constrained';

/**
 * The C2PA manifest inside a file, of any signer, validated by c2pa-rs against the bytes of the file. Texts are
 * sanitized, and long lists are shortened.
 * @example
 * ```ts
 * const embedded: EmbeddedManifest | undefined = await readEmbeddedManifest(file);
 * if (embedded?.state === 'intact') console.log(embedded.signer?.name, embedded.trustedBy ?? 'not a signer you named');
 * ```
 */
export interface EmbeddedManifest {
  /**
   * `intact`: signature and hashes fit the bytes of the file, and cover all that programs show of it; in AVIF, HEIC and MP4 of
   * some signers the file type is not covered, but fits. `invalid`: they do not; see `failures`. `unreadable`: there may be a manifest, but it could not be checked; see `reason`.
   */
  readonly state: 'intact' | 'invalid' | 'unreadable';
  /** Why it is `unreadable`, for people. */
  readonly reason?: string;
  /** C2PA's codes of failed validations, and the registry's own, as in `explanations.manifestFailures`. */
  readonly failures: readonly string[];
  readonly signer?: ManifestSigner;
  /**
   * The roots that the signer's certificate leads to: `caller`, those that the caller named; `service`, only those that
   * the service publishes as its own. Absent: neither, so that the name proves nothing.
   */
  readonly trustedBy?: 'caller' | 'service';
  /**
   * The time in a time-stamp (RFC 3161) whose authority leads to the roots of `caller` or `service`. Absent for one of any other
   * authority: anyone can write any date.
   */
  readonly timestamp?: { readonly at: string; readonly trustedBy: 'caller' | 'service' };
  readonly generator?: string;
  readonly title?: string;
  /** All generations that the file carries, oldest first; the last one is the file itself. */
  readonly history: readonly ManifestStep[];
  /** Steps that were left out of a long history. */
  readonly omittedSteps: number;
  /** What the signer says about mining and AI training, by the names of C2PA and CAWG without their prefix. */
  readonly permissions: Readonly<Record<string, UsePermission>>;
  /** The soft binding, and the fingerprint in it if it has this registry's algorithm. */
  readonly softBinding?: { readonly algorithm: string; readonly fingerprint?: Fingerprint };
  /** What the service had verified about the Mark, only when `trustedBy` is `service`. */
  readonly identity?: ManifestIdentity;
  /** The registered file that an intact soft binding of a signer in `trustedBy` names: this is a copy or the card of it. */
  readonly signedCopyOf?: Fingerprint;
}
