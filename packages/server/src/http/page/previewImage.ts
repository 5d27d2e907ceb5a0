// Preview images for links in messengers and social networks: 1200×630 PNG. They show no name: names are in any script, and
// the outlines here are few. What they show of an Artifact is public for every one: fingerprint, status and date.

import {
  type Artifact,
  computeRandomart,
  digestOf,
  type Fingerprint,
  formatDay,
  RANDOMART_ALPHABET,
} from '@provenance-registry/core';
import { digitFont, type OutlineFont, textFont } from './previewFont.generated.js';

const previewSize = { width: 1200, height: 630 };

const colors = {
  background: '#0e1a2b',
  text: '#f0f8ee',
  quiet: '#9fcfbe',
  good: '#7fd8ac',
  warn: '#f6c667',
  start: '#f6c667',
  end: '#ff8f7a',
  empty: '#15263a',
};
/** Colors of squares by the number of visits, as on the card. */
const shades = ['#204459', '#255769', '#2b6b79', '#489390', '#60a69f', '#7dbaae', '#9fcfbe', '#c6e4d4'];

/** What an image shows; equal facts give equal images. */
export interface PreviewFacts {
  readonly fingerprint: Fingerprint;
  readonly headline: string;
  readonly color: string;
  readonly lines: readonly string[];
}

/** Undefined for a failed Artifact, which is not registered. */
export function previewFacts({ fingerprint, status, claims, createdAt }: Artifact): PreviewFacts | undefined {
  if (status === 'failed') return undefined;
  const day = `${formatDay(createdAt)}, UTC`;
  if (status === 'pending' || status === 'submitting') {
    return { fingerprint, headline: 'Being registered', color: colors.quiet, lines: [day, 'Not on chain yet'] };
  }
  return {
    fingerprint,
    headline: claims.contested ? 'Contested' : 'Registered',
    color: claims.contested ? colors.warn : colors.good,
    lines: [claims.contested ? `Registered ${day}` : day, 'On chain, as this service states'],
  };
}

const MARGIN = 64;
const BOARD_PITCH = 36;
const BOARD_TILE = 33;
const FACTS_LEFT = 716;
const DIGITS_IN_LINE = 32;
const DIGIT_ADVANCE = 25;
const GROUP_GAP = 12;

export function drawArtifactPreview({ fingerprint, headline, color, lines }: PreviewFacts, icon: string): string {
  return drawPicture([
    drawBoard(fingerprint),
    drawText(headline, FACTS_LEFT, 170, 50, color),
    ...lines.map((line, index) => drawText(line, FACTS_LEFT, 230 + index * 44, 24, colors.text)),
    drawText('SHA-256 fingerprint', MARGIN, 448, 24, colors.quiet),
    drawDigits(fingerprint.slice(2)),
    drawIcon(icon, FACTS_LEFT, 310, 56),
    drawText('Provenance registry', FACTS_LEFT + 76, 348, 28, colors.text),
  ]);
}

export function drawSitePreview(icon: string): string {
  return drawPicture([
    drawIcon(icon, 96, 120, 150),
    drawText('Provenance registry', 290, 222, 78, colors.text),
    drawText('Find out who registered a file, and when,', 96, 400, 46, colors.quiet),
    drawText('without uploading it.', 96, 466, 46, colors.quiet),
  ]);
}

function drawPicture(parts: readonly string[]): string {
  const { width, height } = previewSize;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${colors.background}"/>${parts.join('')}</svg>`;
}

function drawBoard(fingerprint: Fingerprint): string {
  const squares = computeRandomart(digestOf(fingerprint)).flatMap((row, y) =>
    [...row].map((mark, x) => {
      const [left, top] = [MARGIN + x * BOARD_PITCH, MARGIN + y * BOARD_PITCH];
      return `<rect x="${left}" y="${top}" width="${BOARD_TILE}" height="${BOARD_TILE}" rx="4" fill="${squareColor(mark)}"/>`;
    }),
  );
  return squares.join('');
}

function squareColor(mark: string): string {
  if (mark === 'S') return colors.start;
  if (mark === 'E') return colors.end;
  const visits = RANDOMART_ALPHABET.indexOf(mark);
  return visits === 0 ? colors.empty : (shades[Math.min(visits, shades.length) - 1] ?? colors.empty);
}

function drawDigits(digits: string): string {
  const placed = [...digits].map((digit, place) => {
    const inLine = place % DIGITS_IN_LINE;
    const left = MARGIN + inLine * DIGIT_ADVANCE + Math.floor(inLine / 4) * GROUP_GAP;
    return drawGlyphs(digitFont, digit, left, 506 + Math.floor(place / DIGITS_IN_LINE) * 56, 42, colors.text);
  });
  return placed.join('');
}

function drawText(text: string, left: number, baseline: number, size: number, color: string): string {
  return drawGlyphs(textFont, text, left, baseline, size, color);
}

function drawGlyphs(
  font: OutlineFont,
  text: string,
  left: number,
  baseline: number,
  size: number,
  color: string,
): string {
  let advanced = 0;
  const paths = [...text].map((character) => {
    const [advance, path] = font[character] ?? [0, ''];
    const placed = path === '' ? '' : `<path transform="translate(${advanced})" d="${path}"/>`;
    advanced += advance;
    return placed;
  });
  return `<g transform="translate(${left} ${baseline}) scale(${size / 1000})" fill="${color}">${paths.join('')}</g>`;
}

/** @param icon SVG, embedded as an image of its own */
function drawIcon(icon: string, left: number, top: number, size: number): string {
  const address = `data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}`;
  return `<image href="${address}" x="${left}" y="${top}" width="${size}" height="${size}"/>`;
}
