// Fingerprints and their forms: `0x` and hexadecimal digits on the wire, base64 as a soft binding's value.

import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils';
import Type from 'typebox';

/** Node and browsers have both. */
declare function btoa(binary: string): string;
declare function atob(base64: string): string;

export type Fingerprint = `0x${string}`;

export const fingerprintPattern = '^0x[0-9a-f]{64}$';

/** `alg` of our soft bindings. */
export const SOFT_BINDING_ALGORITHM = 'com.service.sha256';
/** Names that manifests from before 2026-05-29 have. */
export const legacyAlgorithms: readonly string[] = ['org.service.sha256', 'sha256'];

const DIGEST_BYTES = 32;
const fingerprintForm = new RegExp(fingerprintPattern);

export const FingerprintText = (description: string) =>
  Type.Unsafe<Fingerprint>({ type: 'string', pattern: fingerprintPattern, description });

export function isFingerprint(text: string): text is Fingerprint {
  return fingerprintForm.test(text);
}

export function fingerprintOf(digest: Uint8Array): Fingerprint {
  return `0x${bytesToHex(digest)}`;
}

export function digestOf(fingerprint: Fingerprint): Uint8Array {
  return hexToBytes(fingerprint.slice(2));
}

/** The value of the soft binding: base64 of the digest's bytes, not of their text. */
export function softBindingValue(fingerprint: Fingerprint): string {
  return btoa(String.fromCharCode(...digestOf(fingerprint)));
}

/** Standard or URL-safe base64 of 32 bytes, padded or not; undefined when the text is something else. */
export function fingerprintOfValue(value: string): Fingerprint | undefined {
  if (!/^[\w+/-]{43}=?$/.test(value)) return undefined;
  const text = atob(value.replaceAll('-', '+').replaceAll('_', '/').replace(/=$/, ''));
  const digest = Uint8Array.from(text, (character) => character.charCodeAt(0));
  if (digest.length !== DIGEST_BYTES) return undefined;
  const fingerprint = fingerprintOf(digest);
  // The last character has two bits to spare: only one way of writing a value is taken.
  return softBindingValue(fingerprint).slice(0, 43) === value.replaceAll('-', '+').replaceAll('_', '/').slice(0, 43)
    ? fingerprint
    : undefined;
}

/** JSON in the one form of RFC 8785: members in the order of their names, nothing between them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // Names are compared by their UTF-16 code units, which is what JavaScript does by itself.
  members.sort(([one], [two]) => (one < two ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** What the chain keeps about an Artifact's metadata: whoever may read them can compute it again. */
export function manifestHashOf(metadata: unknown): Fingerprint {
  return `0x${bytesToHex(keccak_256(utf8ToBytes(canonicalJson(metadata))))}`;
}
