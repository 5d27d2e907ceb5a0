// The fingerprint as a picture that people can share: a 600×400 PNG with the bishop's board and the whole text.
// The same fingerprint gives the same picture on every machine: no font, no clock and no chance has a part in it.

import { crc32, deflateSync } from 'node:zlib';
import { computeRandomart, RANDOMART_ALPHABET, RANDOMART_COLUMNS, RANDOMART_ROWS } from '@provenance-registry/core';
import { boardFont, captionFont, type Font, fullCoverage, type Glyph, hexFont } from './cardFont.js';

export const cardSize = { width: 600, height: 400 };

/**
 * Where the squares of the board are: `pitch` from one to the next, `tile` of it coloured. What differs from card to
 * card, squares and digits, begins and ends between two bytes of two dots each, so that whole bytes are copied.
 */
export const cardBoard = { left: 62, top: 26, pitch: 28, tile: 26 };

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

/** Two dots a byte, as in the file. */
type Packed = { width: number; bytes: Uint8Array };

const rowBytes = 1 + cardSize.width / 2;
const digitsInLine = 32;
const digitsInGroup = 4;
const digitAdvance = 14;
const groupGap = 8;
const digitsLeft = 62;
const firstLine = 300;
const lineHeight = 28;
/** The prefix hangs in the margin, so that the two lines of digits stand one under the other. */
const prefixLeft = 30;
const captionTop = 361;
const captionAdvance = 9;
/** The legend ends where the board ends; its marks have the colours of their squares. */
const captions = [
  { text: 'SHA-256 fingerprint', left: 62, ink: captionInk },
  { text: 'S', left: 420, ink: startInk.toReversed() },
  { text: 'start', left: 435, ink: captionInk },
  { text: 'E', left: 496, ink: endInk.toReversed() },
  { text: 'end', left: 511, ink: captionInk },
];

/** How many dots of the night reach into the corner of a tile, row by row from its edge. */
const cornerCuts = [3, 1, 1];

const digits = new Map([...hexFont].map(([digit, glyph]) => [digit, pack(inkGlyph(glyph, inkOn(night, paper)))]));
const tiles = new Map([...RANDOMART_ALPHABET].map((mark) => [mark, pack(drawTile(mark))]));
const blankRows = toRows(drawBlankCard());
/** Filled anew for every card: new memory each time would keep the garbage collector busy. */
const rows = blankRows.slice();

/** The card of a fingerprint: `0x` and 64 lower-case hexadecimal digits. */
export function drawCard(fingerprint: string): Buffer {
  if (!fingerprintForm.test(fingerprint))
    throw new RangeError('A fingerprint is 0x and 64 lower-case hexadecimal digits.');
  const text = fingerprint.slice(2);
  rows.set(blankRows);
  copyBoard(computeRandomart(Buffer.from(text, 'hex')));
  copyDigits(text);
  return encodePng();
}

function drawBlankCard(): Canvas {
  const canvas = { width: cardSize.width, dots: new Uint8Array(cardSize.width * cardSize.height).fill(night) };
  for (const { text, left, ink } of captions)
    drawText(canvas, captionFont, captionAdvance, ink, text, left, captionTop);
  drawText(canvas, hexFont, digitAdvance, captionInk, '0x', prefixLeft, firstLine);
  const { left, top, pitch } = cardBoard;
  for (let row = 0; row < RANDOMART_ROWS; row++) {
    for (let column = 0; column < RANDOMART_COLUMNS; column++) {
      draw(drawTile(' '), canvas, left + column * pitch, top + row * pitch);
    }
  }
  return canvas;
}

function copyBoard(board: string[]): void {
  const { left, top, pitch } = cardBoard;
  for (const [row, marks] of board.entries()) {
    for (let column = 0; column < RANDOMART_COLUMNS; column++) {
      const mark = marks.charAt(column);
      // Squares that were never visited are on the blank card already.
      if (mark !== ' ') copy(tiles.get(mark), left + column * pitch, top + row * pitch);
    }
  }
}

function copyDigits(text: string): void {
  for (let place = 0; place < text.length; place++) {
    const inLine = place % digitsInLine;
    const left = digitsLeft + inLine * digitAdvance + Math.floor(inLine / digitsInGroup) * groupGap;
    copy(digits.get(text.charAt(place)), left, firstLine + Math.floor(place / digitsInLine) * lineHeight);
  }
}

/** One square of the board with its mark, drawn once and then copied. */
function drawTile(mark: string): Canvas {
  const { tile } = cardBoard;
  const ink = tileInk(mark);
  const canvas = { width: tile, dots: new Uint8Array(tile * tile).fill(ink[0] ?? night) };
  roundCorners(canvas);
  const glyph = boardFont.get(mark);
  if (glyph) draw(inkGlyph(glyph, ink), canvas, (tile - glyph.width) / 2, (tile - glyph.height) / 2);
  return canvas;
}

function tileInk(mark: string): Ink {
  if (mark === 'S') return startInk;
  if (mark === 'E') return endInk;
  const visits = RANDOMART_ALPHABET.indexOf(mark);
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

/** A letter with its ink and the ground around it. */
function inkGlyph({ width, dots }: Glyph, ink: Ink): Canvas {
  return { width, dots: dots.map((covered) => ink[covered] ?? night) };
}

function drawText(
  canvas: Canvas,
  font: Font,
  advance: number,
  ink: Ink,
  text: string,
  left: number,
  top: number,
): void {
  for (const [place, letter] of [...text].entries()) {
    const glyph = font.get(letter);
    if (glyph) draw(inkGlyph(glyph, ink), canvas, left + place * advance, top);
  }
}

function draw(from: Canvas, to: Canvas, left: number, top: number): void {
  for (let row = 0; row * from.width < from.dots.length; row++) {
    const line = from.dots.subarray(row * from.width, (row + 1) * from.width);
    to.dots.set(line, (top + row) * to.width + left);
  }
}

function pack({ width, dots }: Canvas): Packed {
  const bytes = Uint8Array.from({ length: dots.length / 2 }, (_, pair) => {
    const [first = night, second = night] = dots.subarray(pair * 2, pair * 2 + 2);
    return (first << 4) | second;
  });
  return { width: width / 2, bytes };
}

/** As the file has them: the first byte of each row stays 0, which says that the row is not filtered. */
function toRows(canvas: Canvas): Uint8Array {
  const { width, bytes } = pack(canvas);
  const all = new Uint8Array(cardSize.height * rowBytes);
  for (let row = 0; row < cardSize.height; row++) {
    all.set(bytes.subarray(row * width, (row + 1) * width), row * rowBytes + 1);
  }
  return all;
}

function copy(picture: Packed | undefined, left: number, top: number): void {
  if (!picture) return;
  const { width, bytes } = picture;
  let to = top * rowBytes + 1 + left / 2;
  for (let from = 0; from < bytes.length; from += width) {
    // Byte by byte: for so few of them a view of each line would cost more than the copying.
    for (let place = 0; place < width; place++) rows[to + place] = bytes[from + place] ?? 0;
    to += rowBytes;
  }
}

/** Beyond this level, bytes hardly get fewer and the time grows; the memory makes it quicker. */
const COMPRESSION = { level: 6, memLevel: 9 };

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const header = chunk('IHDR', headerData());
const palette = chunk(
  'PLTE',
  Buffer.from(cardPalette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
);
const end = chunk('IEND', Buffer.alloc(0));

function encodePng(): Buffer {
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

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
