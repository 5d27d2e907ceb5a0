// Development keys: a certificate authority with a signing certificate and two for time-stamps.

import { KeyObject, webcrypto } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const ED25519 = { name: 'Ed25519' };
/** For time-stamps over HTTP: `openssl ts` cannot check Ed25519 in a token. */
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 3650;
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

/** Creates all keys or none on the first start. */
export async function loadOrCreateDevelopmentKeys(folder: string, now: Date) {
  const existing = await readKeys(folder);
  if (existing) return existing;
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  const draft = await mkdtemp(`${folder}.`);
  for (const [name, text] of Object.entries(await createKeys(now))) {
    await writeFile(join(draft, name), text, { mode: 0o600, flush: true });
  }
  // Fails if another process was faster; its keys are used then.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  const saved = await readKeys(folder);
  if (!saved) throw new Error(`could not save the development keys in ${folder}`);
  return saved;
}

/** Undefined if they do not exist. */
async function readKeys(folder: string) {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const readPair = async (name: string) => ({
    certificatePem: await read(`${name}.pem`),
    keyPem: await read(`${name}.key`),
  });
  return undefinedIfMissing(async () => {
    const timestamps = await readPair('timestamps');
    return {
      authorityPem: await read('authority.pem'),
      signer: await readPair('signer'),
      timestamps,
      // Older folders do not have them, and no longer the authority's key that would sign a certificate.
      manifestTimestamps: (await undefinedIfMissing(() => readPair('manifest-timestamps'))) ?? timestamps,
    };
  });
}

async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The contents of the files by name. */
async function createKeys(now: Date): Promise<Record<string, string>> {
  x509.cryptoProvider.set(webcrypto);
  const authority = await generate(ED25519);
  const notBefore = new Date(now.getTime() - DAY_MS);
  const notAfter = new Date(notBefore.getTime() + LIFETIME_DAYS * DAY_MS);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Development authority, O=Provenance registry',
    notBefore,
    notAfter,
    signingAlgorithm: ED25519,
    keys: authority,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authority.publicKey),
    ],
  });
  async function issue(name: string, serialNumber: string, algorithm: typeof ED25519 | typeof P256, usage: string) {
    const keys = await generate(algorithm);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject: `CN=${name}, O=Provenance registry`,
      issuer: root.subject,
      notBefore,
      notAfter,
      signingAlgorithm: ED25519,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        // RFC 3161 requires this extension to be critical for time-stamping.
        new x509.ExtendedKeyUsageExtension([usage], usage === TIME_STAMPING),
        await x509.AuthorityKeyIdentifierExtension.create(root.publicKey),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return [`${certificate.toString('pem')}\n`, toPem(keys.privateKey)] as const;
  }
  const [signerPem, signerKey] = await issue(
    'Development signer',
    '02',
    ED25519,
    x509.ExtendedKeyUsage.emailProtection,
  );
  const [timestampsPem, timestampsKey] = await issue('Development time-stamps', '03', P256, TIME_STAMPING);
  // C2PA readers verify Ed25519 several times as fast, and each creation waits for one.
  const [manifestTimestampsPem, manifestTimestampsKey] = await issue(
    'Development time-stamps of manifests',
    '04',
    ED25519,
    TIME_STAMPING,
  );
  return {
    'authority.pem': `${root.toString('pem')}\n`,
    'signer.pem': signerPem,
    'signer.key': signerKey,
    'timestamps.pem': timestampsPem,
    'timestamps.key': timestampsKey,
    'manifest-timestamps.pem': manifestTimestampsPem,
    'manifest-timestamps.key': manifestTimestampsKey,
  };
}

function generate(algorithm: typeof ED25519 | typeof P256): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

function toPem(key: webcrypto.CryptoKey): string {
  return String(KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }));
}
