// SHA-256 of an upload: the same digest however the bytes are split and however many files arrive at once.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { randomBytes } from '../../../../test/support/random.js';
import type { HashJobs } from '../../src/http/uploads/hashWorker.js';
import { StreamingHash } from '../../src/http/uploads/streamingHash.js';
import { WorkerPool, workerFile } from '../../src/workers/pool.js';

const KIB = 1024;

async function hashInChunks(bytes: Uint8Array, chunkBytes: number): Promise<string> {
  const hash = new StreamingHash();
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    await hash.update(bytes.subarray(offset, offset + chunkBytes));
  }
  return Buffer.from(await hash.digest()).toString('hex');
}

function hashAtOnce(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('the hash of an upload', () => {
  for (const size of [0, 1, 512 * KIB - 1, 512 * KIB, 512 * KIB + 1, 1024 * KIB, 5_000_007]) {
    it(`is that of its ${size} bytes, in chunks of any size`, async () => {
      const bytes = randomBytes(size);
      for (const chunkBytes of [999, 64 * KIB, 512 * KIB, 2_000_003]) {
        expect(await hashInChunks(bytes, chunkBytes)).toBe(hashAtOnce(bytes));
      }
    });
  }

  it('is right for each of many simultaneous uploads, some of which are abandoned', async () => {
    const files = Array.from({ length: 12 }, (_, index) => randomBytes(300_000 * (index + 1)));
    const abandoned = Array.from({ length: 5 }, async () => {
      const hash = new StreamingHash();
      await hash.update(randomBytes(1_500_000));
      hash.abandon();
    });
    const digests = await Promise.all(files.map((bytes) => hashInChunks(bytes, 70_000)));
    await Promise.all(abandoned);
    expect(digests).toEqual(files.map(hashAtOnce));
  });

  it('fails instead of being wrong when the worker that knew the first blocks has crashed', async () => {
    const pool = new WorkerPool<HashJobs>({
      file: workerFile('hashWorker'),
      maxWorkers: 1,
      jobTimeoutMs: 30_000,
      maxQueuedJobs: 10,
    });
    const block = new ArrayBuffer(8);
    const laterBlock = pool.run('update', { stream: 1, isFirst: false, block, length: 8 }, { transferList: [block] });
    await expect(laterBlock).rejects.toThrow('the hash of this upload was lost');
    await expect(pool.run('digest', 1)).rejects.toThrow('the hash of this upload was lost');
    await pool.close();
  });
});
