// The fingerprint of sound in Node, where the library is read from its package.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ChromaprintModule, fingerprintSound, type SoundFingerprint } from '../sound/index.js';

/** Missing in Node's types. */
declare const WebAssembly: { Module: new (bytes: Uint8Array) => ChromaprintModule };

let compiled: ChromaprintModule | undefined;

/** Undefined if the audio is too short. Throws if the file is unreadable. */
export function fingerprint(bytes: Uint8Array): Promise<SoundFingerprint | undefined> {
  // The package's own loader works in browsers only.
  const path = createRequire(import.meta.url).resolve('@unimusic/chromaprint/dist/chromaprint.wasm');
  compiled ??= new WebAssembly.Module(readFileSync(path));
  return fingerprintSound(bytes, compiled);
}
