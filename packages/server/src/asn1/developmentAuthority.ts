// Makes certificate authorities for services whose operator has given no certificates. The key of an authority is never
// stored: it signs what is issued at once, and nothing later.

import { KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export const ED25519 = { name: 'Ed25519' } as const;
export const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
export const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 3072,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;
export type KeyAlgorithm = typeof ED25519 | typeof P256 | typeof RSA;

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 3650;
const AUTHORITY_USAGE = x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign;

export interface IssuedCertificate {
  readonly name: string;
  readonly serialNumber: string;
  readonly algorithm: KeyAlgorithm;
  readonly usage: x509.KeyUsageFlags;
  readonly extendedUsage: x509.ExtendedKeyUsageExtension;
}

export class DevelopmentAuthority {
  private constructor(
    private readonly root: x509.X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly algorithm: KeyAlgorithm,
  ) {}

  static async create(name: string, algorithm: KeyAlgorithm, now: Date): Promise<DevelopmentAuthority> {
    x509.cryptoProvider.set(webcrypto);
    const keys = await generateKeys(algorithm);
    const notBefore = new Date(now.getTime() - DAY_MS);
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name: `CN=${name}, O=Provenance registry`,
      notBefore,
      notAfter: new Date(notBefore.getTime() + LIFETIME_DAYS * DAY_MS),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(AUTHORITY_USAGE, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new DevelopmentAuthority(root, keys, algorithm);
  }

  get certificatePem(): string {
    return this.root.toString('pem');
  }

  /** Issues a certificate for a new key, both as PEM, that is valid as long as the authority's. */
  async issue({ name, serialNumber, algorithm, usage, extendedUsage }: IssuedCertificate) {
    const keys = await generateKeys(algorithm);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject: `CN=${name}, O=Provenance registry`,
      issuer: this.root.subject,
      notBefore: this.root.notBefore,
      notAfter: this.root.notAfter,
      signingAlgorithm: this.algorithm,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(usage, true),
        extendedUsage,
        await x509.AuthorityKeyIdentifierExtension.create(this.root.publicKey),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    const keyPem = String(KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }));
    return { certificatePem: certificate.toString('pem'), keyPem };
  }
}

async function generateKeys(algorithm: KeyAlgorithm): Promise<webcrypto.CryptoKeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  if (!('privateKey' in keys)) throw new Error('the key is not a pair');
  return keys;
}
