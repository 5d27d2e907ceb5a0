// CBOR as C2PA requires it, in the deterministic encoding of RFC 8949: shortest forms, definite lengths, and the keys of
// maps in the order of their encoded bytes.

import { Decoder } from 'cbor-x';

const decoder = new Decoder({ mapsAsObjects: true });

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;

/**
 * Encodes null, booleans, integers, texts, byte strings, arrays, and objects or Maps. Objects have texts as keys; entries
 * without a value are left out.
 */
export function encodeCbor(value: unknown): Buffer {
  const parts: Uint8Array[] = [];
  write(value, parts);
  return Buffer.concat(parts);
}

export function decodeCbor(bytes: Uint8Array): unknown {
  return decoder.decode(bytes);
}

function write(value: unknown, parts: Uint8Array[]): void {
  if (value === null || typeof value === 'boolean') parts.push(simple(value));
  else if (typeof value === 'number') parts.push(integer(value));
  else if (typeof value === 'string') writeBytes(TEXT, Buffer.from(value), parts);
  else if (value instanceof Uint8Array) writeBytes(BYTES, value, parts);
  else if (Array.isArray(value)) {
    parts.push(head(ARRAY, value.length));
    for (const item of value) write(item, parts);
  } else if (value instanceof Map) writeMap([...value], parts);
  else if (typeof value === 'object') writeMap(Object.entries(value), parts);
  else throw new TypeError(`CBOR has no ${typeof value}`);
}

function writeMap(entries: readonly (readonly [unknown, unknown])[], parts: Uint8Array[]): void {
  const encoded = entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key: encodeCbor(key), value }))
    .sort((one, other) => Buffer.compare(one.key, other.key));
  parts.push(head(MAP, encoded.length));
  for (const { key, value } of encoded) {
    parts.push(key);
    write(value, parts);
  }
}

function writeBytes(kind: number, bytes: Uint8Array, parts: Uint8Array[]): void {
  parts.push(head(kind, bytes.length), bytes);
}

function simple(value: boolean | null): Buffer {
  return Buffer.from([value === null ? 0xf6 : value ? 0xf5 : 0xf4]);
}

function integer(value: number): Buffer {
  if (!Number.isSafeInteger(value)) throw new TypeError('only integers are encoded');
  return value < 0 ? head(NEGATIVE, -1 - value) : head(UNSIGNED, value);
}

/** The kind and a number, in the shortest form. */
function head(kind: number, value: number): Buffer {
  const first = kind << 5;
  if (value < 24) return Buffer.from([first | value]);
  const size = value < 0x100 ? 1 : value < 0x1_0000 ? 2 : value < 0x1_0000_0000 ? 4 : 8;
  const bytes = Buffer.alloc(1 + size);
  bytes.writeUInt8(first | (24 + Math.log2(size)), 0);
  if (size === 8) bytes.writeBigUInt64BE(BigInt(value), 1);
  else bytes.writeUIntBE(value, 1, size);
  return bytes;
}
