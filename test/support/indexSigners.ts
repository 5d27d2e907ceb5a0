// Certificates and keys that sign indexes of downloads, of every kind of key that a registry may sign with.

import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const signingKeys = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  PS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: Uint8Array.of(1, 0, 1),
    modulusLength: 2048,
  },
  EdDSA: { name: 'Ed25519' },
} as const;

const DAY_MS = 86_400_000;
/** Long enough for an index that is out of date. */
const validity = { notBefore: new Date(Date.now() - 10 * DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
const authority = [
  new x509.BasicConstraintsExtension(true, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
];

export type SigningAlgorithm = keyof typeof signingKeys;

export interface IndexSigner {
  readonly root: { readonly certificate: string; readonly key: KeyObject };
  /** DER. */
  readonly signer: Buffer;
  readonly key: KeyObject;
}

/** A new root, and a signer below it; by default one that may sign manifests. */
export async function createIndexSigner(
  algorithm: SigningAlgorithm,
  {
    maySign = true,
    otherPurposes = [],
    subject = 'CN=Signer',
  }: { readonly maySign?: boolean; readonly otherPurposes?: readonly string[]; readonly subject?: string } = {},
): Promise<IndexSigner> {
  x509.cryptoProvider.set(webcrypto);
  const kind = signingKeys[algorithm];
  const generate = async () => {
    const pair = await webcrypto.subtle.generateKey(kind, true, ['sign', 'verify']);
    if (!('privateKey' in pair)) throw new Error('not a pair of keys');
    return pair;
  };
  const [rootKeys, signerKeys] = [await generate(), await generate()];
  const name = 'CN=Root';
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name,
    keys: rootKeys,
    signingAlgorithm: kind,
    extensions: authority,
  });
  const signer = await x509.X509CertificateGenerator.create({
    ...validity,
    subject,
    issuer: name,
    signingKey: rootKeys.privateKey,
    publicKey: signerKeys.publicKey,
    signingAlgorithm: kind,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags[maySign ? 'digitalSignature' : 'keyAgreement'], true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.emailProtection, ...otherPurposes]),
    ],
  });
  return {
    root: { certificate: root.toString('pem'), key: await exportKey(rootKeys.privateKey) },
    signer: Buffer.from(signer.rawData),
    key: await exportKey(signerKeys.privateKey),
  };
}

async function exportKey(key: webcrypto.CryptoKey): Promise<KeyObject> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
