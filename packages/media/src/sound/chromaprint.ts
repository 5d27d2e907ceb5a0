// The Chromaprint fingerprint of the first two minutes of audio, as `fpcalc` prints it. Computed by the library as
// WebAssembly even if that program is installed, so that all machines and browsers compute the same fingerprint.

import { type AudioPiece, MAX_SECONDS, readLatin1 } from './audio.js';
import { decodeAudio } from './decoders.js';

/** `CHROMAPRINT_ALGORITHM_TEST2`, the default. */
const ALGORITHM = 1;
/** Samples per call; their buffer is allocated once. */
const FEED_SAMPLES = 32 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Two minutes need a few megabytes. */
const MAX_MEMORY_BYTES = 128 * 1024 * 1024;

/** The library, compiled: a `WebAssembly.Module`. */
export type ChromaprintModule = object;

export interface SoundFingerprint {
  /** Compressed, in URL-safe base64. */
  readonly text: string;
  /** A 32-bit item for each eighth of a second; fingerprints are compared by the number of different bits. */
  readonly items: Uint32Array;
}

/**
 * Of a WAV, MP3, FLAC or Ogg file. Undefined if the audio is too short. Throws if the file is unreadable.
 * @param module compiled from `dist/chromaprint.wasm` of the package `@unimusic/chromaprint`
 */
export async function fingerprintSound(
  bytes: Uint8Array,
  module: ChromaprintModule,
): Promise<SoundFingerprint | undefined> {
  // A new instance for every file, because a failure leaves an instance in an undefined state.
  const library = instantiate(module);
  let first: AudioPiece | undefined;
  let samplesLeft = 0;
  for await (const piece of decodeAudio(bytes)) {
    if (!first) {
      first = piece;
      samplesLeft = MAX_SECONDS * piece.sampleRate * piece.channels;
      library.start(piece.sampleRate, piece.channels);
    }
    // A chained stream with another format: only the first one counts.
    if (piece.sampleRate !== first.sampleRate || piece.channels !== first.channels) break;
    library.feed(piece.samples.subarray(0, samplesLeft));
    samplesLeft -= piece.samples.length;
    if (samplesLeft <= 0) break;
  }
  return first && library.finish();
}

/** Missing in Node's types. */
declare const WebAssembly: {
  Instance: new (
    module: ChromaprintModule,
    imports: Record<string, Record<string, Import>>,
  ) => { readonly exports: unknown };
};

type Import = (...numbers: number[]) => number | undefined;

/** Functions as declared in the C header; addresses and flags are numbers. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  emscripten_stack_init(): void;
  __wasm_call_ctors(): void;
  malloc(size: number): number;
  chromaprint_new(algorithm: number): number;
  chromaprint_start(context: number, sampleRate: number, channels: number): number;
  chromaprint_feed(context: number, samples: number, count: number): number;
  chromaprint_finish(context: number): number;
  chromaprint_get_fingerprint(context: number, text: number): number;
  chromaprint_get_raw_fingerprint(context: number, items: number, count: number): number;
}

function instantiate(module: ChromaprintModule) {
  const { exports } = new WebAssembly.Instance(module, {
    env: {
      emscripten_resize_heap: (bytes = 0) => growTo(library.memory, bytes),
      emscripten_get_now: () => performance.now(),
      emscripten_date_now: () => Date.now(),
      emscripten_err: noOperation,
      _abort_js: () => fail('abort'),
      __cxa_throw: () => fail('an exception'),
      _setitimer_js: noOperation,
      _emscripten_runtime_keepalive_clear: noOperation,
    },
    wasi_snapshot_preview1: {
      fd_write: noOperation,
      fd_close: noOperation,
      fd_seek: noOperation,
      random_get: (at = 0, count = 0) => {
        crypto.getRandomValues(new Uint8Array(library.memory.buffer, at, count));
        return 0;
      },
      environ_sizes_get: (count = 0, size = 0) => {
        const view = new DataView(library.memory.buffer);
        view.setUint32(count, 0, true);
        view.setUint32(size, 0, true);
        return 0;
      },
      environ_get: noOperation,
      proc_exit: () => fail('exit'),
    },
  });
  // The exports of the pinned version of the package.
  const library = exports as Exports;
  library.emscripten_stack_init();
  library.__wasm_call_ctors();
  const context = library.chromaprint_new(ALGORITHM);
  const sampleBuffer = library.malloc(FEED_SAMPLES * 2);
  const results = library.malloc(8);
  if (context === 0 || sampleBuffer === 0 || results === 0) fail('no memory');

  // A new view each time: the buffer changes when the memory grows.
  const readAddress = (at: number) => new DataView(library.memory.buffer).getUint32(at, true);

  return {
    start(sampleRate: number, channels: number): void {
      check(library.chromaprint_start(context, sampleRate, channels), 'start');
    },
    feed(samples: Int16Array): void {
      for (let at = 0; at < samples.length; at += FEED_SAMPLES) {
        const part = samples.subarray(at, at + FEED_SAMPLES);
        new Int16Array(library.memory.buffer, sampleBuffer, part.length).set(part);
        check(library.chromaprint_feed(context, sampleBuffer, part.length), 'feed');
      }
    },
    finish(): SoundFingerprint | undefined {
      check(library.chromaprint_finish(context), 'finish');
      check(library.chromaprint_get_raw_fingerprint(context, results, results + 4), 'items');
      const count = readAddress(results + 4);
      if (count === 0) return undefined;
      const items = new Uint32Array(library.memory.buffer, readAddress(results), count).slice();
      check(library.chromaprint_get_fingerprint(context, results), 'text');
      const memory = new Uint8Array(library.memory.buffer);
      const start = readAddress(results);
      return { text: readLatin1(memory.subarray(start, memory.indexOf(0, start))), items };
    },
  };
}

function growTo(memory: Exports['memory'], bytes: number): number {
  if (bytes > MAX_MEMORY_BYTES) return 0;
  memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES));
  return 1;
}

function noOperation(): number {
  return 0;
}

function check(succeeded: number, step: string): void {
  if (succeeded === 0) fail(step);
}

function fail(what: string): never {
  throw new Error(`chromaprint: ${what}`);
}
