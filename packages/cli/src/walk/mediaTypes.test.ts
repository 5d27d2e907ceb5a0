import { expect, it } from 'vitest';
import { guessMediaType } from './mediaTypes.js';

it.each([
  ['photo.JPG', 'image/jpeg'],
  ['archive.tar.webp', 'image/webp'],
  ['raw.cr2', 'image/x-canon-cr2'],
  ['song.flac', 'audio/flac'],
  ['film.mkv', 'video/matroska'],
  ['notes.md', 'text/markdown'],
])('%s is %s', (filename, mediaType) => {
  expect(guessMediaType(filename)).toBe(mediaType);
});

it.each(['jpg', '.jpg', 'empty.', 'main.ts', 'file.unknown', 'x.constructor', ''])(
  '%j has no media type',
  (filename) => {
    expect(guessMediaType(filename)).toBeUndefined();
  },
);
