// How a recording sounds: the Chromaprint fingerprint of its first two minutes, as `fpcalc` prints it.
// By the library as WebAssembly, also where that program is installed: two machines of one registry must not give two
// answers about a file that both can read.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { decodeSound } from './decoders.js';
import { MAX_SECONDS, type Sound } from './sound.js';

/** `CHROMAPRINT_ALGORITHM_TEST2`, which is the default everywhere. */
const ALGORITHM = 1;
/** Samples handed over at once; the room for them is made once. */
const FEED_SAMPLES = 32 * 1024;
const PAGE_BYTES = 64 * 1024;
/** Two minutes need a few megabytes. What wants more than this is broken. */
const MAX_MEMORY_BYTES = 128 * 1024 * 1024;

export interface Fingerprint {
  /** Compressed, in the alphabet of URLs. */
  readonly text: string;
  /** An item of 32 bits for each eighth of a second; to compare, count the bits that differ. */
  readonly items: Uint32Array;
}

/** Undefined when there is too little to hear. Throws on what cannot be read. */
export async function fingerprint(bytes: Uint8Array): Promise<Fingerprint | undefined> {
  // A new instance for every file: one that has trapped, or holds half a file, is never seen again.
  const library = instantiate();
  let first: Sound | undefined;
  let left = 0;
  for await (const sound of decodeSound(bytes)) {
    if (!first) {
      first = sound;
      left = MAX_SECONDS * sound.sampleRate * sound.channels;
      library.start(sound.sampleRate, sound.channels);
    }
    // Chained recordings of another shape: what was heard so far is the recording.
    if (sound.sampleRate !== first.sampleRate || sound.channels !== first.channels) break;
    library.feed(sound.samples.subarray(0, left));
    left -= sound.samples.length;
    if (left <= 0) break;
  }
  return first && library.finish();
}

/** The part of WebAssembly that is used here; Node's types leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, Import>>) => { readonly exports: unknown };
};

type Import = (...numbers: number[]) => number | undefined;

/** What the module exports, as its C header declares it; addresses and flags are numbers. */
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

let compiled: object | undefined;

function compile(): object {
  // Its own loader works in browsers only.
  const path = createRequire(import.meta.url).resolve('@unimusic/chromaprint/dist/chromaprint.wasm');
  compiled ??= new WebAssembly.Module(readFileSync(path));
  return compiled;
}

function instantiate() {
  const { exports } = new WebAssembly.Instance(compile(), {
    env: {
      emscripten_resize_heap: (bytes = 0) => growTo(library.memory, bytes),
      emscripten_get_now: () => performance.now(),
      emscripten_date_now: () => Date.now(),
      emscripten_err: nothing,
      _abort_js: () => fail('abort'),
      __cxa_throw: () => fail('an exception'),
      _setitimer_js: nothing,
      _emscripten_runtime_keepalive_clear: nothing,
    },
    wasi_snapshot_preview1: {
      fd_write: nothing,
      fd_close: nothing,
      fd_seek: nothing,
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
      environ_get: nothing,
      proc_exit: () => fail('exit'),
    },
  });
  // The package is pinned to one version, and this is what that version exports.
  const library = exports as Exports;
  library.emscripten_stack_init();
  library.__wasm_call_ctors();
  const context = library.chromaprint_new(ALGORITHM);
  const room = library.malloc(FEED_SAMPLES * 2);
  const results = library.malloc(8);
  if (context === 0 || room === 0 || results === 0) fail('no memory');

  /** Addresses are read anew each time: the memory moves when it grows. */
  const read = (at: number) => new DataView(library.memory.buffer).getUint32(at, true);

  return {
    start(sampleRate: number, channels: number): void {
      check(library.chromaprint_start(context, sampleRate, channels), 'start');
    },
    feed(samples: Int16Array): void {
      for (let at = 0; at < samples.length; at += FEED_SAMPLES) {
        const part = samples.subarray(at, at + FEED_SAMPLES);
        new Int16Array(library.memory.buffer, room, part.length).set(part);
        check(library.chromaprint_feed(context, room, part.length), 'feed');
      }
    },
    finish(): Fingerprint | undefined {
      check(library.chromaprint_finish(context), 'finish');
      check(library.chromaprint_get_raw_fingerprint(context, results, results + 4), 'items');
      const count = read(results + 4);
      if (count === 0) return undefined;
      const items = new Uint32Array(library.memory.buffer, read(results), count).slice();
      check(library.chromaprint_get_fingerprint(context, results), 'text');
      const memory = new Uint8Array(library.memory.buffer);
      const start = read(results);
      const text = Buffer.from(memory.subarray(start, memory.indexOf(0, start))).toString('latin1');
      return { text, items };
    },
  };
}

function growTo(memory: Exports['memory'], bytes: number): number {
  if (bytes > MAX_MEMORY_BYTES) return 0;
  memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES));
  return 1;
}

function nothing(): number {
  return 0;
}

function check(succeeded: number, step: string): void {
  if (succeeded === 0) fail(step);
}

function fail(what: string): never {
  throw new Error(`chromaprint: ${what}`);
}
