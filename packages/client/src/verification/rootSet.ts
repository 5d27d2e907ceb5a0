// Root certificates as PEM: those of signers, and those of time-stamp authorities.

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

export function listCertificates(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
