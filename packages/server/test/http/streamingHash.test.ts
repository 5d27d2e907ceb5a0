// Hashing what arrives: the same digest, however the bytes are cut and however many files come at once.

import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StreamingHash } from '../../src/http/streamingHash.js';

const KILOBYTE = 1024;

async function hashed(bytes: Uint8Array, chunkBytes: number): Promise<string> {
  const hash = new StreamingHash();
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    await hash.update(bytes.subarray(offset, offset + chunkBytes));
  }
  return Buffer.from(await hash.digest()).toString('hex');
}

function expected(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('the hash of a file that arrives', () => {
  for (const size of [0, 1, 512 * KILOBYTE - 1, 512 * KILOBYTE, 512 * KILOBYTE + 1, 1024 * KILOBYTE, 5_000_007]) {
    it(`is that of its ${size} bytes, in chunks of any size`, async () => {
      const bytes = randomBytes(size);
      for (const chunkBytes of [999, 64 * KILOBYTE, 512 * KILOBYTE, 2_000_003]) {
        expect(await hashed(bytes, chunkBytes)).toBe(expected(bytes));
      }
    });
  }

  it('is its own when many arrive at once, and some never end', async () => {
    const files = Array.from({ length: 12 }, (_, index) => randomBytes(300_000 * (index + 1)));
    const given = Array.from({ length: 5 }, async () => {
      const hash = new StreamingHash();
      await hash.update(randomBytes(1_500_000));
      hash.abandon();
    });
    const digests = await Promise.all(files.map((bytes) => hashed(bytes, 70_000)));
    await Promise.all(given);
    expect(digests).toEqual(files.map(expected));
  });
});
