// Parses a fingerprint as users write it: with or without `0x`, in capitals, with spaces around it.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';
import * as texts from '#texts/lookups/fingerprintInput';

const DIGITS = 64;

export type ParsedFingerprint = { readonly fingerprint: Fingerprint } | { readonly problem: string };

export function parseFingerprint(text: string): ParsedFingerprint {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^(sha-?256:)?(0x)?/, '');
  const fingerprint = `0x${digits}`;
  return isFingerprint(fingerprint) ? { fingerprint } : { problem: describeProblem(digits) };
}

/** What is wrong with the text, as a sentence; undefined when it is a fingerprint. */
export function validateFingerprint(text: string): string | undefined {
  const parsed = parseFingerprint(text);
  return 'problem' in parsed ? parsed.problem : undefined;
}

function describeProblem(digits: string): string {
  if (digits === '') return texts.isEmpty(DIGITS);
  const invalid = /[^0-9a-f]/u.exec(digits)?.[0];
  if (invalid !== undefined) return /\s/.test(invalid) ? texts.hasSpace : texts.hasInvalid(invalid);
  const difference = digits.length - DIGITS;
  return difference > 0
    ? texts.hasTooMany(digits.length, difference, DIGITS)
    : texts.hasTooFew(digits.length, -difference, DIGITS);
}
