// Compares media fingerprints and decodes compressed Chromaprint text.

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

/**
 * Undoes Chromaprint's compression: after a head of four bytes come, for each item, the distances between the bits in
 * which it differs from the one before, three bits each and 0 at the end; what 7 or more exceeds 7 by follows in five.
 */
export function decodeChromaprint(text: string): Uint32Array {
  const bytes = Buffer.from(text, 'base64url');
  const count = bytes.readUIntBE(1, 3);
  /** In bits, the lowest of each byte first. */
  let at = 32;
  const take = (width: number) => {
    let value = 0;
    for (let bit = 0; bit < width; bit += 1, at += 1) value |= (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) << bit;
    return value;
  };

  const distances: number[][] = [];
  while (distances.length < count) {
    const item = [];
    for (let distance = take(3); distance !== 0; distance = take(3)) item.push(distance);
    distances.push(item);
  }
  at = Math.ceil(at / 8) * 8;
  let before = 0;
  return Uint32Array.from(distances, (item) => {
    let bit = -1;
    for (const distance of item) {
      bit += distance === 7 ? 7 + take(5) : distance;
      before ^= 1 << bit;
    }
    return before;
  });
}
