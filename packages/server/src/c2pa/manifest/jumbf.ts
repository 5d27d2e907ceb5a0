// Writes JUMBF, the box format of manifest stores.

import { createHash } from 'node:crypto';

/** The UUID of a C2PA box type is its four letters followed by these bytes. */
const UUID_TAIL = Buffer.from('00110010800000aa00389b71', 'hex');
/** Requestable, and with a label. */
const TOGGLES = 3;
const HEADER_BYTES = 8;

type SuperboxKind = 'c2pa' | 'c2ma' | 'c2as' | 'c2cl' | 'c2cs' | 'cbor' | 'json';

export function box(type: string, ...parts: Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, HEADER_BYTES));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...parts]);
}

export function superbox(kind: SuperboxKind, label: string, ...children: Uint8Array[]): Buffer {
  const uuid = [Buffer.from(kind, 'latin1'), UUID_TAIL];
  const description = box('jumd', ...uuid, Buffer.from([TOGGLES]), Buffer.from(`${label}\0`));
  return box('jumb', description, ...children);
}

export interface HashedUri {
  readonly url: string;
  readonly hash: Uint8Array;
}

/** A reference to a superbox. The hash covers the superbox without its header. */
export function hashedUri(url: string, target: Uint8Array): HashedUri {
  return { url, hash: createHash('sha256').update(target.subarray(HEADER_BYTES)).digest() };
}
