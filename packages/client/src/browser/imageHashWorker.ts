// Runs in a browser worker: computes the perceptual hashes of the images that it receives, one at a time.

import { hashImage } from '../lookups/imageHashes.js';
import type { PerceptualHashes } from '../lookups/perceptualHashes.js';
import { decodeImage } from './imagePixels.js';

export type HashWorkerResult = PerceptualHashes | { readonly error: unknown };

async function compute(file: Blob): Promise<PerceptualHashes> {
  const image = await decodeImage(new Uint8Array(await file.arrayBuffer()));
  return image === 'too-large' ? { missing: image } : hashImage(image, true);
}

addEventListener('message', ({ data }: MessageEvent<{ readonly file: Blob }>) => {
  const report = (result: HashWorkerResult) => postMessage(result);
  compute(data.file).then(report, (error: unknown) => report({ error }));
});
