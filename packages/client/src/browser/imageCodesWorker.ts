// Runs in a browser worker: computes the codes of the images that it receives, one at a time.

import { computeImageCodes, computeQuestionCodes } from '@provenance-registry/media';
import type { FileCodes } from '../fileCodes.js';
import { decodeImage } from './imagePixels.js';

export type CodesWorkerResult = FileCodes | { readonly error: unknown };

async function compute(file: Blob): Promise<FileCodes> {
  const image = await decodeImage(new Uint8Array(await file.arrayBuffer()));
  if (image === 'too-large') return { missing: image };
  const codes = computeImageCodes(image);
  return codes ? { codes, questions: computeQuestionCodes(image) } : { missing: 'featureless' };
}

addEventListener('message', ({ data }: MessageEvent<{ readonly file: Blob }>) => {
  const report = (result: CodesWorkerResult) => postMessage(result);
  compute(data.file).then(report, (error: unknown) => report({ error }));
});
