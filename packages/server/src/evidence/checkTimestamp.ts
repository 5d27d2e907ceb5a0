// Checks a time-stamp in a worker process: what it is about, its signature, and the path to a trusted root.

import {
  areEqual,
  DerError,
  type DigestName,
  findPath,
  hash,
  InvalidEvidenceError,
  type PathFinding,
  type TimestampToken,
  UnsupportedError,
  verifyToken,
} from '@provenance-registry/c2pa';
import type { ClaimTrust } from './claimTrust.js';

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

export async function checkTimestamp({ bytes, subject, trust }: TimestampJob): Promise<TimestampFinding> {
  try {
    const token = await verifyToken(bytes);
    await requireSubject(token, subject);
    const { authority, otherCertificates, time } = token;
    const path = await findPath(authority, otherCertificates, trust, time);
    return { ...path, time, source: authority.displayName, token: Uint8Array.from(token.raw) };
  } catch (error) {
    return { state: 'invalid', reason: reasonOf(error) };
  }
}

async function requireSubject({ imprint }: TimestampToken, subject: TimestampSubject): Promise<void> {
  const expected: Partial<Record<DigestName, Uint8Array>> =
    'sha256' in subject ? { sha256: subject.sha256 } : { [imprint.digest]: await hash(imprint.digest, subject.data) };
  const digest = expected[imprint.digest];
  if (!digest) throw new InvalidEvidenceError('The time-stamp is not over a SHA-256.');
  if (!areEqual(imprint.value, digest)) throw new InvalidEvidenceError('The time-stamp is about another file.');
}

function reasonOf(error: unknown): string {
  if (error instanceof InvalidEvidenceError || error instanceof UnsupportedError) return error.message;
  if (error instanceof DerError) return 'It is not a time-stamp token or response in DER.';
  throw error;
}
