// The fingerprint of a registry, which people compare out of band. Computed from the certificates themselves, never from
// the digests that a service states.

import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import type { RegistryIdentity } from './api/marks/identity.js';
import { canonicalJson } from './metadata/metadataHash.js';

/** Available in Node and in browsers. */
declare function atob(base64: string): string;

/** 96 bits: too many for a second registry with the same short form. */
export const SHORT_FINGERPRINT_DIGITS = 24;

/** Exactly one certificate: a second one would be trusted without being part of the fingerprint. */
const certificateForm = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;

/** What {@link registryFingerprint} covers. */
export interface FingerprintedIdentity {
  readonly chainId?: number | undefined;
  readonly contract: string;
  readonly signerRoots: readonly Pick<RegistryIdentity['signerRoots'][number], 'pem'>[];
  readonly timestampRoots: readonly Pick<RegistryIdentity['timestampRoots'][number], 'pem'>[];
}

/**
 * The SHA-256 of a certificate's bytes, as 64 hex digits. Throws if the text is not exactly one certificate.
 * @example
 * ```ts
 * const digests = identity.signerRoots.map(({ pem }) => certificateFingerprint(pem));
 * ```
 */
export function certificateFingerprint(pem: string): string {
  const base64 = certificateForm.exec(pem)?.[1];
  if (base64 === undefined) throw new Error('not exactly one certificate in PEM');
  const binary = atob(base64.replaceAll(/\s/g, ''));
  return bytesToHex(sha256(Uint8Array.from(binary, (character) => character.charCodeAt(0))));
}

/**
 * The fingerprint of a registry: 64 hex digits that stand for its chain, its contract and its roots. Throws if a root is
 * not exactly one certificate.
 * @example
 * ```ts
 * const fingerprint = registryFingerprint(await client.getRegistryIdentity());
 * console.log(shortFingerprint(fingerprint)); // 1f0c 8a34 52c1 4c0e 9d53 0e6a
 * ```
 */
export function registryFingerprint({ chainId, contract, signerRoots, timestampRoots }: FingerprintedIdentity): string {
  const digests = (roots: readonly { readonly pem: string }[]) =>
    roots.map(({ pem }) => certificateFingerprint(pem)).sort();
  const covered = {
    chainId,
    contract: contract.toLowerCase(),
    signerRoots: digests(signerRoots),
    timestampRoots: digests(timestampRoots),
  };
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(covered))));
}

/**
 * The form for people: the first 24 digits of a fingerprint in groups of four.
 * @example
 * ```ts
 * console.log(shortFingerprint(registryFingerprint(identity))); // 1f0c 8a34 52c1 4c0e 9d53 0e6a
 * ```
 */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, SHORT_FINGERPRINT_DIGITS).replaceAll(/(.{4})(?=.)/g, '$1 ');
}
