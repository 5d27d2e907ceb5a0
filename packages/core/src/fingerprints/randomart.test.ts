import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRandomart, drawRandomart, RANDOMART_ALPHABET } from './randomart.js';

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const count = (rows: string[], character: string) => rows.join('').split(character).length - 1;

const emptyFile = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('randomart', () => {
  it('equals what ssh-keygen draws for the fingerprint of a key', () => {
    expect(computeRandomart(bytes('78dda812d5ec1b49048d10d02ec31b154031dd58e77cde585d1eb3728f1d5475'))).toEqual([
      '   .**+Bo+o    +E',
      '     .= oB.   .o*',
      '   . o  . * ...+o',
      '    = .o + * +ooo',
      '     =o S * + o o',
      '    .  o . o     ',
      '      . . .      ',
      '       .         ',
      '                 ',
    ]);
  });

  it('is framed for terminals with the name of the hash in the bottom edge', () => {
    expect(drawRandomart(bytes(emptyFile)).split('\n')).toEqual([
      '+-----------------+',
      '| ++=E.           |',
      '|+=B*             |',
      '|.=@oo            |',
      '|.B.O o           |',
      '|  X = + S        |',
      '| . = B + .       |',
      '|  . O =..        |',
      '|   o *o          |',
      '|  ....o.         |',
      '+----[SHA256]-----+',
    ]);
  });

  it('ends in the upper left corner when every bit is 0', () => {
    expect(computeRandomart(new Uint8Array(32))).toEqual([
      'E....            ',
      '     .           ',
      '      .          ',
      '       .         ',
      '        S        ',
      ...Array.from({ length: 4 }, () => ' '.repeat(17)),
    ]);
  });

  it('ends in the lower right corner when every bit is 1', () => {
    expect(computeRandomart(new Uint8Array(32).fill(0xff))).toEqual([
      ...Array.from({ length: 4 }, () => ' '.repeat(17)),
      '        S        ',
      '         .       ',
      '          .      ',
      '           .     ',
      '            ....E',
    ]);
  });

  it('shows only the end when the walk returns to its start, and caps the visit count at its alphabet', () => {
    // 0xcc steps up left, down right, twice.
    const rows = computeRandomart(new Uint8Array(32).fill(0xcc));
    expect(rows[3]).toBe('       ^         ');
    expect(rows[4]).toBe('        E        ');
    expect(count(rows, ' ')).toBe(17 * 9 - 2);
  });

  it.each([0, 31, 33, 64])('refuses %i bytes', (length) => {
    expect(() => computeRandomart(new Uint8Array(length))).toThrow(`A SHA-256 digest has 32 bytes, not ${length}.`);
    expect(() => drawRandomart(new Uint8Array(length))).toThrow(RangeError);
  });

  it('marks one end and one start, unless they are the same square', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
        const rows = computeRandomart(digest);
        const startSquare = rows[4]?.charAt(8);
        expect(rows.map((row) => row.length)).toEqual(Array.from({ length: 9 }, () => 17));
        expect([...rows.join('')].every((character) => RANDOMART_ALPHABET.includes(character))).toBe(true);
        expect(count(rows, 'E')).toBe(1);
        expect(count(rows, 'S')).toBe(startSquare === 'E' ? 0 : 1);
        expect(startSquare).toMatch(/[SE]/);
      }),
      { examples: [[new Uint8Array(32).fill(0xcc)]] },
    );
  });
});
