import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deflate } from './cardDeflate.js';

const survives = (data: Uint8Array, stride = 301) => inflateSync(deflate(data, stride)).equals(data);

describe('the compressor of the card', () => {
  it('gives back runs of every length', () => {
    const lengths = Array.from({ length: 600 }, (_, length) => length);
    expect(lengths.filter((length) => !survives(Buffer.concat([Buffer.alloc(length, 5), Buffer.from([9])])))).toEqual(
      [],
    );
  });

  it('gives back what repeats from anywhere in the window and beyond it', () => {
    // A counter in three bytes repeats nothing but its high bytes.
    const counting = (length: number) =>
      Buffer.from(Array.from({ length }, (_, at) => Math.imul(Math.floor(at / 3), 0x9e3779b1) >>> (8 * (at % 3))));
    const word = Buffer.from('the same eighteen.');
    const distances = [18, 300, 1025, 4097, 8193, 16_385, 24_577, 32_749, 32_750, 32_751, 40_000];
    const broken = distances.filter((distance) => !survives(Buffer.concat([word, counting(distance), word])));
    expect(broken).toEqual([]);
  });

  it('gives back whatever it is given', () => {
    const pieces = fc.array(fc.tuple(fc.uint8Array({ maxLength: 20 }), fc.integer({ min: 1, max: 300 })));
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 400 }), (parts, stride) => {
        const data = Buffer.concat(parts.flatMap(([piece, times]) => Array.from({ length: times }, () => piece)));
        expect(survives(data, stride)).toBe(true);
      }),
    );
  });

  it('shortens rows that repeat', () => {
    const row = Buffer.from(Array.from({ length: 301 }, (_, at) => (at * at) % 251));
    const picture = Buffer.concat(Array.from({ length: 400 }, () => row));
    expect(deflate(picture, row.length).length).toBeLessThan(picture.length / 50);
  });
});
