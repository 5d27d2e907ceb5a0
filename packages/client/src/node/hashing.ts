// SHA-256 of files of any size, in constant memory.

import { createHash, hash } from 'node:crypto';
import { type BigIntStats, closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { FileChangedError } from '../errors.js';
import type { HashOptions, HashResult } from '../hashing.js';

/** Large enough to make system calls negligible; each file being hashed has two buffers. */
const READ_BYTES = 1024 * 1024;

/** The capacity of a pipe. */
const PIPE_BYTES = 64 * 1024;

/** A smaller file is read at once: opening and closing it by promises takes several times the CPU time of all the rest. */
const SMALL_FILE_BYTES = 64 * 1024;
/** Time without a turn of the event loop, in which a process responds to nothing else. */
const MAX_BLOCKED_MS = 20;
const smallFile = Buffer.allocUnsafeSlow(SMALL_FILE_BYTES);
let unblockedAt = 0;

/**
 * Computes the fingerprint of a file. A path that is not valid UTF-8 is given as a `Buffer`.
 * @throws FileChangedError when the file is modified meanwhile.
 * @example
 * ```ts
 * const { fingerprint, size } = await hashFile('sunrise.jpg');
 * ```
 */
export async function hashFile(path: string | Buffer, options: HashOptions = {}): Promise<HashResult> {
  if (performance.now() - unblockedAt > MAX_BLOCKED_MS) {
    await setImmediate();
    unblockedAt = performance.now();
  }
  options.signal?.throwIfAborted();
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && stats.size > 0 && stats.size <= SMALL_FILE_BYTES) return hashSmallFile(path, stats, options);
  const file = await open(path, 'r');
  try {
    const before = await file.stat({ bigint: true });
    const result = await hashChunks(readChunks(file, Number(before.size)), options, Number(before.size));
    const after = await file.stat({ bigint: true });
    if (hasChanged(before, after, result.size)) throw changedError(path);
    return result;
  } finally {
    await file.close();
  }
}

function hashSmallFile(path: string | Buffer, before: Stats, { onProgress }: HashOptions): HashResult {
  const { size, mtimeMs, ino } = before;
  const file = openSync(path, 'r');
  try {
    let length = 0;
    for (let read = size; read > 0 && length < size; length += read) {
      read = readSync(file, smallFile, length, size - length, null);
    }
    const after = fstatSync(file);
    const isSame = length === size && after.size === size && after.mtimeMs === mtimeMs && after.ino === ino;
    if (!isSame) throw changedError(path);
    onProgress?.({ bytes: size, total: size });
    return { fingerprint: `0x${hash('sha256', smallFile.subarray(0, size), 'hex')}`, size };
  } finally {
    closeSync(file);
  }
}

function changedError(path: string | Buffer): FileChangedError {
  return new FileChangedError(`${path} was modified while it was read.`);
}

/**
 * Computes the fingerprint of a stream, such as standard input.
 * @example
 * ```ts
 * const { fingerprint } = await hashStream(process.stdin);
 * ```
 */
export function hashStream(stream: AsyncIterable<Uint8Array>, options: HashOptions = {}): Promise<HashResult> {
  return hashChunks(stream, options);
}

/** Computes the fingerprint of a `Blob`, such as one that `fs.openAsBlob` opened. */
export function hashBlob(blob: Blob, options: HashOptions = {}): Promise<HashResult> {
  return hashStream(blob.stream(), options);
}

async function hashChunks(
  chunks: AsyncIterable<Uint8Array>,
  { onProgress, signal }: HashOptions,
  total?: number,
): Promise<HashResult> {
  const sha256 = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    sha256.update(chunk);
    bytes += chunk.length;
    onProgress?.({ bytes, total });
  }
  signal?.throwIfAborted();
  // Without core's helper: loading core takes longer than hashing a small file.
  return { fingerprint: `0x${sha256.digest('hex')}`, size: bytes };
}

/** Reads the next chunk while the current one is hashed. */
async function* readChunks(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  // The extra byte detects the end of a small file in one read. A size of zero may be a pipe.
  const length = size === 0 ? PIPE_BYTES : Math.min(READ_BYTES, size + 1);
  let current = Buffer.allocUnsafe(length);
  let other = Buffer.allocUnsafe(length);
  let reading = file.read(current, 0, length, null);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    reading = file.read(other, 0, length, null);
    // When the consumer stops early, nothing awaits this read: its rejection must not be unhandled.
    reading.catch(() => {});
    yield current.subarray(0, bytesRead);
    [current, other] = [other, current];
  }
}

/** Pipes and devices have no size or time to compare. */
function hasChanged(before: BigIntStats, after: BigIntStats, bytes: number): boolean {
  if (!before.isFile()) return false;
  if (before.size > 0n && before.size !== BigInt(bytes)) return true;
  return before.size !== after.size || before.mtimeNs !== after.mtimeNs || before.ino !== after.ino;
}
