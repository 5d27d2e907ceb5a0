// Root certificates that the registry publishes, and the cross-certificates by which an earlier root signed a later one.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TrustRoot } from '@provenance-registry/core';

export interface TrustRoots {
  readonly roots: readonly X509Certificate[];
  /** Each has the key of one of the roots. */
  readonly crossCertificates: readonly X509Certificate[];
}

export const noRoots: TrustRoots = { roots: [], crossCertificates: [] };

/** Throws with the reason if the file has anything but roots and cross-certificates of them. */
export function readTrustRoots(path: string): TrustRoots {
  const certificates = parseCertificates(readFileSync(path, 'utf8'));
  if (certificates.length === 0) throw new Error(`"${path}" contains no certificate`);
  const roots = certificates.filter(isRoot);
  const crossCertificates = certificates.filter((certificate) => !roots.includes(certificate));
  for (const certificate of crossCertificates) {
    if (!certificate.ca || !roots.some((root) => hasSameKey(root, certificate))) {
      throw new Error(`the certificate "${subjectOf(certificate)}" is neither a root nor a cross-certificate of one`);
    }
  }
  return { roots, crossCertificates };
}

export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new Error('a certificate in it cannot be read');
    }
  });
}

/** Describes the roots without duplicates, which would change the fingerprint of the registry. */
export function describeRoots(roots: readonly X509Certificate[], isBuiltIn: boolean): TrustRoot[] {
  const byDigest = new Map(roots.map((root) => [root.fingerprint256, root]));
  return [...byDigest.values()].map((root) => ({
    subject: subjectOf(root),
    sha256: root.fingerprint256.replaceAll(':', '').toLowerCase(),
    pem: root.toString(),
    isBuiltIn,
  }));
}

function isRoot(certificate: X509Certificate): boolean {
  return certificate.ca && certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);
}

function hasSameKey(one: X509Certificate, other: X509Certificate): boolean {
  return one.publicKey.equals(other.publicKey);
}

/** Node has one line for each part of a name. */
function subjectOf({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ');
}
