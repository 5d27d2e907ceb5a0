// Fingerprints in their two forms: `0x` and hex digits in the API, base64 in soft bindings.

import { bytesToHex, hexToBytes } from '@noble/hashes/utils';

/** Available in Node and in browsers. */
declare function btoa(binary: string): string;
declare function atob(base64: string): string;

/**
 * The SHA-256 of a file's exact bytes: `0x` and 64 lower-case hex digits.
 * @example
 * ```ts
 * const emptyFile: Fingerprint = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
 * ```
 */
export type Fingerprint = `0x${string}`;

export const fingerprintPattern = '^0x[0-9a-f]{64}$';

/** A prefix of fewer digits would return thousands of entries of a registry with a hundred million. */
export const MIN_PREFIX_DIGITS = 4;
/** A prefix of more digits would tell which file it is. */
export const MAX_PREFIX_DIGITS = 8;
/** The first digits of a fingerprint, without `0x`. */
export const prefixPattern = `^[0-9a-f]{${MIN_PREFIX_DIGITS},${MAX_PREFIX_DIGITS}}$`;

/** `alg` of this registry's soft bindings. */
export const SOFT_BINDING_ALGORITHM = 'com.service.sha256';
/** Names used by manifests from before 2026-05-29. */
export const legacyAlgorithms: readonly string[] = ['org.service.sha256', 'sha256'];

const DIGEST_BYTES = 32;
const fingerprintForm = new RegExp(fingerprintPattern);

const NO_FILE: Fingerprint = `0x${'0'.repeat(2 * DIGEST_BYTES)}`;

export function isFileFingerprint(text: string): boolean {
  return isFingerprint(text) && text !== NO_FILE;
}

/**
 * Whether a text is a well-formed fingerprint.
 * @example
 * ```ts
 * if (isFingerprint(text)) console.log(await client.getPublicArtifact({ fingerprint: text }));
 * ```
 */
export function isFingerprint(text: string): text is Fingerprint {
  return fingerprintForm.test(text);
}

export function fingerprintOf(digest: Uint8Array): Fingerprint {
  return `0x${bytesToHex(digest)}`;
}

export function digestOf(fingerprint: Fingerprint): Uint8Array {
  return hexToBytes(fingerprint.slice(2));
}

/** The soft binding's value: base64 of the digest's bytes, not of its hex text. */
export function softBindingValue(fingerprint: Fingerprint): string {
  return btoa(String.fromCharCode(...digestOf(fingerprint)));
}

/** Two bits of the last character are unused, and must be zero. */
const bindingForm = /^([A-Za-z0-9+/]{42}|[\w-]{42})[AEIMQUYcgkosw048]=?$/;

/** Accepts standard or URL-safe base64 of 32 bytes, padded or not; undefined for anything else, a mixture included. */
export function parseSoftBindingValue(value: string): Fingerprint | undefined {
  if (!bindingForm.test(value)) return undefined;
  const text = atob(value.slice(0, 43).replaceAll('-', '+').replaceAll('_', '/'));
  const digest = new Uint8Array(DIGEST_BYTES);
  for (let index = 0; index < DIGEST_BYTES; index += 1) digest[index] = text.charCodeAt(index);
  return fingerprintOf(digest);
}
