// The perceptual hashes of an image: 64 bits, few of which differ between copies. `pHash` and `dHash` are those of Python's
// ImageHash, so that others can compute them too.

import { type ImageHashes, isImageHash } from '@provenance-registry/core';
import type { GrayImage } from './grayImage.js';
import { type Area, resize, resizeColumnsFirst } from './resample.js';

const DCT_SIDE = 32;
const LOW = 8;
const GRADIENT_SIDE = LOW + 1;
/** Smaller coefficients are rounding errors with a random sign. */
const NOISE = 1e-6;

/** Rounding to 256 levels changes a coefficient by less, and so do copies of good quality. */
const CLEAR_DIFFERENCE = 20;
/**
 * Of 64. With fewer, chance decides most bits: not even a copy is found by them. Photos have about 60, and an image that is
 * symmetrical in both directions at most 16.
 */
const MIN_CLEAR_COEFFICIENTS = 24;

/** The hashes of one form of an image that is searched for. */
export interface QueryHashes {
  readonly pHash: string;
  /** Missing if this form is a gradient. */
  readonly dHash?: string;
}

/** Undefined for an image of one color, a gradient, or too little in it to be recognized: its hashes would be noise. */
export function computeImageHashes(image: GrayImage): ImageHashes | undefined {
  const pHash = dctHash(resize(image, center(image, 1), DCT_SIDE, DCT_SIDE));
  const dHash = gradientHash(resize(image, center(image, 1), GRADIENT_SIDE, LOW));
  if (pHash === undefined || !isImageHash(dHash)) return undefined;
  const pHashCenter90 = dctHash(resize(image, center(image, 0.9), DCT_SIDE, DCT_SIDE));
  const pHashCenter80 = dctHash(resize(image, center(image, 0.8), DCT_SIDE, DCT_SIDE));
  return {
    pHash,
    dHash,
    ...(pHashCenter90 !== undefined && { pHashCenter90 }),
    ...(pHashCenter80 !== undefined && { pHashCenter80 }),
  };
}

/**
 * To search for an image in any orientation: as it is, turned by 90, 180 and 270 degrees clockwise, mirrored (left to right),
 * and mirrored and then turned so. Each equals the hashes of the turned image. Undefined for an image without hashes.
 */
export function computeQueryHashes(image: GrayImage): QueryHashes[] | undefined {
  const area = center(image, 1);
  const square = resize(image, area, DCT_SIDE, DCT_SIDE);
  const gradient = resize(image, area, GRADIENT_SIDE, LOW);
  const squareAcross = transpose(resizeColumnsFirst(image, area, DCT_SIDE, DCT_SIDE), DCT_SIDE);
  const gradientAcross = transpose(resizeColumnsFirst(image, area, LOW, GRADIENT_SIDE), LOW);
  const hashes: QueryHashes[] = [];
  for (const { across, flipX, flipY } of ORIENTATIONS) {
    const pHash = dctHash(flip(across ? squareAcross : square, DCT_SIDE, flipX, flipY));
    const dHash = gradientHash(flip(across ? gradientAcross : gradient, GRADIENT_SIDE, flipX, flipY));
    // Whatever has no hashes itself has no others either.
    if (pHash === undefined || (hashes.length === 0 && !isImageHash(dHash))) return undefined;
    hashes.push({ pHash, ...(isImageHash(dHash) && { dHash }) });
  }
  return hashes;
}

/** Each is made by transposing, then reversing rows or columns. */
const ORIENTATIONS = [
  { across: false, flipX: false, flipY: false },
  { across: true, flipX: true, flipY: false },
  { across: false, flipX: true, flipY: true },
  { across: true, flipX: false, flipY: true },
  { across: false, flipX: true, flipY: false },
  { across: true, flipX: true, flipY: true },
  { across: false, flipX: false, flipY: true },
  { across: true, flipX: false, flipY: false },
] as const;

/** The middle, with this share of each side. */
function center({ width, height }: GrayImage, share: number): Area {
  const left = Math.round((width * (1 - share)) / 2);
  const top = Math.round((height * (1 - share)) / 2);
  return { left, top, width: width - 2 * left, height: height - 2 * top };
}

function transpose(pixels: Uint8Array, width: number): Uint8Array {
  const height = pixels.length / width;
  return pixels.map((_, index) => pixels[(index % height) * width + Math.trunc(index / height)] as number);
}

function flip(pixels: Uint8Array, width: number, flipX: boolean, flipY: boolean): Uint8Array {
  const height = pixels.length / width;
  return pixels.map((_, index) => {
    const [x, y] = [index % width, Math.trunc(index / width)];
    return pixels[(flipY ? height - 1 - y : y) * width + (flipX ? width - 1 - x : x)] as number;
  });
}

/** ImageHash's `phash`, also of images that have too few features to be searched by it. Undefined for one color. */
export function computePerceptualHash(image: GrayImage): string | undefined {
  const coefficients = lowFrequencies(resize(image, center(image, 1), DCT_SIDE, DCT_SIDE));
  if (coefficients.every((value, index) => index === 0 || value === 0)) return undefined;
  const pHash = toHash(coefficients, medianOf(coefficients));
  return isImageHash(pHash) ? pHash : undefined;
}

/** ImageHash's `phash`, of 32 × 32 pixels. Undefined if chance would decide most bits. */
function dctHash(pixels: Uint8Array): string | undefined {
  const coefficients = lowFrequencies(pixels);
  const median = medianOf(coefficients);
  const clear = coefficients.filter((value) => Math.abs(value - median) > CLEAR_DIFFERENCE);
  return clear.length < MIN_CLEAR_COEFFICIENTS ? undefined : toHash(coefficients, median);
}

function medianOf(coefficients: Float64Array): number {
  const sorted = coefficients.toSorted();
  return ((sorted[sorted.length / 2 - 1] as number) + (sorted[sorted.length / 2] as number)) / 2;
}

function toHash(coefficients: Float64Array, median: number): string {
  return toCode(Array.from(coefficients, (value) => value > median));
}

/** ImageHash's `dhash`, of 9 × 8 pixels: whether each pixel is brighter than its left neighbor. */
function gradientHash(pixels: Uint8Array): string {
  const bits: boolean[] = [];
  for (let at = 0; at < pixels.length; at += 1) {
    if (at % GRADIENT_SIDE > 0) bits.push((pixels[at] as number) > (pixels[at - 1] as number));
  }
  return toCode(bits);
}

function toCode(bits: readonly boolean[]): string {
  const binary = bits.map((bit) => (bit ? '1' : '0')).join('');
  return `0x${BigInt(`0b${binary}`).toString(16).padStart(16, '0')}`;
}

/** cos(π · frequency · (2 · at + 1) / 64), frequency by frequency. */
const COSINES = Float64Array.from({ length: LOW * DCT_SIDE }, (_, index) => {
  const [frequency, at] = [Math.trunc(index / DCT_SIDE), index % DCT_SIDE];
  return Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * DCT_SIDE));
});

/** The 8 × 8 lowest coefficients of the two-dimensional DCT-II, row by row. */
function lowFrequencies(pixels: Uint8Array): Float64Array {
  const rows = new Float64Array(DCT_SIDE * LOW);
  for (let y = 0; y < DCT_SIDE; y += 1) {
    for (let u = 0; u < LOW; u += 1) {
      let sum = 0;
      for (let x = 0; x < DCT_SIDE; x += 1) {
        sum += (pixels[y * DCT_SIDE + x] as number) * (COSINES[u * DCT_SIDE + x] as number);
      }
      rows[y * LOW + u] = sum;
    }
  }
  const coefficients = new Float64Array(LOW * LOW);
  for (let v = 0; v < LOW; v += 1) {
    for (let u = 0; u < LOW; u += 1) {
      let sum = 0;
      for (let y = 0; y < DCT_SIDE; y += 1)
        sum += (rows[y * LOW + u] as number) * (COSINES[v * DCT_SIDE + y] as number);
      coefficients[v * LOW + u] = Math.abs(sum) < NOISE ? 0 : sum;
    }
  }
  return coefficients;
}
