// Certificates for https servers in tests.

import { KeyObject, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
}

/** An authority of its own, and certificates that it signed. */
export async function createAuthority() {
  x509.cryptoProvider.set(webcrypto);
  const keys = await generateKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test authority',
    ...validity(-10, 10),
    signingAlgorithm: P256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    pem: `${root.toString('pem')}\n`,
    async issue(host: string, { validToDays = 5 } = {}): Promise<ServerCertificate> {
      const ownKeys = await generateKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${host}`,
        issuer: root.subject,
        ...validity(-5, validToDays),
        signingAlgorithm: P256,
        publicKey: ownKeys.publicKey,
        signingKey: keys.privateKey,
        extensions: [nameExtension(host)],
      });
      return toPem(certificate, ownKeys);
    },
  };
}

export async function createSelfSignedCertificate(host: string): Promise<ServerCertificate> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${host}`,
    ...validity(-5, 5),
    signingAlgorithm: P256,
    keys,
    extensions: [nameExtension(host)],
  });
  return toPem(certificate, keys);
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
}

function nameExtension(host: string): x509.SubjectAlternativeNameExtension {
  return new x509.SubjectAlternativeNameExtension([{ type: /^[\d.]+$/.test(host) ? 'ip' : 'dns', value: host }]);
}

function validity(fromDays: number, toDays: number) {
  return { notBefore: new Date(Date.now() + fromDays * DAY_MS), notAfter: new Date(Date.now() + toDays * DAY_MS) };
}

function toPem(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): ServerCertificate {
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { key: String(key), cert: `${certificate.toString('pem')}\n` };
}
