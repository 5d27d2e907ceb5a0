// Runs in a browser worker: reads the manifest inside the one file that it receives.

import type { EmbeddedManifest } from '../verification/embedded/embeddedManifest.js';
import { type EmbeddedReadJob, readEmbedded } from '../verification/embedded/reader.js';

export type EmbeddedWorkerResult = { readonly manifest: EmbeddedManifest | undefined } | { readonly error: unknown };

addEventListener('message', ({ data }: MessageEvent<EmbeddedReadJob>) => {
  const report = (result: EmbeddedWorkerResult) => postMessage(result);
  readEmbedded(data).then(
    (manifest) => report({ manifest }),
    (error: unknown) => report({ error }),
  );
});
