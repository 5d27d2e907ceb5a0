// Root certificates as PEM: those of signers, and those of time-stamp authorities.

import { parseDer, parseX509, publicKeyId, type X509 } from '@provenance-registry/c2pa';
import { decodeBase64 } from '../base64.js';

/** Roots of signers and of time-stamp authorities are kept apart: an authority must not make a signer trusted. */
export interface RootSet {
  readonly signer: string;
  readonly timestamp: string;
}

/** c2pa-rs reports anything but certificates as an error of the manifest. */
export function extractCertificates(pem: string): string {
  return listCertificates(pem)
    .map((certificate) => `${certificate}\n`)
    .join('');
}

function listCertificates(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** A root that cannot be read vouches for nobody. */
export function parseRootCertificates(pem: string): X509[] {
  return listCertificates(pem).flatMap((certificate) => {
    try {
      const parsed = parseX509(parseDer(decodeBase64(certificate.replaceAll(/-----[^-]+-----|\s/g, ''))));
      publicKeyId(parsed.keyInfo);
      return [parsed];
    } catch {
      return [];
    }
  });
}
