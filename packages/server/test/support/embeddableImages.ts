// An image of every format that can carry its manifest.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { embeddableTypes } from '../../src/c2pa/embedder.js';

export type EmbeddableType = (typeof embeddableTypes)[number];

/** `shade`: images of different shades have different bytes. */
export async function embeddableImages(shade = 7): Promise<Record<EmbeddableType, Buffer<ArrayBuffer>>> {
  const pixels = Buffer.from(Array.from({ length: 96 * 64 * 3 }, (_, index) => (index * shade + (index >> 5)) % 256));
  const image = () => sharp(pixels, { raw: { width: 96, height: 64, channels: 3 } });
  const whole = async (written: Promise<Buffer>) => Buffer.from(await written);
  return {
    'image/jpeg': await whole(image().jpeg().toBuffer()),
    'image/png': await whole(image().png().toBuffer()),
    'image/webp': await whole(image().webp().toBuffer()),
    'image/tiff': await whole(image().tiff().toBuffer()),
    'image/gif': await whole(image().gif().toBuffer()),
    'image/avif': await whole(image().avif().toBuffer()),
    'image/heic': heicOf(await image().png().toBuffer()),
    'image/svg+xml': Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="${shade}" height="50" fill="red"/></svg>`,
    ),
  };
}

/** sharp writes no HEIC; Debian's encoder does. */
function heicOf(png: Uint8Array): Buffer<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'heic-'));
  try {
    writeFileSync(join(folder, 'image.png'), png);
    execFileSync('heif-enc', [join(folder, 'image.png'), '-o', join(folder, 'image.heic')], { stdio: 'ignore' });
    return Buffer.from(readFileSync(join(folder, 'image.heic')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
