// Inputs of jobs that are too large to be sent at once: files. Their bytes are sent in pieces, before the rest of the input.

import type { InputPiece } from './jobs.js';

/** Copied in a millisecond. */
const PIECE_BYTES = 1_048_576;

type LargeField = readonly [field: string, bytes: Uint8Array];

/** Fields of the input with many bytes. */
export function findLargeFields(input: unknown): LargeField[] {
  return Object.entries(Object(input)).filter(isLarge);
}

function isLarge(entry: [string, unknown]): entry is [string, Uint8Array] {
  return entry[1] instanceof Uint8Array && entry[1].length > PIECE_BYTES;
}

/** Their pieces, each a copy that is made when it is needed. */
export function* cutFields(id: number, fields: readonly LargeField[]): Generator<() => InputPiece> {
  for (const [field, bytes] of fields) {
    for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
      yield () => ({
        ...{ id, field, offset, totalBytes: bytes.length },
        piece: new Uint8Array(bytes.subarray(offset, offset + PIECE_BYTES)),
      });
    }
  }
}

export function omitFields(input: unknown, fields: readonly LargeField[]): unknown {
  const names = fields.map(([name]) => name);
  return Object.fromEntries(Object.entries(Object(input)).filter(([name]) => !names.includes(name)));
}
