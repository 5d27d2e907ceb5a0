// How many bytes a signature takes up, for files whose manifest must know its own size before it is signed.

import type { Signing } from './manifestStore.js';

/** ECDSA signatures in time-stamps vary by a few bytes. */
const TOKEN_SLACK = 32;
/** Headers and lengths around certificates, signature and token. */
const FRAME = 64;
const FRAME_OF_CERTIFICATE = 8;

const rooms = new WeakMap<Signing, Promise<number>>();

/** Measured once: what a signature and a time-stamp of this signer and authority take up. */
export function measureSignatureSize(signing: Signing): Promise<number> {
  const known = rooms.get(signing) ?? measureRoom(signing);
  rooms.set(signing, known);
  known.catch(() => rooms.delete(signing));
  return known;
}

async function measureRoom({ signer, timestamper }: Signing): Promise<number> {
  const probe = Buffer.from('probe');
  const [signature, token] = await Promise.all([signer.sign(probe), timestamper.stamp(probe)]);
  const certificates = signer.certificates.reduce(
    (sum, certificate) => sum + certificate.length + FRAME_OF_CERTIFICATE,
    0,
  );
  return signature.length + token.length + certificates + TOKEN_SLACK + FRAME;
}
