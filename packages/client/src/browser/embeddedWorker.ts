// Runs in a browser worker: reads the manifest inside the one file that it receives.

import { setC2paWasmUrl } from '../verification/c2paWasm.js';
import type { EmbeddedManifest } from '../verification/embeddedManifest.js';
import { type EmbeddedReadJob, readEmbedded } from '../verification/embeddedReader.js';

export type EmbeddedWorkerRequest = EmbeddedReadJob & { readonly wasmUrl: string };
export type EmbeddedWorkerResult = { readonly manifest: EmbeddedManifest | undefined } | { readonly error: unknown };

function report(result: EmbeddedWorkerResult): void {
  postMessage(result);
}

addEventListener('message', ({ data: { wasmUrl, ...job } }: MessageEvent<EmbeddedWorkerRequest>) => {
  setC2paWasmUrl(wasmUrl);
  readEmbedded(job).then(
    (manifest) => report({ manifest }),
    (error: unknown) => report({ error }),
  );
});
