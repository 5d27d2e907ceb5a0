// CBOR as C2PA requires it, in the deterministic encoding of RFC 8949: shortest forms, definite lengths, and the keys of
// maps in the order of their encoded bytes.

import { decode, encode, rfc8949EncodeOptions, Tagged } from 'cborg';

/** The tag of a COSE_Sign1, the only one in our manifests. */
const SIGN1_TAG = 18;
/** Dates, large numbers, COSE and encodings have tags below it. Signatures of others may contain them. */
const MAX_TAGS = 64;
const encodeOptions = { ...rfc8949EncodeOptions, ignoreUndefinedProperties: true };
/** Maps, because the headers of COSE have numbers as keys. */
const decodeOptions = { useMaps: true, tags: Tagged.preserve(...Array(MAX_TAGS).keys()) };

/** Encodes plain values, byte strings and Maps. Properties of objects without a value are left out. */
export function encodeCbor(value: unknown): Buffer {
  return toBuffer(encode(value, encodeOptions));
}

/** Encodes the parts of a COSE_Sign1: protected and unprotected header, payload, signature. */
export function encodeSign1(...parts: readonly [Uint8Array, object, Uint8Array | null, Uint8Array]): Buffer {
  return encodeCbor(new Tagged(SIGN1_TAG, parts));
}

/** Decodes maps as objects, and a tagged value, such as a COSE_Sign1, as the property `value` of one. */
export function decodeCbor(bytes: Uint8Array): unknown {
  return toObjects(decode(bytes, decodeOptions));
}

function toObjects(value: unknown): unknown {
  if (value instanceof Tagged) return new Tagged(value.tag, toObjects(value.value));
  if (value instanceof Uint8Array) return toBuffer(value);
  if (Array.isArray(value)) return value.map(toObjects);
  return value instanceof Map
    ? Object.fromEntries([...value].map(([key, item]) => [String(key), toObjects(item)]))
    : value;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
