// The RSA key that signs certificates, with its certificates: made on first start under an authority of its own, or given by
// the operator. RSA, because viewers of PDF files check nothing else everywhere.

import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { DevelopmentAuthority, P256, RSA } from '../asn1/developmentAuthority.js';

const MIN_MODULUS_BITS = 2048;
const SIGNING_USAGE = x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.nonRepudiation;
/** RFC 9336: signing documents. */
const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36';
const certificateForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const signWithKey = promisify(sign);

export interface DocumentSigner {
  /** The signer's first. */
  readonly certificates: readonly X509Certificate[];
  /** The root, if the certificates contain it. */
  readonly root: X509Certificate | undefined;
  /** The authority was made by this service. */
  readonly isBuiltIn: boolean;
  /** PKCS #1 v1.5 with SHA-256. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/** Which of the two settings is wrong. */
export class DocumentKeyError extends Error {
  constructor(
    readonly part: 'certificate' | 'key',
    message: string,
  ) {
    super(message);
  }
}

/** A new key, its certificate and that of its authority, as PEM. */
export async function generateDocumentKey(now: Date): Promise<string> {
  const authority = await DevelopmentAuthority.create('Development authority of documents', P256, now);
  const { certificatePem, keyPem } = await authority.issue({
    name: 'Development signer of documents',
    serialNumber: '02',
    algorithm: RSA,
    usage: SIGNING_USAGE,
    // Viewers of PDF files expect the second one.
    extendedUsage: new x509.ExtendedKeyUsageExtension([DOCUMENT_SIGNING, x509.ExtendedKeyUsage.emailProtection]),
  });
  return [keyPem, certificatePem, authority.certificatePem].join('\n');
}

/** Throws DocumentKeyError with the reason if they cannot sign documents now. */
export function readDocumentSigner(
  certificatesPem: string,
  keyPem: string,
  { now, isBuiltIn }: { readonly now: Date; readonly isBuiltIn: boolean },
): DocumentSigner {
  const certificates = parseChain(certificatesPem);
  const [leaf] = certificates;
  if (!leaf) throw new DocumentKeyError('certificate', 'the file contains no certificate');
  for (const problem of findProblems(leaf, now)) throw new DocumentKeyError('certificate', problem);
  const key = parseKey(keyPem);
  if (!leaf.checkPrivateKey(key)) throw new DocumentKeyError('key', 'the key does not belong to the certificate');
  return {
    certificates,
    root: certificates.find(({ subject, issuer }) => subject === issuer),
    isBuiltIn,
    sign: (data) => signWithKey('sha256', data, key),
  };
}

/** Returns the SHA-256 of the certificate's DER form. */
export function sha256Of(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('hex');
}

function parseChain(pem: string): X509Certificate[] {
  const chain = (pem.match(certificateForm) ?? []).map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new DocumentKeyError('certificate', 'a certificate in it cannot be read');
    }
  });
  chain.slice(1).forEach((next, index) => {
    if (!chain[index]?.verify(next.publicKey)) {
      throw new DocumentKeyError('certificate', 'the certificates are not in order: each must be signed by the next');
    }
  });
  return chain;
}

function* findProblems(leaf: X509Certificate, now: Date): Generator<string> {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = leaf.publicKey;
  if (type !== 'rsa') yield `its key is of type ${type}: PDF viewers need RSA`;
  if ((details?.modulusLength ?? 0) < MIN_MODULUS_BITS) yield `its RSA key has less than ${MIN_MODULUS_BITS} bits`;
  const usage = new x509.X509Certificate(leaf.raw).getExtension(x509.KeyUsagesExtension)?.usages;
  if (usage !== undefined && (usage & SIGNING_USAGE) === 0)
    yield 'its key usage lacks digitalSignature and nonRepudiation';
  if (now < new Date(leaf.validFrom)) yield `it is not valid before ${leaf.validFrom}`;
  if (now > new Date(leaf.validTo)) yield `it expired on ${leaf.validTo}`;
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new DocumentKeyError('key', 'the file contains no private key in PEM without a password');
  }
}
