// Parses a fingerprint as users write it: with or without `0x`, in capitals, with spaces around it.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';

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
  if (digits === '') return 'Enter a fingerprint: 64 hexadecimal digits (0–9, a–f).';
  const invalid = /[^0-9a-f]/u.exec(digits)?.[0];
  if (invalid !== undefined) {
    const name = /\s/.test(invalid) ? 'a space' : `“${invalid}”`;
    return `It contains ${name}. A fingerprint has only hexadecimal digits (0–9, a–f).`;
  }
  const difference = digits.length - DIGITS;
  const amount = `${Math.abs(difference)} too ${difference > 0 ? 'many' : 'few'}`;
  return `It has ${digits.length} digits, ${amount}: a fingerprint has ${DIGITS}.`;
}
