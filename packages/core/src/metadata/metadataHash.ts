// Canonical JSON, and the hash of metadata that is on chain.

import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import type { Fingerprint } from '../fingerprints/fingerprints.js';

/** JSON in the canonical form of RFC 8785: sorted keys, no whitespace. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // RFC 8785 compares UTF-16 code units, which is JavaScript's own string order.
  members.sort(([one], [two]) => (one < two ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** The hash of an Artifact's metadata that is stored on chain; readers of the metadata can recompute it. */
export function manifestHashOf(metadata: unknown): Fingerprint {
  return `0x${bytesToHex(keccak_256(utf8ToBytes(canonicalJson(metadata))))}`;
}
