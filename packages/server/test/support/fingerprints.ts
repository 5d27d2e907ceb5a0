// Compares codes of media, and writes Chromaprints.

import { expect } from 'vitest';

/** The largest share of different bits between two encodings of the same sound. */
export const MAX_BIT_DIFFERENCE = 0.05;

export function countDifferentBits(a: number | bigint, b: number | bigint): number {
  return (BigInt(a) ^ BigInt(b)).toString(2).replaceAll('0', '').length;
}

export function shareOfDifferentBits(one: Uint32Array, two: Uint32Array): number {
  expect(one.length).toBe(two.length);
  const apart = one.reduce((sum, item, index) => sum + countDifferentBits(item, two[index] ?? 0), 0);
  return apart / (one.length * 32);
}

/** Compresses items as Chromaprint does: see `decodeChromaprint`. */
export function encodeChromaprint(items: Uint32Array): string {
  const distances: number[] = [];
  const excesses: number[] = [];
  let previous = 0;
  for (const item of items) {
    let last = -1;
    for (let bit = 0; bit < 32; bit += 1) {
      if ((((item ^ previous) >>> bit) & 1) === 0) continue;
      distances.push(Math.min(bit - last, 7));
      if (bit - last >= 7) excesses.push(bit - last - 7);
      last = bit;
    }
    distances.push(0);
    previous = item;
  }
  const header = [1, items.length >> 16, (items.length >> 8) & 0xff, items.length & 0xff];
  return Buffer.from([...header, ...packBits(distances, 3), ...packBits(excesses, 5)]).toString('base64url');
}

function packBits(values: readonly number[], width: number): number[] {
  const bits = values.flatMap((value) => Array.from({ length: width }, (_, bit) => (value >> bit) & 1));
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) =>
    bits.slice(byte * 8, byte * 8 + 8).reduce((sum, bit, place) => sum + (bit << place), 0),
  );
}
