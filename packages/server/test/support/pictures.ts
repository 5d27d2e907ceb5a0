// Pictures made from a formula, so that none has to be kept as a file. The formula is told in references/phash.json.

import { readFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { ImageHashes } from '@provenance-registry/core';
import sharp, { type Sharp } from 'sharp';

export interface Picture {
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly cell: number;
}

export const references = (
  JSON.parse(readFileSync(new URL('../references/phash.json', import.meta.url), 'utf8')) as {
    images: (Picture & Required<ImageHashes>)[];
  }
).images.map(({ seed, width, height, cell, ...codes }) => ({ picture: { seed, width, height, cell }, codes }));

interface EncodedPicture extends Required<ImageHashes> {
  readonly name: string;
  readonly file: string;
}

/** Small pictures in many formats; references/images.py makes them. */
export const encodedPictures = (
  JSON.parse(readFileSync(new URL('../references/images.json', import.meta.url), 'utf8')) as {
    images: EncodedPicture[];
  }
).images.map(({ name, file, ...codes }) => ({ name, codes, bytes: inflateSync(Buffer.from(file, 'base64')) }));

export function encodedPicture(name: string): Buffer {
  const picture = encodedPictures.find((one) => one.name === name);
  if (!picture) throw new Error(`no picture ${name}`);
  return picture.bytes;
}

function corner(cx: number, cy: number, channel: number, seed: number): number {
  const n = cx * 131 + cy * 137 + channel * 139 + seed * 149;
  return ((n * n * n) % 65521) % 256;
}

export function draw({ seed, width, height, cell }: Picture): Sharp {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    const channel = at % 3;
    const x = ((at - channel) / 3) % width;
    const y = Math.floor(at / 3 / width);
    const [fx, fy] = [x % cell, y % cell];
    const [cx, cy] = [(x - fx) / cell, (y - fy) / cell];
    const above = corner(cx, cy, channel, seed) * (cell - fx) + corner(cx + 1, cy, channel, seed) * fx;
    const below = corner(cx, cy + 1, channel, seed) * (cell - fx) + corner(cx + 1, cy + 1, channel, seed) * fx;
    pixels[at] = Math.floor((above * (cell - fy) + below * fy) / (cell * cell));
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** A whole black and white PNG with a figure in it, of very few bytes for its size. */
export function blackAndWhitePng(side: number): Buffer {
  const rowBytes = Math.ceil(side / 8) + 1;
  const rows = Buffer.alloc(rowBytes * side);
  const figure = Math.floor(rowBytes / 3);
  for (let y = side / 4; y < side / 2; y += 1) rows.fill(255, y * rowBytes + 1, y * rowBytes + figure);
  return Buffer.concat([
    pngHeader(side),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The signature and the claim of a size, and nothing behind it. */
export function pngHeader(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header)]);
}

export function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, check]);
}
