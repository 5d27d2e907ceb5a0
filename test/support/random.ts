// Random values for tests. They follow from the seed of the run (`--seed`) and the test file, so that a run can be repeated;
// no two files get the same ones.

import { createCipheriv, createHash } from 'node:crypto';
import { expect } from 'vitest';

/** The seed of `scripts/testOptions.mjs`, for vitest when it is started directly. */
const DEFAULT_SEED = 20_261_118;

/** The seed of the run. */
export const seed = Number(process.env['TEST_SEED'] ?? DEFAULT_SEED);

/** Number of values so far. */
let count = 0;

export function randomBytes(length: number): Buffer<ArrayBuffer> {
  // A cipher's key stream, because some tests need many megabytes.
  return createCipheriv('aes-256-ctr', nextKey(), Buffer.alloc(16)).update(Buffer.alloc(length));
}

export function randomUUID(): `${string}-${string}-${string}-${string}-${string}` {
  const bytes = randomBytes(16);
  // Version 4, variant 1.
  bytes[6] = 0x40 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns a number of at least 0 and less than `limit`. */
export function randomInt(limit: number): number {
  return Number(randomBytes(8).readBigUInt64BE() % BigInt(limit));
}

function nextKey(): Buffer {
  count += 1;
  return createHash('sha256').update(`${seed} ${expect.getState().testPath} ${count}`).digest();
}
