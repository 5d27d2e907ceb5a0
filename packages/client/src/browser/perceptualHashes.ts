// Perceptual hashes of images and sound in browsers: in workers that are ended when a crafted file keeps them busy or
// breaks them.

import { limitConcurrency } from '@provenance-registry/core';
import type { PerceptualHashes } from '../lookups/perceptualHashes.js';
import type { HashWorkerResult } from './imageHashWorker.js';
import { findImageFormat } from './imageHeader.js';

/** An image of 100 megapixels takes a few seconds. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** Frees the memory of the decoders. */
const IDLE_TIMEOUT_MS = 30_000;
/** Workers for images and for sound: each uses a core and may hold a decoded image. Further files wait. */
const MAX_WORKERS = 2;
/** Largest file that is read; the service reads no larger ones either. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const HEADER_BYTES = 16;
const UNREADABLE: PerceptualHashes = { missing: 'unreadable' };

/**
 * Options of {@link computePerceptualHashes}.
 * @example
 * ```ts
 * const options: PerceptualHashOptions = { timeoutMs: 10_000 };
 * ```
 */
export interface PerceptualHashOptions {
  /** Time after which the file has no hashes. 30 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * URL of `@unimusic/chromaprint/dist/chromaprint.wasm`, for bundlers that do not resolve `new URL('…', import.meta.url)`.
   */
  readonly chromaprintWasmUrl?: string | URL | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Computes the perceptual hashes of an image or recording in a worker: a few hashes of 8 bytes, or the Chromaprint of the
 * first two minutes, from which the file cannot be restored. Files of other kinds, and files that this browser cannot
 * decode or that exceed the limits (32 MiB, 100 megapixels), have none.
 * @throws the reason of `signal` when it is aborted, and an error when a file cannot be read or the worker cannot start
 * @example
 * ```ts
 * const perceptualHashes = await computePerceptualHashes(input.files[0]);
 * const { match, lookalikes } = await lookUp(client, fingerprint, { perceptualHashes });
 * ```
 */
export async function computePerceptualHashes(
  file: Blob,
  { timeoutMs = DEFAULT_TIMEOUT_MS, chromaprintWasmUrl, signal }: PerceptualHashOptions = {},
): Promise<PerceptualHashes> {
  const header = new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer());
  signal?.throwIfAborted();
  const kind = isSound(header) ? 'sound' : findImageFormat(header) && 'image';
  if (!kind) return { missing: 'unsupported' };
  if (file.size > MAX_FILE_BYTES) return { missing: 'too-large' };
  const limits = { timeoutMs, signal };
  if (kind === 'image') return imageWorkers.limit(() => runInWorker(imageWorkers, { file }, limits));
  const url = chromaprintWasmUrl ?? new URL('@unimusic/chromaprint/dist/chromaprint.wasm', import.meta.url);
  const request = { file, wasmUrl: new URL(url, location.href).href };
  return soundWorkers.limit(() => runInWorker(soundWorkers, request, limits));
}

/** WAV, FLAC, Ogg and MP3, whatever the name and the media type say. */
function isSound(header: Uint8Array): boolean {
  const start = String.fromCharCode(...header);
  if (start.startsWith('RIFF') || start.startsWith('RF64')) return start.startsWith('WAVE', 8);
  return /^(fLaC|OggS|ID3)/.test(start) || isMpegFrame(header);
}

/** Detects a frame of layer II or III with a valid bit rate and sampling rate. */
function isMpegFrame([sync = 0, flags = 0, rates = 0]: Uint8Array): boolean {
  const layer = (flags >> 1) & 3;
  const hasLayer = sync === 0xff && flags >= 0xe0 && (layer === 1 || layer === 2);
  return hasLayer && rates >> 4 !== 15 && ((rates >> 2) & 3) !== 3;
}

const limitWorkers = () => limitConcurrency(MAX_WORKERS, Number.POSITIVE_INFINITY, () => new Error('never full'));

interface Workers {
  readonly start: () => Worker;
  readonly limit: ReturnType<typeof limitWorkers>;
  /** Reused: starting one takes longer than a small file. With the timers that end them. */
  readonly idle: Map<Worker, ReturnType<typeof setTimeout>>;
}
const imageWorkers: Workers = {
  start: () => new Worker(new URL('./imageHashWorker.js', import.meta.url), { type: 'module' }),
  limit: limitWorkers(),
  idle: new Map(),
};
const soundWorkers: Workers = {
  start: () => new Worker(new URL('./soundHashWorker.js', import.meta.url), { type: 'module' }),
  limit: limitWorkers(),
  idle: new Map(),
};

function runInWorker(
  workers: Workers,
  request: object,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<PerceptualHashes> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = takeWorker(workers);
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const end = (settle: () => void) => {
      worker.terminate();
      finish(settle);
    };
    const abort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(() => resolve(UNREADABLE)), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    // There is no message when the browser could not load the file of the worker.
    worker.onerror = ({ message }) =>
      end(() => (message ? resolve(UNREADABLE) : reject(new Error('The file of the hash worker was not found.'))));
    worker.onmessage = ({ data }: MessageEvent<HashWorkerResult>) => {
      // A failure may leave the decoders in any state.
      if ('error' in data) return end(() => resolve(UNREADABLE));
      keepWorker(workers, worker);
      return finish(() => resolve(data));
    };
    worker.postMessage(request);
  });
}

function takeWorker({ start, idle }: Workers): Worker {
  const [found] = idle;
  if (!found) return start();
  const [worker, timer] = found;
  clearTimeout(timer);
  idle.delete(worker);
  return worker;
}

function keepWorker({ idle }: Workers, worker: Worker): void {
  const end = () => {
    idle.delete(worker);
    worker.terminate();
  };
  idle.set(worker, setTimeout(end, IDLE_TIMEOUT_MS));
}
