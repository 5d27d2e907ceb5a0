// Runs in a browser worker: computes the codes of the images that it receives, one at a time.

import type { FileCodes } from '../fileCodes.js';
import { computeFileCodes } from '../imageFileCodes.js';
import { decodeImage } from './imagePixels.js';

export type CodesWorkerResult = FileCodes | { readonly error: unknown };

async function compute(file: Blob): Promise<FileCodes> {
  const image = await decodeImage(new Uint8Array(await file.arrayBuffer()));
  return image === 'too-large' ? { missing: image } : computeFileCodes(image, true);
}

addEventListener('message', ({ data }: MessageEvent<{ readonly file: Blob }>) => {
  const report = (result: CodesWorkerResult) => postMessage(result);
  compute(data.file).then(report, (error: unknown) => report({ error }));
});
