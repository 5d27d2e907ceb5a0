// Keys for tests, made from the hash of a text.

import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { createVerifierKey, type KeyKind, type NoteSigner } from '../../src/index.js';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function createSigner(name: string, kind: KeyKind, seed: string): NoteSigner {
  const pkcs8 = Buffer.concat([PKCS8_PREFIX, hash('sha256', seed, 'buffer')]);
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return {
    key: createVerifierKey(name, kind, rawPublicKey(privateKey)),
    sign: (message) => sign(null, message, privateKey),
  };
}

function rawPublicKey(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}
