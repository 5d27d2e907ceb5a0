// JUMBF: the boxes that a manifest store is made of, written and taken apart.

import { createHash } from 'node:crypto';

/** Every kind of box in C2PA has a UUID that begins with its four letters and ends in these bytes. */
const UUID_TAIL = Buffer.from('00110010800000aa00389b71', 'hex');
/** The label can be requested, and there is one. */
const TOGGLES = 3;
const HEADER_BYTES = 8;
/** In a superbox: its header, the description box's header, the UUID and the toggles stand before the label. */
const LABEL_OFFSET = HEADER_BYTES + HEADER_BYTES + 16 + 1;

export type SuperboxKind = 'c2pa' | 'c2ma' | 'c2as' | 'c2cl' | 'c2cs' | 'cbor' | 'json';

function box(type: string, ...parts: Uint8Array[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, HEADER_BYTES));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...parts]);
}

export function superbox(kind: SuperboxKind, label: string, ...children: Uint8Array[]): Buffer {
  const description = box(
    'jumd',
    Buffer.from(kind, 'latin1'),
    UUID_TAIL,
    Buffer.from([TOGGLES]),
    Buffer.from(`${label}\0`),
  );
  return box('jumb', description, ...children);
}

export function cborBox(content: Uint8Array): Buffer {
  return box('cbor', content);
}

export function jsonBox(content: unknown): Buffer {
  return box('json', Buffer.from(JSON.stringify(content)));
}

export interface HashedUri {
  readonly url: string;
  readonly hash: Uint8Array;
}

/** A reference to a superbox. What is hashed is the superbox without its header. */
export function hashedUri(url: string, target: Uint8Array): HashedUri {
  return { url, hash: createHash('sha256').update(target.subarray(HEADER_BYTES)).digest() };
}

/** The superboxes directly inside a superbox, in their order. Throws on bytes that are not one. */
export function childrenOf(parent: Buffer): Buffer[] {
  const children: Buffer[] = [];
  for (let offset = HEADER_BYTES; offset < parent.length; ) {
    const length = parent.readUInt32BE(offset);
    if (length < HEADER_BYTES || offset + length > parent.length) throw new Error('a JUMBF box has a wrong length');
    const child = parent.subarray(offset, offset + length);
    if (typeOf(child) === 'jumb') children.push(child);
    offset += length;
  }
  return children;
}

export function childOf(parent: Buffer, label: string): Buffer {
  const child = childrenOf(parent).find((candidate) => labelOf(candidate) === label);
  if (!child) throw new Error(`there is no JUMBF box ${label}`);
  return child;
}

export function labelOf(parent: Buffer): string {
  return parent.toString('utf8', LABEL_OFFSET, parent.indexOf(0, LABEL_OFFSET));
}

/** What the first content box of a superbox holds. */
export function contentOf(parent: Buffer): Buffer {
  const start = HEADER_BYTES + parent.readUInt32BE(HEADER_BYTES);
  return parent.subarray(start + HEADER_BYTES, start + parent.readUInt32BE(start));
}

function typeOf(bytes: Buffer): string {
  return bytes.toString('latin1', 4, 8);
}
