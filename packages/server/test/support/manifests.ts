// A manifest engine for tests, and certificates of every kind.

import { KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { afterAll } from 'vitest';
import { createManifestEngine } from '../../src/c2pa/engine.js';
import { createManifestReader, type ManifestReader } from '../../src/c2pa/reader.js';
import { prepareSigning } from '../../src/c2pa/setup.js';
import { temporaryFolder } from './service.js';

export { x509 };

const open: ManifestReader[] = [];
afterAll(async () => {
  await Promise.all(open.map((reader) => reader.close()));
});

export async function readerWith(trustAnchorsPem: string): Promise<ManifestReader> {
  const reader = await createManifestReader(trustAnchorsPem);
  open.push(reader);
  return reader;
}

/** Everything on development keys of its own. */
export async function startEngine() {
  const prepared = await prepareSigning({
    dataDir: await temporaryFolder(),
    version: '0.0.0',
    source: undefined,
    timestampUrls: [],
    clock: () => new Date(),
  });
  const reader = await readerWith(prepared.trustAnchorsPem);
  return { ...prepared, reader, engine: createManifestEngine(prepared.signing, reader) };
}

const ED25519 = { name: 'Ed25519' };
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

export interface CertificateWishes {
  readonly algorithm?: 'ed25519' | 'p256';
  readonly selfSigned?: boolean;
  readonly isAuthority?: boolean;
  readonly keyUsage?: x509.KeyUsageFlags;
  readonly purposes?: string[];
  readonly withAuthorityKey?: boolean;
  readonly validFromDays?: number;
  readonly validToDays?: number;
}

x509.cryptoProvider.set(webcrypto);

async function generate(algorithm: typeof ED25519 | typeof P256) {
  return (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
}

/** A signing certificate with its root and key; good ones unless something else is wished for. */
export async function makeCertificate(wishes: CertificateWishes = {}) {
  const algorithm = wishes.algorithm === 'p256' ? P256 : ED25519;
  const [rootKeys, keys] = [await generate(ED25519), await generate(algorithm)];
  const notBefore = new Date(Date.now() + (wishes.validFromDays ?? -1) * DAY);
  const notAfter = new Date(Date.now() + (wishes.validToDays ?? 365) * DAY);
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
  const purposes = wishes.purposes ?? [x509.ExtendedKeyUsage.emailProtection];
  const extensions = [
    new x509.BasicConstraintsExtension(wishes.isAuthority ?? false, undefined, true),
    new x509.KeyUsagesExtension(wishes.keyUsage ?? x509.KeyUsageFlags.digitalSignature, true),
    ...(purposes.length > 0 ? [new x509.ExtendedKeyUsageExtension(purposes)] : []),
    ...(wishes.withAuthorityKey === false ? [] : [await x509.AuthorityKeyIdentifierExtension.create(root.publicKey)]),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
  const certificate = wishes.selfSigned
    ? await x509.X509CertificateGenerator.createSelfSigned({
        serialNumber: '02',
        name: 'CN=Test signer, O=Test',
        notBefore,
        notAfter,
        signingAlgorithm: algorithm,
        keys,
        extensions,
      })
    : await x509.X509CertificateGenerator.create({
        serialNumber: '02',
        subject: 'CN=Test signer, O=Test',
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
