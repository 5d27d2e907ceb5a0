import { describe, expect, it } from 'vitest';
import { cleanName, isPublicName, nameSkeleton } from './names.js';

const reserved = 'the word "verified"';

describe('a name that others see', () => {
  it.each([
    'Ada',
    'Reuters',
    'Zoë Ünal',
    'שָׁלוֹם',
    'राम',
    'Агентство «Рейтер»',
    '東京新聞',
    '🎨 Studio',
    'Unverified',
    'Verifiedly',
    'Verification News',
    'Official Gazette',
    'C++ & Co. (2026)',
  ])('may be %s', (name) => {
    expect([isPublicName(name), cleanName(name)]).toEqual([true, name]);
  });

  it.each([
    ['a zero-width space', 'Reu\u200Bters', 'Reuters'],
    ['a zero-width joiner', 'Reu\u200Dters', 'Reuters'],
    ['a soft hyphen', 'Reu\u00ADters', 'Reuters'],
    ['a right-to-left mark', 'Reuters\u200F', 'Reuters'],
    ['a Hangul filler', 'Reuters\u3164', 'Reuters'],
    ['a variation selector', 'Reuters \u2764\uFE0F', 'Reuters \u2764'],
    ['a tag character', 'Reuters\u{E0041}', 'Reuters'],
    ['a blank Braille pattern', 'Reuters\u2800', 'Reuters'],
    ['a private-use character', 'Reuters\uF8FF', 'Reuters'],
    ['a check mark and brackets', '\u2705 Reuters (verified)', 'Reuters'],
    ['a check mark', 'Reuters\u2714', 'Reuters'],
    ['a check mark in a box', 'Reuters \u2611', 'Reuters'],
    ['a light check mark', 'Reuters \u{1F5F8}', 'Reuters'],
    ['a square root', 'Reuters \u221A', 'Reuters'],
    [reserved, 'Verified', ''],
    [reserved, 'Reuters VERIFIED', 'Reuters'],
    [reserved, 'verified_Reuters', '_Reuters'],
    [reserved, 'V\u0435rif\u0456ed Reuters', 'Reuters'],
    [reserved, '\uFF56\uFF45\uFF52\uFF49\uFF46\uFF49\uFF45\uFF44', ''],
    [reserved, 'Ver|fied', ''],
    [reserved, 'Ver1f1ed', ''],
    [reserved, 'Unverified (verified)', 'Unverified'],
    ['only a check mark', '\u2713', ''],
  ])('may not contain %s: %j', (_what, name, cleaned) => {
    expect([isPublicName(name), cleanName(name)]).toEqual([false, cleaned]);
  });
});

describe('the skeleton of a name', () => {
  it.each([
    ['Reuters', 'REUTERS.'],
    ['Reuters', 'R\u0435uters'], // Cyrillic e
    ['Reuters', 'Reu\u200Bters'],
    ['Reuters', 'R e u t e r s'],
    ['Reuters', 'R\u00E9uters'],
    ['Reuters', '\u2605Reuters\u00AE\u2605'],
    ['Reuters', '\u{1D57D}\u{1D58A}\u{1D59A}\u{1D599}\u{1D58A}\u{1D597}\u{1D598}'], // Fraktur
    ['Reuters', '\u{1F1F7}\u{1F1EA}\u{1F1FA}\u{1F1F9}\u{1F1EA}\u{1F1F7}\u{1F1F8}'], // regional indicators
    ['Reuters', '\u{1F161}\u{1F154}\u{1F164}\u{1F163}\u{1F154}\u{1F161}\u{1F162}'], // negative circled letters
    ['Reuters', '\u0280\u1D07\u1D1C\u1D1B\u1D07\u0280\uA731'], // small capitals
    ['PayPal', 'PayPaI'],
    ['Instagram', 'lnstagrarn'],
    ['INSTAGRAM', 'instagram'],
    ['NATO', '\u039D\u0391\u03A4\u039F'], // Greek
    ['coca', '\u03F2oca'], // lunate sigma
    ['Bj\u00F8rn', 'Bjorn'],
    ['Wei\u00DF', 'WEISS'],
    ['O2', '02'],
    ['ПЕРВЫЙ КАНАЛ', 'Первый канал'],
    ['БЫЛ ЗАМОК ЮГА ГДЕ', 'был замок юга где'],
  ])('is the same for %s and %s', (one, other) => {
    expect(nameSkeleton(one)).toBe(nameSkeleton(other));
  });

  it.each([
    ['Reuters', 'Routers'],
    ['Reuters', 'Reuters 2'],
    ['राम', 'रम'],
    ['東京', '京都'],
    ['🌄', '🌅'],
    ['+++', '---'],
    ['Han', 'Van'],
  ])('differs for %s and %s', (one, other) => {
    expect(nameSkeleton(one)).not.toBe(nameSkeleton(other));
  });

  it('is the same for the capital and small form of every Latin and Cyrillic letter', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ', ...'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ'];
    const different = letters.filter((letter) => nameSkeleton(letter) !== nameSkeleton(letter.toLowerCase()));
    expect(different).toEqual([]);
  });
});
