import { createHash } from 'node:crypto';
import { computeRandomart, RANDOMART_COLUMNS, RANDOMART_ROWS } from '@provenance-registry/core';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { cardBoard, cardPalette, cardSize, drawCard } from './card.js';

const fingerprintOf = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`;
const emptyFile = fingerprintOf('');

/** The color of each pixel, by an independent decoder. */
async function decode(png: Buffer): Promise<(x: number, y: number) => number> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, info.channels]).toEqual([cardSize.width, cardSize.height, 3]);
  return (x, y) => data.readUIntBE((y * info.width + x) * 3, 3);
}

function chunkTypes(png: Buffer): string[] {
  const types: string[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) types.push(png.toString('latin1', at + 4, at + 8));
  return types;
}

describe('the card of a fingerprint', () => {
  it('is a plain PNG of 600 by 400 with sixteen colors', async () => {
    const png = drawCard(emptyFile);
    expect(chunkTypes(png)).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 600, height: 400, bitsPerSample: 4 });
    expect(new Set(cardPalette).size).toBe(16);
  });

  it('is the same picture on every machine and every time', async () => {
    const pixels = await sharp(drawCard(emptyFile)).removeAlpha().toColourspace('srgb').raw().toBuffer();
    // Published cards must stay reproducible: change this only on purpose.
    expect(createHash('sha256').update(pixels).digest('hex')).toBe(
      'a416dd290328aaeeec5afca32734e3e1dbe1426fe699bdd663df5209837302b3',
    );
  });

  it('is small', () => {
    const sizes = Array.from({ length: 50 }, (_, number) => drawCard(fingerprintOf(`file ${number}`)).length);
    expect(Math.max(...sizes)).toBeLessThan(5.5 * 1024);
  });

  it.each([emptyFile, fingerprintOf('a'), `0x${'00'.repeat(32)}`, `0x${'cc'.repeat(32)}`])(
    'shows the walk of %s',
    async (fingerprint) => {
      const colorAt = await decode(drawCard(fingerprint));
      const rows = computeRandomart(Buffer.from(fingerprint.slice(2), 'hex'));
      const pictures = new Map<string, string>();
      for (let row = 0; row < RANDOMART_ROWS; row++) {
        for (let column = 0; column < RANDOMART_COLUMNS; column++) {
          const mark = rows[row]?.charAt(column) ?? '';
          const tile = tileAt(colorAt, column, row);
          expectGround(mark, tile);
          expect(tile.join()).toBe(pictures.get(mark) ?? tile.join());
          pictures.set(mark, tile.join());
        }
      }
      expect(new Set(pictures.values()).size).toBe(pictures.size);
    },
  );

  it('shows each digit at its own position, in reading order', async () => {
    const before = await decode(drawCard(emptyFile));
    const places: { line: number; left: number }[] = [];
    for (let digit = 2; digit < emptyFile.length; digit++) {
      const other = emptyFile.charAt(digit) === '7' ? '4' : '7';
      const after = await decode(drawCard(emptyFile.slice(0, digit) + other + emptyFile.slice(digit + 1)));
      const { left, right, top, bottom } = changedBelowBoard(before, after);
      expect(right - left).toBeLessThanOrEqual(10);
      expect(bottom - top).toBeLessThanOrEqual(17);
      places.push({ line: Math.floor(top / 28), left });
    }
    expect(new Set(places.map(({ line }) => line)).size).toBe(2);
    expect(places).toEqual(places.toSorted((one, two) => one.line - two.line || one.left - two.left));
    expect(new Set(places.map(({ line, left }) => `${line} ${left}`)).size).toBe(64);
  });

  it.each([
    '',
    'e3b0',
    emptyFile.slice(2),
    emptyFile.toUpperCase(),
    `0x${emptyFile.slice(2).toUpperCase()}`,
    `${emptyFile}0`,
    emptyFile.slice(0, -1),
    `${emptyFile}\n`,
    ` ${emptyFile}`,
    `${emptyFile.slice(0, -1)}g`,
  ])('refuses %j', (text) => {
    expect(() => drawCard(text)).toThrow('A fingerprint is 0x and 64 lower-case hexadecimal digits.');
  });
});

/** The pixels of a square without its rounded edge. */
function tileAt(colorAt: (x: number, y: number) => number, column: number, row: number): number[] {
  const { left, top, pitch, tile } = cardBoard;
  const rim = 3;
  const size = tile - 2 * rim;
  return Array.from({ length: size * size }, (_, dot) =>
    colorAt(left + column * pitch + rim + (dot % size), top + row * pitch + rim + Math.floor(dot / size)),
  );
}

function expectGround(mark: string, tile: number[]) {
  const [night, empty] = cardPalette;
  const [start, , end] = cardPalette.slice(12);
  const ground = tile[0];
  if (mark === 'S') expect(ground).toBe(start);
  else if (mark === 'E') expect(ground).toBe(end);
  else if (mark === ' ') expect(new Set(tile)).toEqual(new Set([empty]));
  else expect([night, empty, start, end]).not.toContain(ground);
  expect(new Set(tile).size > 1).toBe(mark !== ' ');
}

type ColorAt = (x: number, y: number) => number;

function changedBelowBoard(before: ColorAt, after: ColorAt) {
  const box = { left: cardSize.width, right: 0, top: cardSize.height, bottom: 0 };
  for (let y = cardBoard.top + RANDOMART_ROWS * cardBoard.pitch; y < cardSize.height; y++) {
    for (let x = 0; x < cardSize.width; x++) {
      if (before(x, y) === after(x, y)) continue;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
    }
  }
  return box;
}
