// The size of a signature, for files whose manifest must know its own size before it is signed.

import type { Signing } from '../manifest/manifestStore.js';

/** ECDSA signatures in time-stamps vary by a few bytes. */
const TOKEN_SLACK_BYTES = 32;
/** Headers and lengths around certificates, signature and token. */
const OVERHEAD_BYTES = 64;
const CERTIFICATE_OVERHEAD_BYTES = 8;

const knownSizes = new WeakMap<Signing, Promise<number>>();

/** Of a signature with its time-stamp, in bytes; measured once for each signer. */
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
