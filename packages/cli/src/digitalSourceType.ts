// The option that states how a file came to be.

import type { DigitalSourceType } from '@provenance-registry/core';
import type { Choices } from './options.js';

export const digitalSourceTypeOption = {
  label: 'TERM',
  summary: 'how the files came to be, a term of IPTC or C2PA',
  // Loaded on demand: importing the vocabulary would slow down every start.
  choices: (async () =>
    (await import('@provenance-registry/core')).digitalSourceTypes) satisfies Choices<DigitalSourceType>,
} as const;
