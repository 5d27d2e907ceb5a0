// The keys of the public log. They are in a file and never in the database: a copy of the database alone cannot sign.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  createVerifierKey,
  decodeUtf8,
  encodeLeaf,
  formatPolicy,
  formatVerifierKey,
  type NoteSigner,
} from '@provenance-registry/log';
import type { LogKeys } from '../domain/ports/index.js';

export function generateLogKey(): string {
  return String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** Throws with the reason when the file has something else than private Ed25519 keys. The first one is the current one. */
export function readLogKeys(pem: string): KeyObject[] {
  const blocks = pem.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length === 0) throw new Error('it has no key');
  const keys = blocks.map((block) => createPrivateKey(block));
  if (keys.some(({ asymmetricKeyType }) => asymmetricKeyType !== 'ed25519')) {
    throw new Error('a key in it is not an Ed25519 key');
  }
  return keys;
}

/** The keys as signers of the log of this name. */
export function createLogSigners(origin: string, keys: readonly KeyObject[]): NoteSigner[] {
  return keys.map((key) => ({
    key: createVerifierKey(
      origin,
      'log',
      Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url'),
    ),
    sign: (message) => sign(null, message, key),
  }));
}

export function describeSigner({ key }: NoteSigner): string {
  return formatVerifierKey(key);
}

/** The leaf that says which key signs from there on. */
export function formatKeysLeaf({ vkey, signers }: LogKeys, time: Date): string {
  const content = { log: vkey, signers: [...signers], time: time.toISOString() };
  return decodeUtf8(encodeLeaf({ kind: 'keys', content }));
}

/** What the registry says of its log: its keys, and the lines of its witnesses, if it has any. */
export function statePolicy(keys: readonly string[], witnesses: string | undefined): string {
  return witnesses === undefined ? formatPolicy(keys) : keys.map((key) => `log ${key}\n`).join('') + witnesses;
}

/** Host and path of the log's address. */
export function originOf(baseUrl: string): string {
  return `${baseUrl.replace(/^[a-z]+:\/\//, '')}/log`;
}
