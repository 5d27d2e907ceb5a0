// A manifest engine on development keys, and signing certificates of every kind.

import { KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createReader } from '../../../../test/support/manifestReader.js';
import { temporaryFolder } from '../../../../test/support/service.js';
import { createManifestWriter } from '../../src/c2pa/manifest/manifestWriter.js';
import { createIdentityIssuer, generateIssuerKey } from '../../src/c2pa/signing/identityIssuer.js';
import { prepareSigning } from '../../src/c2pa/signing/signingSetup.js';

export { x509 };

/** An issuer of identities with a new key. */
export function newIssuer(baseUrl = 'https://registry.example') {
  return createIdentityIssuer({ keysPem: generateIssuerKey(), baseUrl, name: 'Example registry' });
}

/** Starts a manifest engine with new development keys. */
export async function startEngine(issuer = newIssuer()) {
  const prepared = await prepareSigning({
    dataDir: await temporaryFolder(),
    version: '0.0.0',
    source: undefined,
    timestampUrls: [],
    clock: () => new Date(),
  });
  const signing = { ...prepared.signing, issuer };
  const reader = await createReader(prepared.trustAnchorsPem, issuer);
  return { ...prepared, signing, issuer, reader, engine: createManifestWriter(signing, reader) };
}

const ED25519 = { name: 'Ed25519' };
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const rsa = (modulusLength: number) => ({
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: 'SHA-256',
});
const algorithms = { ed25519: ED25519, p256: P256, rsa1024: rsa(1024), rsa2048: rsa(2048) };
const DAY = 86_400_000;

export interface CertificateOptions {
  /** Of the signer. */
  readonly name?: string;
  readonly algorithm?: keyof typeof algorithms;
  readonly selfSigned?: boolean;
  readonly isAuthority?: boolean;
  readonly keyUsage?: x509.KeyUsageFlags;
  readonly purposes?: string[];
  readonly withAuthorityKey?: boolean;
  readonly validFromDays?: number;
  readonly validToDays?: number;
}

x509.cryptoProvider.set(webcrypto);

async function generate(algorithm: (typeof algorithms)[keyof typeof algorithms]) {
  return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

/** Creates a signing certificate with its root and key; valid unless the options say otherwise. */
export async function makeCertificate(options: CertificateOptions = {}) {
  const algorithm = algorithms[options.algorithm ?? 'ed25519'];
  const [rootKeys, keys] = [await generate(ED25519), await generate(algorithm)];
  const notBefore = new Date(Date.now() + (options.validFromDays ?? -1) * DAY);
  const notAfter = new Date(Date.now() + (options.validToDays ?? 365) * DAY);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Test root, O=Test',
    notBefore: new Date(Date.now() - 800 * DAY),
    notAfter: new Date(Date.now() + 800 * DAY),
    signingAlgorithm: ED25519,
    keys: rootKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const { name = 'CN=Test signer, O=Test' } = options;
  const purposes = options.purposes ?? [x509.ExtendedKeyUsage.emailProtection];
  const extensions = [
    new x509.BasicConstraintsExtension(options.isAuthority ?? false, undefined, true),
    new x509.KeyUsagesExtension(options.keyUsage ?? x509.KeyUsageFlags.digitalSignature, true),
    ...(purposes.length > 0 ? [new x509.ExtendedKeyUsageExtension(purposes)] : []),
    ...(options.withAuthorityKey === false ? [] : [await x509.AuthorityKeyIdentifierExtension.create(root.publicKey)]),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
  const certificate = options.selfSigned
    ? await x509.X509CertificateGenerator.createSelfSigned({
        serialNumber: '02',
        name,
        notBefore,
        notAfter,
        signingAlgorithm: algorithm,
        keys,
        extensions,
      })
    : await x509.X509CertificateGenerator.create({
        serialNumber: '02',
        subject: name,
        issuer: root.subject,
        notBefore,
        notAfter,
        signingAlgorithm: ED25519,
        publicKey: keys.publicKey,
        signingKey: rootKeys.privateKey,
        extensions,
      });
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    rootPem: `${root.toString('pem')}\n`,
    keyPem: String(KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })),
  };
}
