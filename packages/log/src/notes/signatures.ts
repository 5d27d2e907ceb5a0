// Ed25519 signatures of logs and cosignatures of witnesses. The platform verifies them; the signer is passed in.

import { concatBytes, encodeUtf8 } from '../encoding.js';
import { LogFormatError, SignatureUnsupportedError } from '../errors.js';
import type { VerifierKey } from './keys.js';
import type { NoteSignature } from './note.js';

/** A key with what signs for it: a function, so that the key itself can stay where it is. */
export interface NoteSigner {
  readonly key: VerifierKey;
  readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;
}

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** Signs as a log. Ed25519 gives the same signature each time. */
export async function signNote(text: string, { key, sign }: NoteSigner): Promise<NoteSignature> {
  if (key.kind !== 'log') throw new LogFormatError('This key signs with the time only.');
  return { name: key.name, keyId: key.keyId, signature: await sign(encodeUtf8(text)) };
}

/** Signs as a witness that has seen the checkpoint at that time, in seconds since 1970. */
export async function cosignNote(text: string, time: number, { key, sign }: NoteSigner): Promise<NoteSignature> {
  if (key.kind !== 'cosignature') throw new LogFormatError('This key signs without a time.');
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  const signature = concatBytes([bytes, await sign(cosignedMessage(text, time))]);
  return { name: key.name, keyId: key.keyId, signature };
}

/** What a valid signature says: nothing more, or when a witness made it, in seconds since 1970. */
export interface CheckedSignature {
  readonly time?: number;
}

/**
 * Verifies the signature of a key. Undefined if it is not valid.
 * @throws SignatureUnsupportedError where the platform has no Ed25519
 */
export async function checkSignature(
  text: string,
  key: VerifierKey,
  signature: Uint8Array,
): Promise<CheckedSignature | undefined> {
  if (key.kind === 'log') return (await isValid(encodeUtf8(text), key, signature)) ? {} : undefined;
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(time)) return undefined;
  return (await isValid(cosignedMessage(text, time), key, signature.subarray(TIME_BYTES))) ? { time } : undefined;
}

function cosignedMessage(text: string, time: number): Uint8Array<ArrayBuffer> {
  return encodeUtf8(`cosignature/v1\ntime ${time}\n${text}`);
}

async function isValid(message: Uint8Array<ArrayBuffer>, { publicKey }: VerifierKey, signature: Uint8Array) {
  if (signature.length !== SIGNATURE_BYTES) return false;
  // Missing in pages that were not loaded by HTTPS.
  const { subtle }: { readonly subtle?: SubtleCrypto } = globalThis.crypto;
  if (!subtle)
    throw new SignatureUnsupportedError('Signatures can only be checked in a page that was loaded by HTTPS.');
  let imported: CryptoKey;
  try {
    imported = await subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  } catch {
    throw new SignatureUnsupportedError('This platform cannot check Ed25519 signatures.');
  }
  return subtle.verify('Ed25519', imported, new Uint8Array(signature), message);
}
