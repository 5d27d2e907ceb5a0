// Verifier keys of signed notes, of the two kinds that this project uses: a log's Ed25519 key and a witness's.

import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex } from '@noble/hashes/utils';
import { concatBytes, decodeBase64, encodeBase64, encodeUtf8 } from '../encoding.js';
import { LogFormatError } from '../errors.js';
import { encodeKeyId, isKeyName } from './note.js';

/** The type of a signature and of its key: a log's, and a timestamped cosignature (c2sp.org/tlog-cosignature). */
const SIGNATURE_TYPE = { log: 0x01, cosignature: 0x04 } as const;
export type KeyKind = keyof typeof SIGNATURE_TYPE;

export interface VerifierKey {
  readonly name: string;
  readonly keyId: number;
  readonly kind: KeyKind;
  /** Ed25519. */
  readonly publicKey: Uint8Array;
}

const PUBLIC_KEY_BYTES = 32;
/** Base64 contains plus signs too: only the first two separate. */
const verifierKeyForm = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/;
const MAX_KEY_LENGTH = 1_000;

export function createVerifierKey(name: string, kind: KeyKind, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new LogFormatError('The name of a key is empty, or has a space or a plus sign.');
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new LogFormatError('An Ed25519 key does not have 32 bytes.');
  const hash = sha256(concatBytes([encodeUtf8(`${name}\n`), Uint8Array.of(SIGNATURE_TYPE[kind]), publicKey]));
  return { name, keyId: new DataView(hash.buffer, hash.byteOffset).getUint32(0), kind, publicKey };
}

/** @throws LogFormatError */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name = '', id, base64 = ''] = text.length > MAX_KEY_LENGTH ? [] : (verifierKeyForm.exec(text) ?? []);
  const [type, ...publicKey] = decodeBase64(base64);
  const kind = type === SIGNATURE_TYPE.log ? 'log' : type === SIGNATURE_TYPE.cosignature ? 'cosignature' : undefined;
  if (!kind) throw new LogFormatError('This is not a verifier key of a kind that is known here.');
  const key = createVerifierKey(name, kind, Uint8Array.from(publicKey));
  if (formatVerifierKey(key) !== text) throw new LogFormatError(`The verifier key does not have the id ${id}.`);
  return key;
}

export function formatVerifierKey({ name, keyId, kind, publicKey }: VerifierKey): string {
  const typed = concatBytes([Uint8Array.of(SIGNATURE_TYPE[kind]), publicKey]);
  return `${name}+${bytesToHex(encodeKeyId(keyId))}+${encodeBase64(typed)}`;
}
