// The perceptual hashes by which look-alikes of a file are found: computed here, so that the file need not be sent.

import { open } from 'node:fs/promises';
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
 * @param file a path, `{ path }` with a path that is not valid UTF-8, or the content of a file
 * @throws a system error when the file cannot be opened; never because of its content.
 * @example
 * ```ts
 * const perceptualHashes = await computePerceptualHashes('copy.jpg', { forSearch: true });
 * const { match, lookalikes } = await lookUp(client, fingerprint, { perceptualHashes });
 * ```
 */
export async function computePerceptualHashes(
  file: string | { readonly path: string | Buffer } | Uint8Array,
  { forSearch = false, workerFile, timeoutMs = DEFAULT_TIMEOUT_MS, signal }: PerceptualHashOptions = {},
): Promise<PerceptualHashes> {
  signal?.throwIfAborted();
  const content = typeof file === 'string' ? { path: file } : file instanceof Uint8Array ? { bytes: file } : file;
  const found = 'path' in content ? await readKind(content.path) : findKind(content.bytes, content.bytes.length);
  if (typeof found !== 'string') return found;
  // Loaded on demand: most programs that hash files need it never or later.
  const { runHashJob } = await import('./perceptualHashPool.js');
  return runHashJob({ content, kind: found, forSearch }, { workerFile, timeoutMs, signal });
}

async function readKind(path: string | Buffer): Promise<MediaKind | PerceptualHashes> {
  const file = await open(path, 'r');
  try {
    const stats = await file.stat();
    // Pipes cannot be read twice.
    if (!stats.isFile()) return { missing: 'unsupported' };
    const head = Buffer.alloc(Math.min(HEAD_BYTES, stats.size));
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return findKind(head.subarray(0, bytesRead), stats.size);
  } finally {
    await file.close();
  }
}

function findKind(head: Uint8Array, size: number): MediaKind | PerceptualHashes {
  const kind = findMediaKind(head);
  if (!kind) return { missing: 'unsupported' };
  return size > MAX_FILE_BYTES ? { missing: 'too-large' } : kind;
}
