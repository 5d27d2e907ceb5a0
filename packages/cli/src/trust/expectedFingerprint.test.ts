import { describe, expect, it } from 'vitest';
import { UsageError } from '../errors.js';
import { parseExpectedFingerprint } from './expectedFingerprint.js';

const full = 'eb858eb4056603673483db2dba9b68d7a8f4e92d573af4b1cf571b4d68dc284e';

describe('a typed fingerprint', () => {
  it.each([
    ['in its short form', 'eb85 8eb4 0566 0367 3483 db2d', full.slice(0, 24)],
    ['in its full form', full, full],
    ['in between', full.slice(0, 30), full.slice(0, 30)],
    ['with colons and capitals', 'EB:85:8E:B4:05:66:03:67:34:83:DB:2D', full.slice(0, 24)],
    ['with 0x', `0x${full}`, full],
    ['with spaces around it', ` ${full}\t`, full],
  ])('is read %s', (_, typed, digits) => {
    expect(parseExpectedFingerprint(typed)).toBe(digits);
  });

  it.each([
    ['nothing', ''],
    ['too few digits', full.slice(0, 23)],
    ['too many digits', `${full}0`],
    ['other characters', `${full.slice(0, 40)}g`],
  ])('is refused: %s', (_, typed) => {
    expect(() => parseExpectedFingerprint(typed)).toThrow(UsageError);
  });
});
