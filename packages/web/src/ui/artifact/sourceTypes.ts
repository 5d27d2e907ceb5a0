// How a file came to be, in plain words: the digital source types of IPTC and C2PA.

import type { DigitalSourceType } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/sourceTypes';

const phrases: Readonly<Record<DigitalSourceType, string>> = texts.phrases;

/** The terms that a user can choose from. The others describe special cases, or are retired by IPTC. */
const offered = [
  'digitalCapture',
  'humanEdits',
  'digitalCreation',
  'trainedAlgorithmicMedia',
  'compositeWithTrainedAlgorithmicMedia',
  'compositeSynthetic',
  'composite',
  'print',
  'screenCapture',
] as const satisfies readonly DigitalSourceType[];

export const sourceTypeOptions = offered.map((id) => ({ id, name: toSentenceCase(phrases[id]) }));

/** A term as it reads within a sentence; unknown terms, which untrusted files can have, as they are. */
export function describeSourceType(term: string): string {
  return new Map<string, string>(Object.entries(phrases)).get(term) ?? term;
}

export function toSentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
