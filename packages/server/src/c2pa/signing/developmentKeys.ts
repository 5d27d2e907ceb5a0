// Development keys: a certificate authority with a signing certificate and two for time-stamps.

import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { DevelopmentAuthority, ED25519, P256 } from '../../asn1/developmentAuthority.js';

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
  const authority = await DevelopmentAuthority.create('Development authority', ED25519, now);
  const usage = x509.KeyUsageFlags.digitalSignature;
  // RFC 3161 requires this extension to be critical.
  const timeStamping = new x509.ExtendedKeyUsageExtension([TIME_STAMPING], true);
  const signing = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.emailProtection]);
  const issued = {
    signer: { name: 'Development signer', serialNumber: '02', algorithm: ED25519, extendedUsage: signing },
    timestamps: {
      name: 'Development time-stamps',
      serialNumber: '03',
      // For time-stamps over HTTP: `openssl ts` cannot check Ed25519 in a token.
      algorithm: P256,
      extendedUsage: timeStamping,
    },
    'manifest-timestamps': {
      name: 'Development time-stamps of manifests',
      serialNumber: '04',
      // C2PA readers verify Ed25519 several times as fast, and each creation waits for one.
      algorithm: ED25519,
      extendedUsage: timeStamping,
    },
  };
  const files: Record<string, string> = { 'authority.pem': `${authority.certificatePem}\n` };
  for (const [file, certificate] of Object.entries(issued)) {
    const { certificatePem, keyPem } = await authority.issue({ ...certificate, usage });
    files[`${file}.pem`] = `${certificatePem}\n`;
    files[`${file}.key`] = keyPem;
  }
  return files;
}
