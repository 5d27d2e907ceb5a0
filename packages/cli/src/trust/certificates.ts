// Root certificates: their names and digests, and whether one root vouches for another.

import { X509Certificate } from 'node:crypto';
import { certificateFingerprint } from '@provenance-registry/core';

export interface Root {
  readonly subject: string;
  /** Computed from the certificate. */
  readonly sha256: string;
  readonly certificate: X509Certificate;
}

/** Throws unless the text is exactly one certificate. */
export function parseRoot(pem: string): Root {
  const sha256 = certificateFingerprint(pem);
  const certificate = new X509Certificate(pem);
  // Bytes after the certificate would be hashed, but not parsed.
  if (certificate.fingerprint256.replaceAll(':', '').toLowerCase() !== sha256) throw new Error('not a certificate');
  return { subject: certificate.subject.replaceAll('\n', ', '), sha256, certificate };
}

export function parseRoots(pem: string): Root[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map(parseRoot);
}

export function formatRoots(roots: readonly Root[]): string {
  return roots.map(({ certificate }) => certificate.toString()).join('');
}

/** Whether a cross-certificate shows that the holder of the old root's key signed the key of the new root. */
export function hasCrossCertificate(
  older: Root,
  newer: Root,
  crossCertificates: readonly X509Certificate[],
  now: Date,
): boolean {
  const [oldRoot, newRoot] = [older.certificate, newer.certificate];
  const isUsable = (certificate: X509Certificate) => certificate.ca && isValidAt(certificate, now);
  if (!isUsable(oldRoot) || !isUsable(newRoot) || !isSelfSigned(newRoot)) return false;
  return crossCertificates.some(
    (cross) =>
      isUsable(cross) &&
      cross.subject === newRoot.subject &&
      cross.publicKey.equals(newRoot.publicKey) &&
      cross.checkIssued(oldRoot) &&
      cross.verify(oldRoot.publicKey),
  );
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
}

export function isValidAt({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return new Date(validFrom) <= at && at <= new Date(validTo);
}
