// The codes of a decoded image, as the service computes them: shared by the workers of Node and browsers.

import { computeImageHashes, computeQueryHashes, type GrayImage } from '@provenance-registry/media';
import type { FileCodes } from './fileCodes.js';

/** @param hasQuestions also the codes to search with */
export function computeFileCodes(image: GrayImage, hasQuestions: boolean): FileCodes {
  const codes = computeImageHashes(image);
  if (!codes) return { missing: 'featureless' };
  return hasQuestions ? { codes, questions: computeQueryHashes(image) } : { codes };
}
