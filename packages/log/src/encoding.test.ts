import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeHash, decodeUtf8, encodeBase64, encodeUtf8, parseDecimal } from './encoding.js';
import { LogFormatError } from './errors.js';

describe('base64', () => {
  it.each(['', 'AA==', 'AAA=', 'AAAA', '/+8=', `${'A'.repeat(43)}=`])('has one form of each value: %j', (text) => {
    expect(encodeBase64(decodeBase64(text))).toBe(text);
  });

  it.each(['A', 'AA', 'AAA', 'AB==', 'AAB=', 'AA=', 'AA===', 'AA==AA==', 'A A=', 'AA==\n', '_-8=', '=', 'ÄA=='])(
    'is refused in any other form: %j',
    (text) => expect(() => decodeBase64(text)).toThrow(LogFormatError),
  );

  it('of a hash has 32 bytes', () => {
    expect(decodeHash(`${'A'.repeat(43)}=`)).toEqual(new Uint8Array(32));
    for (const text of ['', 'AAAA', `${'A'.repeat(42)}==`, 'A'.repeat(44)]) {
      expect(() => decodeHash(text)).toThrow(LogFormatError);
    }
  });
});

describe('decimal numbers', () => {
  it.each([0, 1, 10, 2 ** 32, Number.MAX_SAFE_INTEGER])('have one form: %j', (value) => {
    expect(parseDecimal(String(value))).toBe(value);
  });

  it.each(['', '00', '01', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1\n', '٣', '9007199254740992', '1'.repeat(40)])(
    'are refused in any other form: %j',
    (text) => expect(() => parseDecimal(text)).toThrow(LogFormatError),
  );
});

describe('text', () => {
  it('keeps a byte order mark, which is signed with it', () => {
    expect(encodeUtf8(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)))).toEqual(
      Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
    );
  });

  it('is refused if it is not Unicode', () => {
    expect(() => decodeUtf8(Uint8Array.of(0xff))).toThrow(LogFormatError);
    // A surrogate, encoded.
    expect(() => decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toThrow(LogFormatError);
    expect(() => encodeUtf8('a\ud800b')).toThrow(LogFormatError);
    expect(encodeUtf8('🌍')).toHaveLength(4);
  });
});
