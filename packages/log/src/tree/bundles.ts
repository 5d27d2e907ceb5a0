// Entry bundles of c2sp.org/tlog-tiles: up to 256 entries, each after its length in two bytes.

import { concatBytes } from '../encoding.js';
import { LogFormatError } from '../errors.js';
import { MAX_LEAF_BYTES } from '../leaves/leaf.js';
import { TILE_WIDTH } from './tiles.js';

const LENGTH_BYTES = 2;
/** The largest length that two bytes can state. */
const MAX_ENTRY_BYTES = 0xffff;
/** A complete bundle of the largest leaves. */
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (LENGTH_BYTES + MAX_LEAF_BYTES);

export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return concatBytes(
    entries.flatMap((entry) => {
      if (entry.length > MAX_ENTRY_BYTES) throw new LogFormatError('An entry has more than 65,535 bytes.');
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );
}

/** @throws LogFormatError unless it has exactly that many entries and nothing else */
export function decodeBundle(bytes: Uint8Array, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const [high = 0, low] = bytes.subarray(offset, offset + LENGTH_BYTES);
    const start = offset + LENGTH_BYTES;
    offset = start + high * 256 + (low ?? 0);
    if (low === undefined || offset > bytes.length) throw new LogFormatError('The last entry of a bundle is cut off.');
    entries.push(bytes.subarray(start, offset));
  }
  if (entries.length !== width) throw new LogFormatError('A bundle does not have the number of entries of its path.');
  return entries;
}
