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
const SIMPLE = 7;
/** Simple values. True follows. */
const FALSE = 20;
const NULL = 22;

/** Of the text and byte strings of a manifest, mostly; grows when that is not enough. */
const INITIAL_BYTES = 16_384;
const MAX_HEAD_BYTES = 9;

/** Reused by all calls, because small buffers cost more than what is written into them. `used`: by the calls under way. */
let scratch = Buffer.allocUnsafe(INITIAL_BYTES);
let used = 0;

/**
 * Encodes null, booleans, integers, texts, byte strings, arrays, and objects or Maps. Objects have texts as keys; entries
 * without a value are left out.
 */
export function encodeCbor(value: unknown): Buffer {
  const start = used;
  try {
    write(value);
    return Buffer.from(scratch.subarray(start, used));
  } finally {
    used = start;
  }
}

export function decodeCbor(bytes: Uint8Array): unknown {
  return decoder.decode(bytes);
}

function write(value: unknown): void {
  if (value === null) writeHead(SIMPLE, NULL);
  else if (typeof value === 'boolean') writeHead(SIMPLE, FALSE + Number(value));
  else if (typeof value === 'number') writeInteger(value);
  else if (typeof value === 'string') {
    writeHead(TEXT, Buffer.byteLength(value));
    used += scratch.write(value, used);
  } else if (value instanceof Uint8Array) {
    writeHead(BYTES, value.length);
    scratch.set(value, used);
    used += value.length;
  } else if (Array.isArray(value)) {
    writeHead(ARRAY, value.length);
    for (const item of value) write(item);
  } else if (value instanceof Map) writeMap([...value]);
  else if (typeof value === 'object') writeMap(Object.entries(value));
  else throw new TypeError(`CBOR has no ${typeof value}`);
}

function writeMap(entries: readonly (readonly [unknown, unknown])[]): void {
  const encoded = entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key: encodeCbor(key), value }))
    .sort((one, other) => Buffer.compare(one.key, other.key));
  writeHead(MAP, encoded.length);
  for (const { key, value } of encoded) {
    reserve(key.length);
    used += key.copy(scratch, used);
    write(value);
  }
}

function writeInteger(value: number): void {
  if (!Number.isSafeInteger(value)) throw new TypeError('only integers are encoded');
  if (value < 0) writeHead(NEGATIVE, -1 - value);
  else writeHead(UNSIGNED, value);
}

/** The kind and a number, in the shortest form. Makes room for as many bytes, which follow after that of a string. */
function writeHead(kind: number, value: number): void {
  reserve(MAX_HEAD_BYTES + (kind === TEXT || kind === BYTES ? value : 0));
  const first = kind << 5;
  if (value < 24) used = scratch.writeUInt8(first | value, used);
  else if (value < 0x100) used = scratch.writeUInt16BE(((first | 24) << 8) | value, used);
  else {
    const size = value < 0x1_0000 ? 2 : value < 0x1_0000_0000 ? 4 : 8;
    used = scratch.writeUInt8(first | (24 + Math.log2(size)), used);
    used = size === 8 ? scratch.writeBigUInt64BE(BigInt(value), used) : scratch.writeUIntBE(value, used, size);
  }
}

function reserve(bytes: number): void {
  if (used + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe(2 * (used + bytes));
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
}
