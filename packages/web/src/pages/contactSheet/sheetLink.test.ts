import type { Fingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { decodeSheet, encodeSheet, MAX_SHEET_FILES } from './sheetLink.js';

const fingerprint = (number: number): Fingerprint => `0x${number.toString(16).padStart(64, 'f')}`;
const sheet = { title: 'Été à Łódź – <b>1</b>', fingerprints: [1, 2, 255].map(fingerprint) };

test('a link has its title and fingerprints', () => {
  expect(decodeSheet(encodeSheet(sheet))).toEqual(sheet);
  const largest = {
    title: '',
    fingerprints: Array.from({ length: MAX_SHEET_FILES }, (_, index) => fingerprint(index)),
  };
  expect(decodeSheet(encodeSheet(largest))).toEqual(largest);
});

test('a link that was cut off, changed or made up is refused', () => {
  const link = encodeSheet(sheet);
  for (let length = 1; length < link.length; length += 1) expect(decodeSheet(link.slice(0, length))).toBe('broken');
  for (const text of [
    `${link}A`,
    `${link}.`,
    link.replace('1.3', '1.4'),
    '1.0..',
    `1.201..${'A'.repeat(8576)}`,
    '%',
    'x.1',
  ])
    expect([text.slice(0, 20), decodeSheet(text)]).toEqual([text.slice(0, 20), 'broken']);
  expect(decodeSheet('')).toBe('empty');
  expect(decodeSheet('2.anything')).toBe('version');
});

test('a title cannot turn the text around it', () => {
  const decoded = decodeSheet(encodeSheet({ ...sheet, title: 'a\u202Eb\u2028c\u0000' }));
  expect(decoded).toMatchObject({ title: 'a b c' });
});
