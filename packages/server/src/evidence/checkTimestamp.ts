// Checks a time-stamp in a worker process: what it is about, its signature, and the path to a trusted root.

import { DerError } from '../asn1/der.js';
import { type DigestName, hash, InvalidEvidenceError, UnsupportedError } from './algorithms.js';
import type { ClaimTrust } from './claimTrust.js';
import { type TimestampToken, verifyToken } from './timestampToken.js';
import { findPath, type PathFinding } from './x509Path.js';

export interface TimestampJob {
  /** A TimeStampToken or TimeStampResp. */
  readonly bytes: Uint8Array;
  readonly subject: TimestampSubject;
  readonly trust: ClaimTrust;
}

/** What the time-stamp must be about: a file with this SHA-256, or these bytes. */
export type TimestampSubject = { readonly sha256: Uint8Array } | { readonly data: Uint8Array };

export type TimestampFinding =
  | (PathFinding & { readonly time: Date; readonly source: string; readonly token: Uint8Array })
  | { readonly state: 'invalid'; readonly reason: string };

export function checkTimestamp({ bytes, subject, trust }: TimestampJob): TimestampFinding {
  try {
    const token = verifyToken(bytes);
    requireSubject(token, subject);
    const { authority, otherCertificates, time } = token;
    const path = findPath(authority, otherCertificates, trust, time);
    return { ...path, time, source: authority.displayName, token: Uint8Array.from(token.raw) };
  } catch (error) {
    return { state: 'invalid', reason: reasonOf(error) };
  }
}

function requireSubject({ imprint }: TimestampToken, subject: TimestampSubject): void {
  const expected: Partial<Record<DigestName, Uint8Array>> =
    'sha256' in subject ? { sha256: subject.sha256 } : { [imprint.digest]: hash(imprint.digest, subject.data) };
  const digest = expected[imprint.digest];
  if (!digest) throw new InvalidEvidenceError('The time-stamp is not over a SHA-256.');
  if (!imprint.value.equals(digest)) throw new InvalidEvidenceError('The time-stamp is about another file.');
}

function reasonOf(error: unknown): string {
  if (error instanceof InvalidEvidenceError || error instanceof UnsupportedError) return error.message;
  // Node's, about a certificate or a key that OpenSSL cannot read.
  const isCryptoError = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_');
  if (error instanceof DerError || isCryptoError) return 'It is not a time-stamp token or response in DER.';
  throw error;
}
