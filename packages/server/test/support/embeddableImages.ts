// An image of every format that can carry its manifest.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { type WritableType, writableTypes } from '../../src/c2pa/containers/index.js';
import { pngChunk } from '../../src/c2pa/containers/png.js';

export type EmbeddableType = WritableType;

/** `shade`: images of different shades have different bytes. */
export async function embeddableImages(shade = 7): Promise<Record<EmbeddableType, Buffer<ArrayBuffer>>> {
  const entries = writableTypes.map(async (type) => [type, await embeddableImage(type, shade)]);
  return Object.fromEntries(await Promise.all(entries));
}

export async function embeddableImage(type: EmbeddableType, shade: number): Promise<Buffer<ArrayBuffer>> {
  const pixels = Buffer.from(Array.from({ length: 96 * 64 * 3 }, (_, index) => (index * shade + (index >> 5)) % 256));
  const image = sharp(pixels, { raw: { width: 96, height: 64, channels: 3 } });
  return Buffer.from(await encoders[type](image, shade));
}

const encoders: Readonly<Record<EmbeddableType, (image: Sharp, shade: number) => Promise<Buffer> | Buffer>> = {
  'image/jpeg': (image) => image.jpeg().toBuffer(),
  'image/png': (image) => image.png().toBuffer(),
  'image/apng': async (image) => animate(await image.png().toBuffer()),
  'image/webp': (image) => image.webp().toBuffer(),
  'image/tiff': (image) => image.tiff().toBuffer(),
  'image/x-adobe-dng': async (image) => toDng(await image.tiff().toBuffer()),
  'image/gif': (image) => image.gif().toBuffer(),
  'image/avif': (image) => image.avif().toBuffer(),
  'image/heic': async (image) => heicOf(await image.png().toBuffer()),
  'image/heif': async (image) => withBrand(heicOf(await image.png().toBuffer()), 'mif1'),
  'image/svg+xml': (_, shade) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="${shade}" height="50" fill="red"/></svg>`,
    ),
};

/** sharp writes no HEIC; Debian's encoder does. */
function heicOf(png: Uint8Array): Buffer<ArrayBuffer> {
  return convert('heif-enc', png, 'png', 'heic');
}

export function pngOf(heic: Uint8Array): Buffer<ArrayBuffer> {
  return convert('heif-convert', heic, 'heic', 'png');
}

/** With a thumbnail, and the EXIF data of the JPEG. */
export function heicWithThumbnail(jpeg: Uint8Array): Buffer<ArrayBuffer> {
  return convert('heif-enc', jpeg, 'jpg', 'heic', ['--thumb', '20']);
}

function convert(
  program: string,
  image: Uint8Array,
  from: string,
  to: string,
  options: string[] = [],
): Buffer<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'heic-'));
  try {
    const [source, target] = [join(folder, `image.${from}`), join(folder, `image.${to}`)];
    writeFileSync(source, image);
    const output = program === 'heif-enc' ? ['-o', target] : [target];
    execFileSync(program, [...options, source, ...output], { stdio: 'ignore' });
    return Buffer.from(readFileSync(target));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An animation of two frames: the image, twice. */
function animate(png: Buffer): Buffer<ArrayBuffer> {
  const [signature, header] = [png.subarray(0, 8), png.subarray(8, 33)];
  const data = imageData(png);
  const number = (...values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
    return bytes;
  };
  const frame = (sequence: number) =>
    pngChunk(
      'fcTL',
      Buffer.concat([
        number(sequence, png.readUInt32BE(16), png.readUInt32BE(20), 0, 0),
        Buffer.from([0, 1, 0, 10, 0, 0]),
      ]),
    );
  return Buffer.concat([
    signature,
    header,
    pngChunk('acTL', number(2, 0)),
    frame(0),
    pngChunk('IDAT', data),
    frame(1),
    pngChunk('fdAT', Buffer.concat([number(2), data])),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The content of all IDAT chunks. */
function imageData(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return Buffer.concat(parts);
}

/** With the tag that makes a TIFF a DNG: its version, as the last entry of the only directory. */
function toDng(tiff: Buffer): Buffer<ArrayBuffer> {
  const start = tiff.readUInt32LE(4);
  const count = tiff.readUInt16LE(start);
  const directory = Buffer.from(tiff.subarray(start, start + 2 + 12 * count));
  directory.writeUInt16LE(count + 1, 0);
  const version = Buffer.from('12c6010004000000' + '01040000' + '00000000', 'hex');
  const copy = Buffer.concat([tiff, Buffer.alloc(tiff.length % 2), directory, version]);
  copy.writeUInt32LE(tiff.length + (tiff.length % 2), 4);
  return copy;
}

function withBrand(image: Buffer, brand: string): Buffer<ArrayBuffer> {
  const copy = Buffer.from(image);
  copy.write(brand, 8, 'latin1');
  return copy;
}
