// The fingerprint as a picture that people can share: a 600×400 PNG with the bishop's board and the whole text.
// The same fingerprint gives the same picture on every machine: no font, no clock and no chance has a part in it.

import { crc32, deflateSync } from 'node:zlib';
import { bishopAlphabet, bishopColumns, bishopRows, drunkenBishop } from '@provenance-registry/core';
import { boardFont, captionFont, type Font, fullCoverage, type Glyph, hexFont } from './cardFont.js';

export const cardSize = { width: 600, height: 400 };

/** Where the squares of the board are: `pitch` from one to the next, `tile` of it coloured. */
export const cardBoard = { left: 63, top: 26, pitch: 28, tile: 26 };

/**
 * Twelve shades on one line from night to paper; then start and end, each with a step towards night. What lies between
 * two shades of the line is on the line again: that is how sixteen colours suffice for smooth letters on every ground.
 * The sixth and the seventh are further apart than the others, so that each ground has an ink of 4.5:1 contrast.
 */
export const cardPalette = [
  0x0e1a2b, 0x15263a, 0x1b3449, 0x204459, 0x255769, 0x2b6b79, 0x489390, 0x60a69f, 0x7dbaae, 0x9fcfbe, 0xc6e4d4,
  0xf0f8ee, 0xf6c667, 0xb08f57, 0xff8f7a, 0xb36a61,
];

const night = 0;
const emptySquare = 1;
const captionShade = 7;
const paper = 11;

/** Palette indexes by coverage: from the ground alone to the ink alone. */
type Ink = readonly number[];

const startInk: Ink = [12, 12, 13, night];
const endInk: Ink = [14, 14, 15, night];
const captionInk = inkOn(night, captionShade);

const fingerprintForm = /^0x[0-9a-f]{64}$/;

type Canvas = { width: number; dots: Uint8Array };

type Letters = { advance: number; pictures: ReadonlyMap<string, Canvas> };

const digitsInLine = 32;
const digitsInGroup = 4;
const digitAdvance = 13;
const groupGap = 9;
const digitsLeft = 62;
const firstLine = 300;
const lineHeight = 28;
/** The prefix hangs in the margin, so that the two lines of digits stand one under the other. */
const prefixLeft = 30;
const captionTop = 361;
const captionAdvance = 9;
/** The legend ends where the board ends; its marks have the colours of their squares. */
const captions = [
  { text: 'SHA-256 fingerprint', left: 63, ink: captionInk },
  { text: 'S', left: 420, ink: startInk.toReversed() },
  { text: 'start', left: 435, ink: captionInk },
  { text: 'E', left: 496, ink: endInk.toReversed() },
  { text: 'end', left: 511, ink: captionInk },
];

/** How many dots of the night reach into the corner of a tile, row by row from its edge. */
const cornerCuts = [3, 1, 1];

const digitLetters = inkFont(hexFont, digitAdvance, inkOn(night, paper));
const tiles = new Map([...bishopAlphabet].map((mark) => [mark, drawTile(mark)]));
const blankCard = drawBlankCard();
/** Drawn on again for every card: a new canvas each time would keep the garbage collector busy. */
const scratch = { width: cardSize.width, dots: blankCard.dots.slice() };

/** The card of a fingerprint: `0x` and 64 lower-case hexadecimal digits. */
export function drawCard(fingerprint: string): Buffer {
  if (!fingerprintForm.test(fingerprint))
    throw new RangeError('A fingerprint is 0x and 64 lower-case hexadecimal digits.');
  const digits = fingerprint.slice(2);
  scratch.dots.set(blankCard.dots);
  drawBoard(scratch, drunkenBishop(Buffer.from(digits, 'hex')));
  drawDigits(scratch, digits);
  return encodePng(scratch);
}

function drawBlankCard(): Canvas {
  const canvas = { width: cardSize.width, dots: new Uint8Array(cardSize.width * cardSize.height).fill(night) };
  for (const { text, left, ink } of captions)
    drawText(canvas, inkFont(captionFont, captionAdvance, ink), text, left, captionTop);
  drawText(canvas, inkFont(hexFont, digitAdvance, captionInk), '0x', prefixLeft, firstLine);
  drawBoard(canvas, Array(bishopRows).fill(' '.repeat(bishopColumns)), () => true);
  return canvas;
}

/** Squares that were never visited are on the blank card already. */
function drawBoard(canvas: Canvas, rows: string[], isDrawn = (mark: string) => mark !== ' '): void {
  const { left, top, pitch } = cardBoard;
  for (let row = 0; row < bishopRows; row++) {
    for (let column = 0; column < bishopColumns; column++) {
      const mark = rows[row]?.charAt(column) ?? ' ';
      const tile = isDrawn(mark) ? tiles.get(mark) : undefined;
      if (tile) copy(tile, canvas, left + column * pitch, top + row * pitch);
    }
  }
}

function drawDigits(canvas: Canvas, digits: string): void {
  const groupAdvance = digitsInGroup * digitAdvance + groupGap;
  for (let first = 0; first < digits.length; first += digitsInGroup) {
    const group = (first % digitsInLine) / digitsInGroup;
    const top = firstLine + Math.floor(first / digitsInLine) * lineHeight;
    const text = digits.slice(first, first + digitsInGroup);
    drawText(canvas, digitLetters, text, digitsLeft + group * groupAdvance, top);
  }
}

/** One square of the board with its mark, drawn once and then copied. */
function drawTile(mark: string): Canvas {
  const { tile } = cardBoard;
  const ink = tileInk(mark);
  const canvas = { width: tile, dots: new Uint8Array(tile * tile).fill(ink[0] ?? night) };
  roundCorners(canvas);
  const glyph = boardFont.get(mark);
  if (glyph) copy(inkGlyph(glyph, ink), canvas, (tile - glyph.width) / 2, (tile - glyph.height) / 2);
  return canvas;
}

function tileInk(mark: string): Ink {
  if (mark === 'S') return startInk;
  if (mark === 'E') return endInk;
  const visits = bishopAlphabet.indexOf(mark);
  if (visits === 0) return inkOn(emptySquare, emptySquare);
  // More than eight visits are rare: those squares share a ground, and the mark tells them apart.
  const shade = Math.min(visits + 2, paper - 1);
  const lightestForPaper = 5;
  return inkOn(shade, shade > lightestForPaper ? night : paper);
}

/** Ground and ink must both be shades of the line. */
function inkOn(ground: number, ink: number): Ink {
  return Array.from({ length: fullCoverage + 1 }, (_, covered) =>
    Math.round(ground + ((ink - ground) * covered) / fullCoverage),
  );
}

function roundCorners({ width, dots }: Canvas): void {
  for (const [depth, cut] of cornerCuts.entries()) {
    for (const row of [depth, width - 1 - depth]) {
      dots.fill(night, row * width, row * width + cut);
      dots.fill(night, (row + 1) * width - cut, (row + 1) * width);
    }
  }
}

/** Letters with their ink and the ground around them: made once, and from then on only copied. */
function inkFont(font: Font, advance: number, ink: Ink): Letters {
  return { advance, pictures: new Map([...font].map(([letter, glyph]) => [letter, inkGlyph(glyph, ink)])) };
}

function inkGlyph({ width, dots }: Glyph, ink: Ink): Canvas {
  return { width, dots: dots.map((covered) => ink[covered] ?? night) };
}

function drawText(canvas: Canvas, { advance, pictures }: Letters, text: string, left: number, top: number): void {
  let x = left;
  for (const letter of text) {
    const picture = pictures.get(letter);
    if (picture) copy(picture, canvas, x, top);
    x += advance;
  }
}

function copy(from: Canvas, to: Canvas, left: number, top: number): void {
  for (let row = 0; row * from.width < from.dots.length; row++) {
    const line = from.dots.subarray(row * from.width, (row + 1) * from.width);
    to.dots.set(line, (top + row) * to.width + left);
  }
}

/** Beyond this level, bytes hardly get fewer and the time grows; the memory makes it quicker. */
const COMPRESSION = { level: 6, memLevel: 9 };

const rowBytes = 1 + cardSize.width / 2;
/** Filled anew for every card, like the canvas. */
const packed = new Uint8Array(cardSize.height * rowBytes);
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const header = chunk('IHDR', headerData());
const palette = chunk(
  'PLTE',
  Buffer.from(cardPalette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
);
const end = chunk('IEND', Buffer.alloc(0));

function encodePng(canvas: Canvas): Buffer {
  const rows = packRows(canvas);
  return Buffer.concat([signature, header, palette, chunk('IDAT', deflateSync(rows, COMPRESSION)), end]);
}

function headerData(): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(cardSize.width, 0);
  data.writeUInt32BE(cardSize.height, 4);
  const bitDepth = 4;
  const indexedColour = 3;
  data.set([bitDepth, indexedColour, 0, 0, 0], 8);
  return data;
}

/** Two dots a byte; the first byte of each row stays 0, which says that the row is not filtered. */
function packRows({ dots }: Canvas): Uint8Array {
  let dot = 0;
  for (let row = 0; row < packed.length; row += rowBytes) {
    for (let place = row + 1; place < row + rowBytes; place++) {
      packed[place] = ((dots[dot] ?? night) << 4) | (dots[dot + 1] ?? night);
      dot += 2;
    }
  }
  return packed;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
