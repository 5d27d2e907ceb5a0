// The perceptual hashes by which look-alikes of a file are found: computed here, so that the file need not be sent.

import { type FileHandle, open } from 'node:fs/promises';
import type { PerceptualHashes } from '../lookups/perceptualHashes.js';
import { findMediaKind, HEAD_BYTES, type MediaKind } from './mediaKind.js';

/** Largest file that is read; the service reads no larger ones either. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Time for an image of 100 megapixels on a busy machine. */
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Options of {@link computePerceptualHashes}.
 * @example
 * ```ts
 * const options: PerceptualHashOptions = { forSearch: true, timeoutMs: 10_000 };
 * ```
 */
export interface PerceptualHashOptions {
  /** Also compute `queryHashes`. Default: no. */
  readonly forSearch?: boolean | undefined;
  /**
   * The file that the decoding processes run, for a program that is bundled into other files: a module of its own that
   * imports `@provenance-registry/client/perceptualHashWorker` and nothing else.
   */
  readonly workerFile?: URL | undefined;
  /** Time limit for one file. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Computes the perceptual hashes by which look-alikes of an image or a recording are found, the same as the service would.
 * The file is decoded in another process with limits of memory and time.
 * @param file a path, `{ path }` with a path that is not valid UTF-8, an opened file, which stays open and is read whatever its
 * path leads to by now, or the content of a file
 * @throws a system error when the file cannot be opened; never because of its content.
 * @example
 * ```ts
 * const perceptualHashes = await computePerceptualHashes('copy.jpg', { forSearch: true });
 * const { match, lookalikes } = await lookUp(client, fingerprint, { perceptualHashes });
 * ```
 */
export async function computePerceptualHashes(
  file: string | { readonly path: string | Buffer } | FileHandle | Uint8Array,
  options: PerceptualHashOptions = {},
): Promise<PerceptualHashes> {
  options.signal?.throwIfAborted();
  if (file instanceof Uint8Array) return compute(findKind(file, file.length), async () => file, options);
  if (typeof file !== 'string' && 'fd' in file) return computeOfOpened(file, options);
  const opened = await open(typeof file === 'string' ? file : file.path, 'r');
  try {
    return await computeOfOpened(opened, options);
  } finally {
    await opened.close();
  }
}

async function computeOfOpened(file: FileHandle, options: PerceptualHashOptions): Promise<PerceptualHashes> {
  const stats = await file.stat();
  // Pipes cannot be read twice.
  if (!stats.isFile()) return { missing: 'unsupported' };
  const head = await readStart(file, Math.min(HEAD_BYTES, stats.size));
  return compute(findKind(head, stats.size), () => readStart(file, stats.size), options);
}

/** Less than that if the file is shorter by now. */
async function readStart(file: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = size; read > 0 && length < size; length += read) {
    read = (await file.read(bytes, length, size - length, length)).bytesRead;
  }
  return bytes.subarray(0, length);
}

/** @param read reads all bytes, when there is a process for them */
async function compute(
  found: MediaKind | PerceptualHashes,
  read: () => Promise<Uint8Array>,
  { forSearch = false, workerFile, timeoutMs = DEFAULT_TIMEOUT_MS, signal }: PerceptualHashOptions,
): Promise<PerceptualHashes> {
  if (typeof found !== 'string') return found;
  // Loaded on demand: most programs that hash files need it never or later.
  const { runHashJob } = await import('./perceptualHashPool.js');
  return runHashJob({ read, kind: found, forSearch }, { workerFile, timeoutMs, signal });
}

function findKind(head: Uint8Array, size: number): MediaKind | PerceptualHashes {
  const kind = findMediaKind(head);
  if (!kind) return { missing: 'unsupported' };
  return size > MAX_FILE_BYTES ? { missing: 'too-large' } : kind;
}
