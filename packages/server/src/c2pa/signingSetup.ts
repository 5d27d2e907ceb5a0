// Creates the signer and the time-stamper from the settings, by default with development keys.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RegistryIdentity } from '@provenance-registry/core';
import { readSigningCertificate, type SigningCertificate } from './certificates.js';
import type { ClaimSigner } from './cose.js';
import { loadOrCreateDevelopmentKeys } from './developmentKeys.js';
import type { Signing } from './manifestStore.js';
import { commandSigner, httpSigner, localSigner } from './signers.js';
import { createTimestampAuthority, type TimestampAuthority } from './timestampAuthority.js';
import { timestampClient } from './timestampClient.js';
import { describeRoots, noRoots, parseCertificates, type TrustRoots } from './trustRoots.js';

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
  /** Of the signing certificate and its predecessors, besides the root that its file contains. */
  readonly signingRoots?: TrustRoots | undefined;
  /** Of the authorities at `timestampUrls`. */
  readonly timestampRoots?: TrustRoots | undefined;
  readonly clock: () => Date;
}

export interface PreparedSigning {
  readonly signing: Signing;
  readonly certificate: SigningCertificate;
  /** Trusted by this service's reader: the signer's roots and the development authority. */
  readonly trustAnchorsPem: string;
  readonly publishedRoots: PublishedRoots;
  /** The built-in time-stamp authority and its root, if it is used. */
  readonly authority: { readonly timestamps: TimestampAuthority; readonly rootPem: string } | undefined;
}

/** The roots as the registry publishes them. A list is empty when the settings do not name its roots. */
export type PublishedRoots = Pick<RegistryIdentity, 'signerRoots' | 'timestampRoots' | 'crossCertificates'>;

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
  const publishedRoots = listPublishedRoots(options, certificate, keys?.authorityPem ?? '');
  return {
    certificate,
    signing: {
      signer: source ? await createSigner(source, certificate) : localSigner(certificate, keys?.signer.keyPem ?? ''),
      timestamper: timestamps ?? timestampClient(timestampUrls),
      generator: { name: 'Provenance registry', version: options.version },
    },
    trustAnchorsPem: [keys?.authorityPem ?? '', ...publishedRoots.signerRoots.map(({ pem }) => pem)].join('\n'),
    publishedRoots,
    authority: timestamps && keys && { timestamps, rootPem: keys.authorityPem },
  };
}

function listPublishedRoots(
  { source, timestampUrls, signingRoots = noRoots, timestampRoots = noRoots }: SigningOptions,
  certificate: SigningCertificate,
  authorityPem: string,
): PublishedRoots {
  const { root } = certificate;
  if (source && !root) requireKnownIssuer(certificate, signingRoots);
  const ownRoots = describeRoots(parseCertificates(authorityPem), true);
  return {
    signerRoots: source ? describeRoots([...(root ? [root] : []), ...signingRoots.roots], false) : ownRoots,
    timestampRoots: timestampUrls.length > 0 ? describeRoots(timestampRoots.roots, false) : ownRoots,
    crossCertificates: [...signingRoots.crossCertificates, ...timestampRoots.crossCertificates].map(String),
  };
}

/** A list of roots that the certificate does not lead to is a mistake; no list is not. */
function requireKnownIssuer({ topmost }: SigningCertificate, { roots }: TrustRoots): void {
  if (roots.length === 0 || roots.some(({ publicKey }) => topmost.verify(publicKey))) return;
  throw new Error('its chain leads to no root of SIGNING_ROOTS_FILE');
}

async function createSigner(source: SigningSource, certificate: SigningCertificate): Promise<ClaimSigner> {
  if ('keyFile' in source) return localSigner(certificate, await readFile(source.keyFile, 'utf8'));
  if ('command' in source) return commandSigner(certificate, source.command);
  return httpSigner(certificate, source.url);
}
