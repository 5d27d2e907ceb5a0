// Creates the signer and the time-stamper from the settings, by default with development keys.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSigningCertificate, type SigningCertificate } from './certificates.js';
import type { ClaimSigner } from './cose.js';
import { loadOrCreateDevelopmentKeys } from './developmentKeys.js';
import type { Signing } from './manifestStore.js';
import { commandSigner, httpSigner, localSigner } from './signers.js';
import { createTimestampAuthority, type TimestampAuthority } from './timestampAuthority.js';
import { timestampClient } from './timestampClient.js';

/** Locations of the signing certificate and its key. */
export type SigningSource = { readonly certificateFile: string } & (
  | { readonly keyFile: string }
  | { readonly command: readonly [string, ...string[]] }
  | { readonly url: string }
);

export interface SigningOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly source: SigningSource | undefined;
  /** Time-stamp authorities in order of preference; empty for the built-in one. */
  readonly timestampUrls: readonly string[];
  readonly clock: () => Date;
}

export interface PreparedSigning {
  readonly signing: Signing;
  readonly certificate: SigningCertificate;
  /** Trusted by this service's reader: the certificate's own root and the development authority. */
  readonly trustAnchorsPem: string;
  /** The built-in time-stamp authority and its root, if it is used. */
  readonly authority: { readonly timestamps: TimestampAuthority; readonly rootPem: string } | undefined;
}

/** Throws with the reason if the certificate is unusable. */
export async function prepareSigning(options: SigningOptions): Promise<PreparedSigning> {
  const { source, timestampUrls, clock } = options;
  const keys =
    source && timestampUrls.length > 0
      ? undefined
      : await loadOrCreateDevelopmentKeys(join(options.dataDir, 'keys'), clock());
  const certificatePem = source ? await readFile(source.certificateFile, 'utf8') : (keys?.signer.certificatePem ?? '');
  const certificate = readSigningCertificate(certificatePem, clock());
  const timestamps = keys && timestampUrls.length === 0 ? createTimestampAuthority(keys.timestamps, clock) : undefined;
  return {
    certificate,
    signing: {
      signer: source ? await createSigner(source, certificate) : localSigner(certificate, keys?.signer.keyPem ?? ''),
      timestamper: timestamps ?? timestampClient(timestampUrls),
      generator: { name: 'Provenance registry', version: options.version },
    },
    trustAnchorsPem: [keys?.authorityPem, certificate.rootPem].filter(Boolean).join('\n'),
    authority: timestamps && keys && { timestamps, rootPem: keys.authorityPem },
  };
}

async function createSigner(source: SigningSource, certificate: SigningCertificate): Promise<ClaimSigner> {
  if ('keyFile' in source) return localSigner(certificate, await readFile(source.keyFile, 'utf8'));
  if ('command' in source) return commandSigner(certificate, source.command);
  return httpSigner(certificate, source.url);
}
