// What people paste as a fingerprint: with or without `0x`, in capitals, with spaces around it.

import { type Fingerprint, isFingerprint } from '@provenance-registry/core';

const DIGITS = 64;

export type Pasted = { readonly fingerprint: Fingerprint } | { readonly problem: string };

export function readPasted(text: string): Pasted {
  const digits = text
    .trim()
    .toLowerCase()
    .replace(/^(sha-?256:)?(0x)?/, '');
  const fingerprint = `0x${digits}`;
  return isFingerprint(fingerprint) ? { fingerprint } : { problem: problemWith(digits) };
}

function problemWith(digits: string): string {
  if (digits === '') return 'Paste a fingerprint first: 64 digits from 0 to 9 and a to f.';
  const stranger = /[^0-9a-f]/u.exec(digits)?.[0];
  if (stranger !== undefined) {
    const name = /\s/.test(stranger) ? 'a space' : `“${stranger}”`;
    return `There is ${name} in it. A fingerprint has only digits from 0 to 9 and a to f.`;
  }
  const difference = digits.length - DIGITS;
  const amount = `${Math.abs(difference)} too ${difference > 0 ? 'many' : 'few'}`;
  return `It has ${digits.length} digits, ${amount}: a fingerprint has ${DIGITS}.`;
}
