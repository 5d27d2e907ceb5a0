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
 * Computes the fingerprint of a file. A path that is not valid UTF-8 is given as a `Buffer`. Of a `FileHandle`, which stays
 * open, the file is read from its start, whatever its path leads to by now.
 * @throws FileChangedError when the file is modified meanwhile.
 * @example
 * ```ts
 * const { fingerprint, size } = await hashFile('sunrise.jpg');
 * ```
 */
export async function hashFile(file: string | Buffer | FileHandle, options: HashOptions = {}): Promise<HashResult> {
  if (performance.now() - unblockedAt > MAX_BLOCKED_MS) {
    await setImmediate();
    unblockedAt = performance.now();
  }
  options.signal?.throwIfAborted();
  if (typeof file !== 'string' && 'fd' in file) return hashOpened(file, options, 'The file');
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats && isSmall(stats)) {
    const descriptor = openSync(file, 'r');
    try {
      return hashSmallFile(descriptor, stats, options, String(file));
    } finally {
      closeSync(descriptor);
    }
  }
  const opened = await open(file, 'r');
  try {
    return await hashOpened(opened, options, String(file));
  } finally {
    await opened.close();
  }
}

async function hashOpened(file: FileHandle, options: HashOptions, name: string): Promise<HashResult> {
  const stats = fstatSync(file.fd);
  if (isSmall(stats)) return hashSmallFile(file.fd, stats, options, name);
  const before = await file.stat({ bigint: true });
  const result = await hashChunks(readChunks(file, before), options, Number(before.size));
  const after = await file.stat({ bigint: true });
  if (hasChanged(before, after, result.size)) throw changedError(name);
  return result;
}

function isSmall(stats: Stats): boolean {
  return stats.isFile() && stats.size > 0 && stats.size <= SMALL_FILE_BYTES;
}

/** @param before of the path, or of the file itself */
function hashSmallFile(descriptor: number, before: Stats, { onProgress }: HashOptions, name: string): HashResult {
  const { size, mtimeMs, ino, dev } = before;
  let length = 0;
  for (let read = size; read > 0 && length < size; length += read) {
    read = readSync(descriptor, smallFile, length, size - length, length);
  }
  const after = fstatSync(descriptor);
  const isSame = after.size === size && after.mtimeMs === mtimeMs && after.ino === ino && after.dev === dev;
  if (!isSame || length !== size) throw changedError(name);
  onProgress?.({ bytes: size, total: size });
  return { fingerprint: `0x${hash('sha256', smallFile.subarray(0, size), 'hex')}`, size };
}

function changedError(name: string): FileChangedError {
  return new FileChangedError(`${name} was modified while it was read.`);
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
async function* readChunks(file: FileHandle, stats: BigIntStats): AsyncGenerator<Uint8Array> {
  const size = Number(stats.size);
  // The extra byte detects the end of a small file in one read. A size of zero may be a pipe.
  const length = size === 0 ? PIPE_BYTES : Math.min(READ_BYTES, size + 1);
  let position = 0;
  // Pipes and devices have no positions.
  const read = (buffer: Buffer) => file.read(buffer, 0, length, stats.isFile() ? position : null);
  let current = Buffer.allocUnsafe(length);
  let other = Buffer.allocUnsafe(length);
  let reading = read(current);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    position += bytesRead;
    reading = read(other);
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
