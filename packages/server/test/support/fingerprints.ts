// Compares codes of media.

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
