// Signing certificates: taken apart, and checked against the profile that C2PA verifiers enforce.

import { type KeyObject, X509Certificate } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { SigningAlgorithm } from './cose.js';

export interface SigningCertificate {
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: KeyObject;
  /** DER, the signing certificate first, without the root. */
  readonly certificates: readonly Uint8Array[];
  /** The root, if the file has it: what makes the signature trusted here. */
  readonly rootPem: string | undefined;
  readonly expiresAt: Date;
}

const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const MIN_RSA_BITS = 2048;
const curves: Record<string, SigningAlgorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

const WARN_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;

/** Throws with the reason when verifiers would refuse what is signed with it. */
export function readSigningCertificate(chainPem: string, now: Date): SigningCertificate {
  const blocks = chainPem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const chain = blocks.map((pem) => ({ pem, parsed: new X509Certificate(pem) }));
  const [leaf] = chain;
  if (!leaf) throw new Error('there is no certificate in it');
  for (const reason of refusals(leaf.pem, leaf.parsed, now)) throw new Error(reason);
  chain.slice(1).forEach(({ parsed }, index) => {
    if (!chain[index]?.parsed.verify(parsed.publicKey))
      throw new Error('the certificates are not in order: each must be signed by the next');
  });
  const root = chain.find(({ parsed }) => parsed.subject === parsed.issuer);
  const { publicKey } = leaf.parsed;
  return {
    algorithm: algorithmOf(publicKey),
    publicKey,
    certificates: chain.filter((entry) => entry !== root).map(({ parsed }) => parsed.raw),
    rootPem: root?.pem,
    expiresAt: new Date(leaf.parsed.validTo),
  };
}

/** A sentence for the log when the certificate is about to expire. */
export function expiryWarning({ expiresAt }: SigningCertificate, now: Date): string | undefined {
  if (expiresAt.getTime() - now.getTime() > WARN_BEFORE_MS) return undefined;
  return `The signing certificate expires on ${expiresAt.toISOString().slice(0, 10)}.`;
}

function* refusals(pem: string, leaf: X509Certificate, now: Date): Generator<string> {
  const certificate = new x509.X509Certificate(pem);
  const usage = certificate.getExtension(x509.KeyUsagesExtension);
  const purposes = certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? [];
  if (leaf.subject === leaf.issuer) yield 'the certificate signs itself';
  if (certificate.getExtension(x509.BasicConstraintsExtension)?.ca) yield 'the certificate is one of an authority';
  if (!usage || (usage.usages & x509.KeyUsageFlags.digitalSignature) === 0)
    yield 'its key usage lacks digitalSignature';
  if (!purposes.includes(EMAIL_PROTECTION)) yield 'its extended key usage lacks emailProtection';
  if (!certificate.getExtension(x509.AuthorityKeyIdentifierExtension)) yield 'it has no authority key identifier';
  if (now < new Date(leaf.validFrom)) yield `it is valid from ${leaf.validFrom} only`;
  if (now > new Date(leaf.validTo)) yield `it has expired on ${leaf.validTo}`;
  const { asymmetricKeyType, asymmetricKeyDetails } = leaf.publicKey;
  const weak = (asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS;
  if (weak) yield `its RSA key is shorter than ${MIN_RSA_BITS} bits`;
  if (!['ed25519', 'ec', 'rsa', 'rsa-pss'].includes(asymmetricKeyType ?? ''))
    yield `keys of type ${asymmetricKeyType} are not allowed`;
}

function algorithmOf(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (key.asymmetricKeyType !== 'ec') return 'PS256';
  const algorithm = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!algorithm) throw new Error(`the curve ${key.asymmetricKeyDetails?.namedCurve} is not allowed`);
  return algorithm;
}
