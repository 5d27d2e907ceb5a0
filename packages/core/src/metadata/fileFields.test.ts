import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { Filename, isFilename, isMediaType, MediaType, parseFileTime } from './fileFields.js';

describe('a filename', () => {
  it.each(['a', 'sunrise.jpg', '../../a', 'שָׁלוֹם.png', 'a\u200Fb', '🎨'.repeat(1024)])('may be %j', (name) => {
    expect([Value.Check(Filename, name), isFilename(name)]).toEqual([true, true]);
  });
  it.each(['', 'a\0', 'a\u0085', 'a\ud800', '\u202Egpj.exe', 'a\u202A', 'a\u2066b', 'a\u2069', 'x'.repeat(1025)])(
    'may not be %j',
    (name) => expect(isFilename(name)).toBe(false),
  );
});

describe('a media type', () => {
  it.each([
    'image/jpeg',
    'IMAGE/SVG+XML',
    'application/vnd.oasis.opendocument.text',
    'text/plain; charset=utf-8',
    'text/plain ;charset=utf-8;',
    'video/webm;codecs="vp8, vorbis"; a=b ',
  ])('may be %j', (text) => {
    expect([Value.Check(MediaType, text), isMediaType(text)]).toEqual([true, true]);
  });
  it.each([
    'image',
    'image/',
    '/jpeg',
    'a photo',
    'image/jp eg',
    'image/jpeg/x',
    'image/jpeg; a',
    'image/jpég',
    'image/jpeg\n',
    `a/${'b'.repeat(254)}`,
    `a/b${' ; '.repeat(80)}!`,
  ])('may not be %j', (text) => {
    expect([Value.Check(MediaType, text), isMediaType(text)]).toEqual([false, false]);
  });
});

describe('the time of a file', () => {
  it.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-06-01T12:00', '2026-06-01T12:00:00.000Z'],
    ['2026-06-01T00:30:00+01:00', '2026-05-31T23:30:00.000Z'],
    ['0000-02-29', '0000-02-29T00:00:00.000Z'],
    [1_780_315_200_000, '2026-06-01T12:00:00.000Z'],
    ['1780315200000', '2026-06-01T12:00:00.000Z'],
  ])('%j is %s', (value, time) => expect(parseFileTime(value)).toBe(time));
  it.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-02-29T10:00:00Z',
    '2026-04-31',
    '2026-00-10',
    '2026-06-01T25:00',
    '1e3',
  ])('%j is none', (value) => expect(parseFileTime(value)).toBeUndefined());
});
