// Parses signing certificates, and finds the faults that C2PA readers would report less clearly; see also signingProbe.ts.

import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { signingPurposes } from '@provenance-registry/core';
import type { ClaimSigner, SigningAlgorithm } from './cose.js';
import { parseCertificates } from './trustRoots.js';

export interface SigningCertificate extends Pick<ClaimSigner, 'algorithm' | 'certificates'> {
  readonly publicKey: KeyObject;
  /** The root, if the file contains it. */
  readonly root: X509Certificate | undefined;
  /** The last certificate of the chain below the root. */
  readonly topmost: X509Certificate;
  readonly expiresAt: Date;
  /** Digest of the signing certificate's DER form. */
  readonly sha256: Uint8Array;
}

const knownPurposes: readonly string[] = Object.values(signingPurposes);
const curves: Record<string, SigningAlgorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

const WARN_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;

/** Throws with the reason if it is not a signing certificate or not valid now. */
export function readSigningCertificate(chainPem: string, now: Date): SigningCertificate {
  const chain = parseCertificates(chainPem);
  const [leaf] = chain;
  if (!leaf) throw new Error('the file contains no certificate');
  for (const problem of findProblems(leaf, now)) throw new Error(problem);
  chain.slice(1).forEach((next, index) => {
    if (!chain[index]?.verify(next.publicKey))
      throw new Error('the certificates are not in order: each must be signed by the next');
  });
  const root = chain.find(({ subject, issuer }) => subject === issuer);
  const { publicKey } = leaf;
  const withoutRoot = chain.filter((certificate) => certificate !== root);
  return {
    algorithm: signingAlgorithm(publicKey),
    publicKey,
    certificates: withoutRoot.map(({ raw }) => raw),
    root,
    topmost: withoutRoot.at(-1) ?? leaf,
    expiresAt: new Date(leaf.validTo),
    sha256: createHash('sha256').update(leaf.raw).digest(),
  };
}

/** Undefined unless the certificate expires soon. */
export function expiryWarning({ expiresAt }: SigningCertificate, now: Date): string | undefined {
  if (expiresAt.getTime() - now.getTime() > WARN_BEFORE_MS) return undefined;
  return `The signing certificate expires on ${expiresAt.toISOString().slice(0, 10)}.`;
}

function* findProblems(leaf: X509Certificate, now: Date): Generator<string> {
  const certificate = new x509.X509Certificate(leaf.raw);
  const usage = certificate.getExtension(x509.KeyUsagesExtension);
  const purposes = certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? [];
  if (leaf.subject === leaf.issuer) yield 'the certificate is self-signed';
  if (!usage || (usage.usages & x509.KeyUsageFlags.digitalSignature) === 0)
    yield 'its key usage lacks digitalSignature';
  if (!purposes.some((purpose) => typeof purpose === 'string' && knownPurposes.includes(purpose)))
    yield `its extended key usage has none of ${Object.keys(signingPurposes).join(', ')}`;
  if (!certificate.getExtension(x509.AuthorityKeyIdentifierExtension)) yield 'it has no authority key identifier';
  if (now < new Date(leaf.validFrom)) yield `it is not valid before ${leaf.validFrom}`;
  if (now > new Date(leaf.validTo)) yield `it expired on ${leaf.validTo}`;
}

function signingAlgorithm(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (key.asymmetricKeyType?.startsWith('rsa')) return 'PS256';
  if (key.asymmetricKeyType !== 'ec') throw new Error(`keys of type ${key.asymmetricKeyType} are not allowed`);
  const algorithm = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!algorithm) throw new Error(`the curve ${key.asymmetricKeyDetails?.namedCurve} is not allowed`);
  return algorithm;
}
