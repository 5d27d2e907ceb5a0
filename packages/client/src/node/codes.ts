// The codes of a file by which look-alikes are found: computed here, so that the file need not be sent.

import { open } from 'node:fs/promises';
import type { FileCodes } from '../fileCodes.js';
import { findMediaKind, HEAD_BYTES, type MediaKind } from './mediaKind.js';

/** Largest file that is read; the service reads no larger ones either. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Time for an image of 100 megapixels on a busy machine. */
const DEFAULT_TIMEOUT_MS = 30_000;

let workerFile: URL | undefined;

/**
 * Sets the file that the processes run which decode files, for a program that is bundled into other files: a module of its
 * own that imports `@provenance-registry/client/codesWorker` and nothing else.
 * @example
 * ```ts
 * setCodesWorker(new URL('./codesWorker.js', import.meta.url));
 * ```
 */
export function setCodesWorker(file: URL): void {
  workerFile = file;
}

/**
 * Options of {@link computeCodes}.
 * @example
 * ```ts
 * const options: CodesOptions = { questions: true, timeoutMs: 10_000 };
 * ```
 */
export interface CodesOptions {
  /** Also compute the codes to search with. Default: no. */
  readonly questions?: boolean | undefined;
  /** Time limit for one file. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Computes the codes by which look-alikes of an image or a recording are found, the same as the service would. The file is
 * decoded in another process with limits of memory and time.
 * @param file a path, `{ path }` with a path that is not valid UTF-8, or the content of a file
 * @throws a system error when the file cannot be opened; never because of its content.
 * @example
 * ```ts
 * const { questions, missing } = await computeCodes('copy.jpg', { questions: true });
 * if (questions) console.log((await client.findLookalikes({ codes: [...questions] })).lookalikes);
 * else console.log(`no codes: ${missing}`);
 * ```
 */
export async function computeCodes(
  file: string | { readonly path: Buffer } | Uint8Array,
  { questions = false, timeoutMs = DEFAULT_TIMEOUT_MS, signal }: CodesOptions = {},
): Promise<FileCodes> {
  signal?.throwIfAborted();
  const content = file instanceof Uint8Array ? { bytes: file } : { path: typeof file === 'string' ? file : file.path };
  const found = 'path' in content ? await readKind(content.path) : findKind(content.bytes, content.bytes.length);
  if (typeof found !== 'string') return found;
  // Loaded on demand: most programs that hash files need it never or later.
  const { runCodesJob, useWorkerFile } = await import('./codesPool.js');
  if (workerFile) useWorkerFile(workerFile);
  return runCodesJob({ content, kind: found, questions }, { timeoutMs, signal });
}

async function readKind(path: string | Buffer): Promise<MediaKind | FileCodes> {
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

function findKind(head: Uint8Array, size: number): MediaKind | FileCodes {
  const kind = findMediaKind(head);
  if (!kind) return { missing: 'unsupported' };
  return size > MAX_FILE_BYTES ? { missing: 'too-large' } : kind;
}
