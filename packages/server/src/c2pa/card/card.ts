// The card of a fingerprint: a 600×400 PNG with its randomart and its full text. The same fingerprint gives the same bytes
// on every machine: the card depends on no system font, clock or random number.

import { deflateSync } from 'node:zlib';
import {
  computeRandomart,
  isFingerprint,
  RANDOMART_ALPHABET,
  RANDOMART_COLUMNS,
  RANDOMART_ROWS,
} from '@provenance-registry/core';
import { pngChunk } from '../containers/png.js';
import { boardFont, captionFont, type Font, fullCoverage, type Glyph, hexFont } from './cardFont.js';

export const cardSize = { width: 600, height: 400 };

/**
 * Position of the randomart's squares: `pitch` from one to the next, `tile` of it colored. Squares and digits start and end
 * at even pixels: a byte holds two, so whole bytes can be copied.
 */
export const cardBoard = { left: 62, top: 26, pitch: 28, tile: 26 };

/**
 * Twelve shades on a line from dark to light; then the colors of start and end, each with a darker step. The mean of two
 * shades is again on the line, so sixteen colors suffice for antialiased text on every background. The gap between the
 * sixth and the seventh shade gives each background a text color with a contrast of 4.5:1.
 */
export const cardPalette = [
  0x0e1a2b, 0x15263a, 0x1b3449, 0x204459, 0x255769, 0x2b6b79, 0x489390, 0x60a69f, 0x7dbaae, 0x9fcfbe, 0xc6e4d4,
  0xf0f8ee, 0xf6c667, 0xb08f57, 0xff8f7a, 0xb36a61,
];

const darkest = 0;
const emptySquare = 1;
const captionShade = 7;
const lightest = 11;

/** Palette indexes by coverage, from the background to the full text color. */
type Ink = readonly number[];

const startInk: Ink = [12, 12, 13, darkest];
const endInk: Ink = [14, 14, 15, darkest];
const captionInk = inkOn(darkest, captionShade);

type Canvas = { width: number; dots: Uint8Array };

/** Two pixels a byte, as in the file. */
type Packed = { width: number; bytes: Uint8Array };

const rowBytes = 1 + cardSize.width / 2;
const digitsInLine = 32;
const digitsInGroup = 4;
const digitAdvance = 14;
const groupGap = 8;
const digitsLeft = 62;
const firstLine = 300;
const lineHeight = 28;
/** The prefix stands in the margin, so that the two lines of digits are aligned. */
const prefixLeft = 30;
const captionTop = 361;
const captionAdvance = 9;
/** Right-aligned with the randomart; S and E have the colors of their squares. */
const captions = [
  { text: 'SHA-256 fingerprint', left: 62, ink: captionInk },
  { text: 'S', left: 420, ink: startInk.toReversed() },
  { text: 'start', left: 435, ink: captionInk },
  { text: 'E', left: 496, ink: endInk.toReversed() },
  { text: 'end', left: 511, ink: captionInk },
];

/** Rounded corners of a tile: background pixels in each row from its edge. */
const cornerCuts = [3, 1, 1];

const digits = new Map([...hexFont].map(([digit, glyph]) => [digit, pack(inkGlyph(glyph, inkOn(darkest, lightest)))]));
const tiles = new Map([...RANDOMART_ALPHABET].map((mark) => [mark, pack(drawTile(mark))]));
const blankRows = toRows(drawBlankCard());
/** Reused for every card to avoid garbage. */
const rows = blankRows.slice();

export function drawCard(fingerprint: string): Buffer {
  if (!isFingerprint(fingerprint)) throw new RangeError('A fingerprint is 0x and 64 lower-case hexadecimal digits.');
  const text = fingerprint.slice(2);
  rows.set(blankRows);
  copyBoard(computeRandomart(Buffer.from(text, 'hex')));
  copyDigits(text);
  return encodePng();
}

function drawBlankCard(): Canvas {
  const canvas = { width: cardSize.width, dots: new Uint8Array(cardSize.width * cardSize.height).fill(darkest) };
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
      // The blank card has the unvisited squares.
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

/** One square of the randomart with its character. */
function drawTile(mark: string): Canvas {
  const { tile } = cardBoard;
  const ink = tileInk(mark);
  const canvas = { width: tile, dots: new Uint8Array(tile * tile).fill(ink[0] ?? darkest) };
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
  // More than eight visits are rare: such squares share a background and differ by their character.
  const shade = Math.min(visits + 2, lightest - 1);
  const lastDarkShade = 5;
  return inkOn(shade, shade > lastDarkShade ? darkest : lightest);
}

/** Background and ink must both be among the twelve shades. */
function inkOn(background: number, ink: number): Ink {
  return Array.from({ length: fullCoverage + 1 }, (_, covered) =>
    Math.round(background + ((ink - background) * covered) / fullCoverage),
  );
}

function roundCorners({ width, dots }: Canvas): void {
  for (const [depth, cut] of cornerCuts.entries()) {
    for (const row of [depth, width - 1 - depth]) {
      dots.fill(darkest, row * width, row * width + cut);
      dots.fill(darkest, (row + 1) * width - cut, (row + 1) * width);
    }
  }
}

/** A glyph with its background. */
function inkGlyph({ width, dots }: Glyph, ink: Ink): Canvas {
  return { width, dots: dots.map((covered) => ink[covered] ?? darkest) };
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
    const [first = darkest, second = darkest] = dots.subarray(pair * 2, pair * 2 + 2);
    return (first << 4) | second;
  });
  return { width: width / 2, bytes };
}

/** Pixels as in the file: each row starts with a 0 byte, for no filter. */
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
    // Byte by byte: for so few, creating a view of each row costs more than the copying.
    for (let place = 0; place < width; place++) rows[to + place] = bytes[from + place] ?? 0;
    to += rowBytes;
  }
}

/** Higher levels take longer and save hardly any bytes; more memory makes it faster. */
const COMPRESSION = { level: 6, memLevel: 9 };

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const header = pngChunk('IHDR', headerData());
const palette = pngChunk(
  'PLTE',
  Buffer.from(cardPalette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255])),
);
const end = pngChunk('IEND', Buffer.alloc(0));

function encodePng(): Buffer {
  return Buffer.concat([signature, header, palette, pngChunk('IDAT', deflateSync(rows, COMPRESSION)), end]);
}

function headerData(): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(cardSize.width, 0);
  data.writeUInt32BE(cardSize.height, 4);
  const bitDepth = 4;
  const indexedColor = 3;
  data.set([bitDepth, indexedColor, 0, 0, 0], 8);
  return data;
}
