// Draws the icons of the site from one SVG: favicon, icons for home screens, and the web app manifest.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const FAVICON_SIZES = [16, 32, 48];
/** Systems cut up to a tenth off each side of a maskable icon. */
const MASKABLE_PART = 0.8;
const PAPER = '#fbfaf7';

/** Draws an icon as PNG. @param {Buffer} svg @param {number} size */
export function drawIcon(svg, size) {
  return drawSvg(svg, size).png({ palette: true }).toBuffer();
}

/** @param {Buffer} svg @param {number} size */
function drawSvg(svg, size) {
  return sharp(svg, { density: 72 * Math.max(1, size / 32) }).resize(size, size);
}

/** @param {string} source an SVG that fills a square @param {string} folder */
export async function writeIconSet(source, folder) {
  const svg = readFileSync(source);
  const [, background] = /fill="(#[0-9a-f]{6})"/i.exec(svg.toString()) ?? [];
  if (background === undefined) throw new Error(`${source} has no background color`);
  mkdirSync(folder, { recursive: true });
  /** @param {number} size */
  const draw = (size) => drawSvg(svg, size);
  /** Fills the square: systems round its corners themselves. @param {number} size @param {number} part of the icon */
  const drawSquare = async (size, part) => {
    const inner = Math.round(size * part);
    const edge = Math.floor((size - inner) / 2);
    const other = size - inner - edge;
    const picture = await draw(inner).png().toBuffer();
    return sharp(picture)
      .extend({ top: edge, left: edge, bottom: other, right: other, background })
      .flatten({ background })
      .png({ palette: true })
      .toBuffer();
  };
  /** @param {string} name @param {string | Uint8Array} content */
  const write = (name, content) => writeFileSync(join(folder, name), content);
  /** @param {number} size */
  const toPng = (size) => drawIcon(svg, size);
  write(
    'favicon.ico',
    toIco(FAVICON_SIZES, await Promise.all(FAVICON_SIZES.map((size) => draw(size).png().toBuffer()))),
  );
  write('apple-touch-icon.png', await drawSquare(180, 1));
  write('icon-192.png', await toPng(192));
  write('icon-512.png', await toPng(512));
  write('icon-maskable-512.png', await drawSquare(512, MASKABLE_PART));
  write('manifest.webmanifest', JSON.stringify(describeApp(background)));
}

/** @param {string} background */
function describeApp(background) {
  /** @param {string} src @param {number} size @param {'any' | 'maskable'} purpose */
  const icon = (src, size, purpose) => ({
    src,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    name: 'Provenance registry',
    short_name: 'Provenance',
    start_url: '/',
    display: 'browser',
    theme_color: background,
    background_color: PAPER,
    icons: [
      icon('/icon-192.png', 192, 'any'),
      icon('/icon-512.png', 512, 'any'),
      icon('/icon-maskable-512.png', 512, 'maskable'),
    ],
  };
}

/** A directory of PNG files, which all current systems read. @param {readonly number[]} sizes @param {readonly Buffer[]} images */
function toIco(sizes, images) {
  const directory = Buffer.alloc(6 + 16 * images.length);
  directory.writeUInt16LE(1, 2);
  directory.writeUInt16LE(images.length, 4);
  let offset = directory.length;
  for (const [index, image] of images.entries()) {
    const at = 6 + 16 * index;
    directory.writeUInt8(sizes[index] ?? 0, at);
    directory.writeUInt8(sizes[index] ?? 0, at + 1);
    directory.writeUInt16LE(1, at + 4);
    directory.writeUInt16LE(32, at + 6);
    directory.writeUInt32LE(image.length, at + 8);
    directory.writeUInt32LE(offset, at + 12);
    offset += image.length;
  }
  return Buffer.concat([directory, ...images]);
}
