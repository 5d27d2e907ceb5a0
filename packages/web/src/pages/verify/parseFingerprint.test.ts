// The ways in which people write a fingerprint, and what they are told when it is none.

import { expect, test } from 'vitest';
import { readPasted } from './parseFingerprint.js';

const digits = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

test.each([
  `0x${digits}`,
  digits,
  digits.toUpperCase(),
  `0X${digits.toUpperCase()}`,
  ` 0x${digits}\n`,
  `sha256:${digits}`,
])('%j is understood as the fingerprint it means', (text) => {
  expect(readPasted(text)).toEqual({ fingerprint: `0x${digits}` });
});

test.each([
  ['', 'Paste a fingerprint first: 64 digits from 0 to 9 and a to f.'],
  ['0x', 'Paste a fingerprint first: 64 digits from 0 to 9 and a to f.'],
  [digits.slice(1), 'It has 63 digits, 1 too few: a fingerprint has 64.'],
  [`${digits}00`, 'It has 66 digits, 2 too many: a fingerprint has 64.'],
  [`0x${digits.slice(1)}g`, 'There is “g” in it. A fingerprint has only digits from 0 to 9 and a to f.'],
  [
    `${digits.slice(0, 32)} ${digits.slice(32)}`,
    'There is a space in it. A fingerprint has only digits from 0 to 9 and a to f.',
  ],
  ['sunrise😀.jpg', 'There is “s” in it. A fingerprint has only digits from 0 to 9 and a to f.'],
])('%j is no fingerprint, and it is said why', (text, problem) => {
  expect(readPasted(text)).toEqual({ problem });
});
