import { expect, test } from 'vitest';
import { parseFingerprint } from './parseFingerprint.js';

const digits = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

test.each([
  `0x${digits}`,
  digits,
  digits.toUpperCase(),
  `0X${digits.toUpperCase()}`,
  ` 0x${digits}\n`,
  `sha256:${digits}`,
])('%j is parsed as a fingerprint', (text) => {
  expect(parseFingerprint(text)).toEqual({ fingerprint: `0x${digits}` });
});

test.each([
  ['', 'Enter a fingerprint: 64 hexadecimal digits (0–9, a–f).'],
  ['0x', 'Enter a fingerprint: 64 hexadecimal digits (0–9, a–f).'],
  [digits.slice(1), 'It has 63 digits, 1 too few: a fingerprint has 64.'],
  [`${digits}00`, 'It has 66 digits, 2 too many: a fingerprint has 64.'],
  [`0x${digits.slice(1)}g`, 'It contains “g”. A fingerprint has only hexadecimal digits (0–9, a–f).'],
  [
    `${digits.slice(0, 32)} ${digits.slice(32)}`,
    'It contains a space. A fingerprint has only hexadecimal digits (0–9, a–f).',
  ],
  ['sunrise😀.jpg', 'It contains “s”. A fingerprint has only hexadecimal digits (0–9, a–f).'],
])('%j is rejected with the reason', (text, problem) => {
  expect(parseFingerprint(text)).toEqual({ problem });
});
