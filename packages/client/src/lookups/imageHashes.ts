// The perceptual hashes of a decoded image, as the service computes them: shared by the workers of Node and browsers.

import { computeImageHashes, computeQueryHashes, type GrayImage } from '@provenance-registry/media';
import type { PerceptualHashes } from './perceptualHashes.js';

/** @param hasQuery also those to search with */
export function hashImage(image: GrayImage, hasQuery: boolean): PerceptualHashes {
  const hashes = computeImageHashes(image);
  if (!hashes) return { missing: 'featureless' };
  return hasQuery ? { hashes, queryHashes: computeQueryHashes(image) } : { hashes };
}
