// Runs in a browser worker: computes the Chromaprint of the recordings that it receives, one at a time. Apart from images,
// because the decoders are large.

import { fingerprintSound } from '@provenance-registry/media/sound';
import type { PerceptualHashes } from '../lookups/perceptualHashes.js';
import type { HashWorkerResult } from './imageHashWorker.js';

export interface SoundHashRequest {
  readonly file: Blob;
  readonly wasmUrl: string;
}

let library: Promise<WebAssembly.Module> | undefined;

async function compute({ file, wasmUrl }: SoundHashRequest): Promise<PerceptualHashes> {
  library ??= load(wasmUrl);
  const fingerprint = await fingerprintSound(new Uint8Array(await file.arrayBuffer()), await library);
  return fingerprint ? { chromaprint: fingerprint.text } : { missing: 'featureless' };
}

/** Compiled from its bytes: not all servers tell its media type. */
async function load(wasmUrl: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await (await fetch(wasmUrl)).arrayBuffer());
}

addEventListener('message', ({ data }: MessageEvent<SoundHashRequest>) => {
  const report = (result: HashWorkerResult) => postMessage(result);
  compute(data).then(report, (error: unknown) => report({ error }));
});
