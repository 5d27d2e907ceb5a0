// The manifest of a file that contains it: its size must be known before the file, and with it the manifest, is signed.

import {
  buildManifestStore,
  type ManifestContent,
  measureManifestStore,
  type Signing,
} from '../manifest/manifestStore.js';
import type { BuildStore } from './embedStore.js';

/** ECDSA signatures in time-stamps vary by a few bytes. */
const TOKEN_SLACK_BYTES = 32;
/** Headers and lengths around certificates, signature and token. */
const OVERHEAD_BYTES = 64;
const CERTIFICATE_OVERHEAD_BYTES = 8;

const knownSizes = new WeakMap<Signing, Promise<number>>();

/** @param describe returns the content of the manifest with this hard binding, in CBOR */
export async function prepareEmbeddedManifest(
  describe: (hardBinding: Uint8Array) => ManifestContent,
  signing: Signing,
): Promise<{ storeSize: number; buildStore: BuildStore }> {
  const signatureSize = await measureSignatureSize(signing);
  const describeSized = (hardBinding: Uint8Array) => ({ ...describe(hardBinding), signatureSize });
  return {
    storeSize: measureManifestStore(describeSized(new Uint8Array()), signing),
    buildStore: (hardBinding) => buildManifestStore(describeSized(hardBinding), signing),
  };
}

/** Returns the bytes of a signature with its time-stamp; measured once for each signer. */
export function measureSignatureSize(signing: Signing): Promise<number> {
  const size = knownSizes.get(signing) ?? signProbe(signing);
  knownSizes.set(signing, size);
  size.catch(() => knownSizes.delete(signing));
  return size;
}

async function signProbe({ signer, timestamper }: Signing): Promise<number> {
  const probe = Buffer.from('probe');
  const [signature, token] = await Promise.all([signer.sign(probe), timestamper.stamp(probe)]);
  const certificates = signer.certificates.reduce(
    (sum, certificate) => sum + certificate.length + CERTIFICATE_OVERHEAD_BYTES,
    0,
  );
  return signature.length + token.length + certificates + TOKEN_SLACK_BYTES + OVERHEAD_BYTES;
}
