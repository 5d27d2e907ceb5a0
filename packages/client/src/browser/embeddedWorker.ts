// Runs in a browser worker: reads the manifest inside the one file that it receives.

import type { EmbeddedManifest } from '../verification/embedded/embeddedManifest.js';
import { type EmbeddedReadJob, readEmbedded } from '../verification/embedded/reader.js';

export type EmbeddedWorkerRequest = EmbeddedReadJob & { readonly wasmUrl: string };
export type EmbeddedWorkerResult = { readonly manifest: EmbeddedManifest | undefined } | { readonly error: unknown };

function report(result: EmbeddedWorkerResult): void {
  postMessage(result);
}

async function read({ wasmUrl, ...job }: EmbeddedWorkerRequest): Promise<EmbeddedManifest | undefined> {
  // The page knows the address that its author may have set.
  const { setC2paWasmUrl } = await import('../verification/c2paWasm.js');
  setC2paWasmUrl(wasmUrl);
  return readEmbedded(job);
}

addEventListener('message', ({ data }: MessageEvent<EmbeddedWorkerRequest>) => {
  read(data).then(
    (manifest) => report({ manifest }),
    (error: unknown) => report({ error }),
  );
});
