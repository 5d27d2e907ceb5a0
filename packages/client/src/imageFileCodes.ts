// The codes of a decoded image, as the service computes them: shared by the workers of Node and browsers.

import { computeImageCodes, computeQuestionCodes, type GrayImage } from '@provenance-registry/media';
import type { FileCodes } from './fileCodes.js';

/** @param hasQuestions also the codes to search with */
export function computeFileCodes(image: GrayImage, hasQuestions: boolean): FileCodes {
  const codes = computeImageCodes(image);
  if (!codes || Object.values(codes).some(hasEqualBits)) return { missing: 'featureless' };
  if (!hasQuestions) return { codes };
  const questions = computeQuestionCodes(image)?.map(({ pHash, dHash }) => ({
    pHash,
    ...(!hasEqualBits(dHash) && { dHash }),
  }));
  return { codes, questions };
}

/** As of a smooth gradient: too many others have the same, and the service refuses it. */
function hasEqualBits(code: string): boolean {
  return /^0x(?:0{16}|f{16})$/.test(code);
}
