// CBOR as C2PA wants it: definite lengths, byte strings without tags, plain maps.

import { Decoder, Encoder } from 'cbor-x';

const encoder = new Encoder({ useRecords: false, variableMapSize: true, tagUint8Array: false });
const decoder = new Decoder({ mapsAsObjects: true });

/** A copy: the encoder uses its buffer again. */
export function encodeCbor(value: unknown): Buffer {
  return Buffer.from(encoder.encode(value));
}

export function decodeCbor(bytes: Uint8Array): unknown {
  return decoder.decode(bytes);
}
