// Creates the signer and the time-stamper from the settings, by default with development keys.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RegistryIdentity, TrustRoot } from '@provenance-registry/core';
import type { Signing } from '../manifest/manifestStore.js';
import { TimestampAuthority } from '../timestamps/timestampAuthority.js';
import { timestampClient } from '../timestamps/timestampClient.js';
import type { ClaimSigner } from './cose.js';
import { loadOrCreateDevelopmentKeys } from './developmentKeys.js';
import { commandSigner, httpSigner, localSigner, type SigningSource } from './signers.js';
import { readSigningCertificate, type SigningCertificate } from './signingCertificate.js';
import { probeSigning } from './signingProbe.js';
import { describeRoots, noRoots, parseCertificates, type TrustRoots } from './trustRoots.js';

export interface SigningOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly source: SigningSource | undefined;
  /** Time-stamp authorities in order of preference; empty for the built-in one. */
  readonly timestampUrls: readonly string[];
  /** Roots of the signing certificate and its predecessors, besides the root that its file contains. */
  readonly signingRoots?: TrustRoots | undefined;
  /** Roots of the authorities at `timestampUrls`. */
  readonly timestampRoots?: TrustRoots | undefined;
  readonly clock: () => Date;
  /** Makes the set-up read back what certificate and authorities produce; receives what could not be checked. */
  readonly warn?: ((message: string) => void) | undefined;
}

export interface PreparedSigning {
  readonly signing: Signing;
  readonly certificate: SigningCertificate;
  /** Trusted by this service's reader: the signer's roots and the development authority. */
  readonly trustAnchorsPem: string;
  readonly publishedRoots: PublishedRoots;
  /** The built-in time-stamp authority, for clients, and its root, if it is used. */
  readonly authority: { readonly timestamps: TimestampAuthority; readonly rootPem: string } | undefined;
}

/** The roots as the registry publishes them. A list is empty when the settings do not name its roots. */
export type PublishedRoots = Pick<RegistryIdentity, 'signerRoots' | 'timestampRoots' | 'crossCertificates'>;

interface Configured {
  readonly certificate: SigningCertificate;
  readonly signer: ClaimSigner;
  readonly roots: readonly TrustRoot[];
}

/** Throws with the reason if the configured certificate is unusable, before it creates any key. */
export async function prepareSigning(options: SigningOptions): Promise<PreparedSigning> {
  const { source, clock, warn, timestampRoots = noRoots, signingRoots = noRoots } = options;
  const generator = { name: 'Provenance registry', version: options.version };
  const external = options.timestampUrls.length > 0 ? timestampClient(options.timestampUrls) : undefined;
  const configured = source && (await readConfigured(source, signingRoots, clock()));
  if (configured && warn) {
    const signing = { signer: configured.signer, timestamper: external, generator };
    await probeSigning({ signing, rootsPem: joinPem(configured.roots), warn });
  }
  const keys =
    configured && external ? undefined : await loadOrCreateDevelopmentKeys(join(options.dataDir, 'keys'), clock());
  const { authorityPem = '', signer: developmentSigner = { certificatePem: '', keyPem: '' } } = keys ?? {};
  const ownRoots = describeRoots(parseCertificates(authorityPem), true);
  const authority = external ? undefined : keys;
  const certificate = configured?.certificate ?? readSigningCertificate(developmentSigner.certificatePem, clock());
  const signerRoots = configured?.roots ?? ownRoots;
  return {
    certificate,
    signing: {
      signer: configured?.signer ?? localSigner(certificate, developmentSigner.keyPem),
      timestamper: authority
        ? new TimestampAuthority(authority.manifestTimestamps, clock)
        : (external ?? timestampClient([])),
      generator,
    },
    trustAnchorsPem: joinPem([...ownRoots, ...signerRoots]),
    publishedRoots: {
      signerRoots: [...signerRoots],
      timestampRoots: external ? describeRoots(timestampRoots.roots, false) : ownRoots,
      crossCertificates: [...signingRoots.crossCertificates, ...timestampRoots.crossCertificates].map(String),
    },
    authority: authority && { timestamps: new TimestampAuthority(authority.timestamps, clock), rootPem: authorityPem },
  };
}

async function readConfigured(source: SigningSource, signingRoots: TrustRoots, now: Date): Promise<Configured> {
  const certificate = readSigningCertificate(await readFile(source.certificateFile, 'utf8'), now);
  const { root } = certificate;
  if (!root) requireKnownIssuer(certificate, signingRoots);
  return {
    certificate,
    signer: await createSigner(source, certificate),
    roots: describeRoots([...(root ? [root] : []), ...signingRoots.roots], false),
  };
}

/** Each once: a reader tries all. */
function joinPem(roots: readonly TrustRoot[]): string {
  return [...new Set(roots.map(({ pem }) => pem))].join('\n');
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
