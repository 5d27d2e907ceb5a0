// Writes and reads JUMBF, the box format of manifest stores.

import { createHash } from 'node:crypto';

/** The UUID of a C2PA box type is its four letters followed by these bytes. */
const UUID_TAIL = Buffer.from('00110010800000aa00389b71', 'hex');
/** Requestable, and with a label. */
const TOGGLES = 3;
const HEADER_BYTES = 8;
/** The label follows the superbox's header, the description box's header, the UUID and the toggles. */
const LABEL_OFFSET = HEADER_BYTES + HEADER_BYTES + 16 + 1;

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

/** The superboxes directly inside a superbox, in order. Throws if the bytes are not a superbox. */
export function childrenOf(parent: Buffer): Buffer[] {
  const children: Buffer[] = [];
  for (let offset = HEADER_BYTES; offset < parent.length; ) {
    const length = parent.readUInt32BE(offset);
    if (length < HEADER_BYTES || offset + length > parent.length) throw new Error('a JUMBF box has an invalid length');
    const child = parent.subarray(offset, offset + length);
    if (child.toString('latin1', 4, HEADER_BYTES) === 'jumb') children.push(child);
    offset += length;
  }
  return children;
}

export function childOf(parent: Buffer, label: string): Buffer {
  const child = childrenOf(parent).find((candidate) => labelOf(candidate) === label);
  if (!child) throw new Error(`missing JUMBF box ${label}`);
  return child;
}

export function labelOf(parent: Buffer): string {
  return parent.toString('utf8', LABEL_OFFSET, parent.indexOf(0, LABEL_OFFSET));
}

/** The content of a superbox's first content box. */
export function contentOf(parent: Buffer): Buffer {
  const start = HEADER_BYTES + parent.readUInt32BE(HEADER_BYTES);
  return parent.subarray(start + HEADER_BYTES, start + parent.readUInt32BE(start));
}
