// SHA-256 of files of any size, in flat memory.

import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Hashed, HashOptions } from '../hashing.js';

/** Large enough that the way into the system costs nothing; a file under way has two of them in memory. */
const READ_BYTES = 1024 * 1024;

/** As much as a pipe holds. */
const PIPE_BYTES = 64 * 1024;

/** The file was written to while it was read: the fingerprint would be of something that never was. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** A path as bytes is for names that are not UTF-8. */
export async function hashFile(path: string | Buffer, options: HashOptions = {}): Promise<Hashed> {
  options.signal?.throwIfAborted();
  const file = await open(path, 'r');
  try {
    const before = await file.stat({ bigint: true });
    const hashed = await hashChunks(chunksOf(file, Number(before.size)), options, Number(before.size));
    const after = await file.stat({ bigint: true });
    if (hasChanged(before, after, hashed.size)) throw new FileChanged(`${path} was changed while it was read.`);
    return hashed;
  } finally {
    await file.close();
  }
}

export function hashStream(stream: AsyncIterable<Uint8Array>, options: HashOptions = {}): Promise<Hashed> {
  return hashChunks(stream, options);
}

async function hashChunks(
  chunks: AsyncIterable<Uint8Array>,
  { onProgress, signal }: HashOptions,
  total?: number,
): Promise<Hashed> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.length;
    onProgress?.({ bytes, total });
  }
  signal?.throwIfAborted();
  // Written here rather than by core, whose schemas take longer to load than a small file to hash.
  return { fingerprint: `0x${hash.digest('hex')}`, size: bytes };
}

/** While one chunk is hashed, the next one is read. */
async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  // Small files need no large buffers; the one byte more finds their end at once. What tells no size may be a pipe.
  const length = size === 0 ? PIPE_BYTES : Math.min(READ_BYTES, size + 1);
  let current = Buffer.allocUnsafe(length);
  let other = Buffer.allocUnsafe(length);
  let reading = file.read(current, 0, length, null);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    reading = file.read(other, 0, length, null);
    // Whoever stops in between does not wait for it, and must not be thrown at by it.
    reading.catch(() => {});
    yield current.subarray(0, bytesRead);
    [current, other] = [other, current];
  }
}

/** What is no file, or tells no size, such as a device, has nothing to compare. */
function hasChanged(before: BigIntStats, after: BigIntStats, bytes: number): boolean {
  if (!before.isFile()) return false;
  if (before.size > 0n && before.size !== BigInt(bytes)) return true;
  return before.size !== after.size || before.mtimeNs !== after.mtimeNs || before.ino !== after.ino;
}
