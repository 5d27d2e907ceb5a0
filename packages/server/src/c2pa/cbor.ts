// CBOR as C2PA requires it: definite lengths, untagged byte strings, plain maps.

import { Decoder, Encoder } from 'cbor-x';

const encoder = new Encoder({ useRecords: false, variableMapSize: true, tagUint8Array: false });
const decoder = new Decoder({ mapsAsObjects: true });

/** Returns a copy, because the encoder reuses its buffer. */
export function encodeCbor(value: unknown): Buffer {
  return Buffer.from(encoder.encode(value));
}

export function decodeCbor(bytes: Uint8Array): unknown {
  return decoder.decode(bytes);
}
