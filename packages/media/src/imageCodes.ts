// The codes of an image: 64-bit hashes that differ in few bits between copies. `pHash` and `dHash` are those of Python's
// ImageHash, so that others can compute them too.

import type { ImageCodes } from '@provenance-registry/core';
import type { GrayImage } from './grayImage.js';

const DCT_SIDE = 32;
const LOW = 8;
/** Smaller coefficients are rounding errors with a random sign. */
const NOISE = 1e-6;

/** Undefined for an image of one color: its codes would be noise. */
export function computeImageCodes(image: GrayImage): ImageCodes | undefined {
  const pHash = dctHash(image);
  if (pHash === undefined) return undefined;
  const pHashCenter90 = dctHash(cropCenter(image, 0.9));
  const pHashCenter80 = dctHash(cropCenter(image, 0.8));
  return {
    pHash,
    dHash: gradientHash(image),
    ...(pHashCenter90 !== undefined && { pHashCenter90 }),
    ...(pHashCenter80 !== undefined && { pHashCenter80 }),
  };
}

/** ImageHash's `phash`. */
function dctHash(image: GrayImage): string | undefined {
  const coefficients = lowFrequencies(resize(image, DCT_SIDE, DCT_SIDE));
  if (coefficients.every((value, index) => index === 0 || value === 0)) return undefined;
  const sorted = coefficients.toSorted((a, b) => a - b);
  const median = ((sorted[sorted.length / 2 - 1] ?? 0) + (sorted[sorted.length / 2] ?? 0)) / 2;
  return toCode(Array.from(coefficients, (value) => value > median));
}

/** ImageHash's `dhash`: whether each pixel is brighter than its left neighbor. */
function gradientHash(image: GrayImage): string {
  const side = LOW + 1;
  const pixels = resize(image, side, LOW);
  const bits: boolean[] = [];
  for (let row = 0; row < LOW; row += 1) {
    for (let x = 1; x < side; x += 1) bits.push((pixels[row * side + x] ?? 0) > (pixels[row * side + x - 1] ?? 0));
  }
  return toCode(bits);
}

function toCode(bits: readonly boolean[]): string {
  const binary = bits.map((bit) => (bit ? '1' : '0')).join('');
  return `0x${BigInt(`0b${binary}`).toString(16).padStart(16, '0')}`;
}

/** The middle, with this share of each side. */
function cropCenter({ width, height, pixels }: GrayImage, share: number): GrayImage {
  const [left, top] = [width, height].map((side) => Math.round((side * (1 - share)) / 2)) as [number, number];
  const [croppedWidth, croppedHeight] = [width - 2 * left, height - 2 * top];
  const cropped = new Uint8Array(croppedWidth * croppedHeight);
  for (let row = 0; row < croppedHeight; row += 1) {
    const start = (row + top) * width + left;
    cropped.set(pixels.subarray(start, start + croppedWidth), row * croppedWidth);
  }
  return { width: croppedWidth, height: croppedHeight, pixels: cropped };
}

/** First rows, then columns, each rounded to integers as in the reference. */
function resize({ width, height, pixels }: GrayImage, newWidth: number, newHeight: number): Uint8Array {
  return resample(resample(pixels, width, height, newWidth), height, newWidth, newHeight);
}

/** Scales rows to a new length and transposes the result, so that the second pass is the same. */
function resample(pixels: Uint8Array, length: number, rows: number, newLength: number): Uint8Array {
  const result = new Uint8ClampedArray(newLength * rows);
  for (let x = 0; x < newLength; x += 1) {
    const { first, weights } = lanczos(x, length, newLength);
    for (let row = 0; row < rows; row += 1) {
      let sum = ROUNDING;
      const start = row * length + first;
      for (let k = 0; k < weights.length; k += 1) sum += (pixels[start + k] ?? 0) * (weights[k] ?? 0);
      result[x * rows + row] = Math.floor(sum / ONE);
    }
  }
  return new Uint8Array(result.buffer);
}

/** 1 and 0.5 in the reference's fixed-point format with 22 fraction bits. */
const ONE = 2 ** 22;
const ROUNDING = ONE / 2;
const LOBES = 3;

function lanczos(x: number, length: number, newLength: number): { first: number; weights: number[] } {
  const scale = length / newLength;
  const stretch = Math.max(scale, 1);
  const support = LOBES * stretch;
  const center = (x + 0.5) * scale;
  const first = Math.max(Math.trunc(center - support + 0.5), 0);
  const end = Math.min(Math.trunc(center + support + 0.5), length);
  const exact = Array.from({ length: end - first }, (_, k) => windowedSinc((k + first - center + 0.5) * (1 / stretch)));
  const sum = exact.reduce((total, weight) => total + weight, 0);
  return { first, weights: exact.map((weight) => roundHalfAway((weight / sum) * ONE)) };
}

function windowedSinc(x: number): number {
  return x >= -LOBES && x < LOBES ? sinc(x) * sinc(x / LOBES) : 0;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI);
}

function roundHalfAway(x: number): number {
  return Math.trunc(x + (x < 0 ? -0.5 : 0.5));
}

/** The 8 × 8 lowest coefficients of the two-dimensional DCT-II, row by row. */
function lowFrequencies(pixels: Uint8Array): Float64Array {
  const along = (frequency: number, at: number) => Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * DCT_SIDE));
  const coefficients = new Float64Array(LOW * LOW);
  for (let v = 0; v < LOW; v += 1) {
    for (let u = 0; u < LOW; u += 1) {
      const sum = pixels.reduce(
        (total, pixel, index) => total + pixel * along(v, Math.trunc(index / DCT_SIDE)) * along(u, index % DCT_SIDE),
        0,
      );
      coefficients[v * LOW + u] = Math.abs(sum) < NOISE ? 0 : sum;
    }
  }
  return coefficients;
}
