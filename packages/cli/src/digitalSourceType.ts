// The option that states how a file came to be.

import type { DigitalSourceType } from '@provenance-registry/core';
import type { Choices } from './options.js';

export const digitalSourceTypeOption = {
  label: 'TERM',
  summary: 'how the files came to be, in the words of IPTC: digitalCapture, trainedAlgorithmicMedia, …',
  // Loaded on demand: importing the vocabulary would slow down every start.
  choices: (async () =>
    (await import('@provenance-registry/core')).digitalSourceTypes) satisfies Choices<DigitalSourceType>,
} as const;
