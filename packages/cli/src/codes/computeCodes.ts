// Codes of files, computed in processes that run a file of the bundled command, and words for why a file has none.

import type { MissingCodes } from '@provenance-registry/client';
import { computeCodes, setCodesWorker } from '@provenance-registry/client/node';

setCodesWorker(new URL('./codesWorker.js', import.meta.url));

export { computeCodes };

export const missingCodesTexts: Readonly<Record<MissingCodes, string>> = {
  unsupported: 'not an image or recording in a format that this command reads',
  'too-large': 'larger than 32 MiB',
  featureless: 'an image of one color, silence or a recording of few seconds has nothing to compare',
  unreadable: 'it is broken, or reading it took too much time or memory',
  'no-decoder': "the package 'sharp', which reads images, is not installed for this platform",
};
