// Decodes an image to the gray pixels that the reference hashes: without transparency and color profile, turned upright.

import type { Sharp, default as SharpLibrary } from 'sharp';
import { decodeBmp, isBmp } from '../bmp.js';
import { findTransparentColor } from '../gif.js';
import { type GrayImage, luma, lumaOfInks, MAX_PIXELS } from '../grayImage.js';
import { DecoderMissingError } from './decoderMissingError.js';
import { decodeHeic, isHeic } from './heic.js';

/** Up to this size the hash equals the reference bit for bit, in about 150 ms. */
const EXACT_PIXELS = 4e6;
/** Larger images are scaled to this first, which changes a few bits of the hash at most. */
const SHRUNK_SIDE = 512;

/**
 * Formats of libvips that are read. All others are blocked, whatever a file looks like to it: SVG, PDF and the formats of
 * other programs.
 */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'];

/** What those loaders read, by sharp's names. */
const FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif', 'avif']);

async function loadSharp(): Promise<typeof SharpLibrary> {
  try {
    return (await import('sharp')).default;
  } catch (cause) {
    throw new DecoderMissingError('sharp', cause);
  }
}

/**
 * For processes that do nothing else with sharp: each hashes one image at a time, and each image once. Throws
 * DecoderMissingError without sharp.
 */
export async function restrictLoaders(): Promise<void> {
  const sharp = await loadSharp();
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) });
  sharp.cache(false);
  sharp.concurrency(1);
}

/** Throws if the image is unreadable; DecoderMissingError if sharp or libheif would be needed and is not installed. */
export async function decodeImage(bytes: Uint8Array): Promise<GrayImage> {
  if (isBmp(bytes)) return decodeBmp(bytes);
  return isHeic(bytes) ? decodeHeic(bytes) : decodeWithSharp(bytes);
}

async function decodeWithSharp(bytes: Uint8Array): Promise<GrayImage> {
  const sharp = await loadSharp();
  const original = sharp(bytes, {
    limitInputPixels: MAX_PIXELS,
    failOn: 'error',
    sequentialRead: true,
    pages: 1,
    // The reference ignores color profiles too.
    ignoreIcc: true,
  });
  const { width, height, space, format, depth, hasAlpha } = await original.metadata();
  // Processes of others have not restricted their loaders.
  if (!FORMATS.has(format)) throw new Error('unsupported image format');
  const isInk = space === 'cmyk';
  let image = original.autoOrient().toColourspace(isInk ? 'cmyk' : 'srgb');
  // Otherwise libvips converts by a color profile.
  if (isInk) image.pipelineColourspace('cmyk');
  // Of transparent pixels, libvips keeps the color in all formats but this one.
  if (format === 'gif') image.flatten({ background: findTransparentColor(bytes) });
  if (width * height > EXACT_PIXELS) {
    // Scaling would weigh colors by their opacity.
    if (hasAlpha && format !== 'gif' && !isInk) image = await removeAlpha(image);
    image.resize(SHRUNK_SIDE, SHRUNK_SIDE, { fit: 'inside' });
  }
  // Without it, inks of 16 bits would be clipped.
  const is16Bit = isInk && depth === 'ushort';
  const { data, info } = await image.raw(is16Bit ? { depth } : {}).toBuffer({ resolveWithObject: true });
  const samples = is16Bit ? upperBytes(data) : data;
  const convert = isInk ? inksToGray : toGray;
  return { width: info.width, height: info.height, pixels: convert(samples, info.channels) };
}

async function removeAlpha(image: Sharp): Promise<Sharp> {
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const sharp = await loadSharp();
  return sharp(data, { raw: info, limitInputPixels: MAX_PIXELS });
}

function upperBytes(data: Buffer): Uint8Array {
  return Uint8Array.from(new Uint16Array(data.buffer, data.byteOffset, data.length / 2), (value) => value >> 8);
}

/** Ignores transparency, as the reference does. */
function toGray(data: Uint8Array, channels: number): Uint8Array {
  const pixels = new Uint8Array(data.length / channels);
  const [green, blue] = channels < 3 ? [0, 0] : [1, 2];
  for (let pixel = 0, at = 0; pixel < pixels.length; pixel += 1, at += channels) {
    pixels[pixel] = luma(data[at] ?? 0, data[at + green] ?? 0, data[at + blue] ?? 0);
  }
  return pixels;
}

function inksToGray(data: Uint8Array, channels: number): Uint8Array {
  const pixels = new Uint8Array(data.length / channels);
  for (let pixel = 0, at = 0; pixel < pixels.length; pixel += 1, at += channels) {
    pixels[pixel] = lumaOfInks(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 0);
  }
  return pixels;
}
