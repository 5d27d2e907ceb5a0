// The perceptual hash of an image: the 64-bit DCT hash of Python's ImageHash (`phash`), so that others can compute it too.

import { decodeImage } from './imageDecoder.js';

const SIDE = 32;
const LOW = 8;
/** Smaller coefficients are rounding errors with a random sign. */
const NOISE = 1e-6;

/** `0x` and 16 hexadecimal digits; undefined for an image of one color. Throws if the image is unreadable. */
export async function perceptualHash(bytes: Uint8Array): Promise<string | undefined> {
  const { width, height, pixels } = await decodeImage(bytes);
  // First rows, then columns, each rounded to integers as in the reference.
  const coefficients = lowFrequencies(resample(resample(pixels, width, height), height, SIDE));
  if (coefficients.every((value, index) => index === 0 || value === 0)) return undefined;
  const sorted = coefficients.toSorted((a, b) => a - b);
  const median = ((sorted[sorted.length / 2 - 1] ?? 0) + (sorted[sorted.length / 2] ?? 0)) / 2;
  const bits = Array.from(coefficients, (value) => (value > median ? '1' : '0')).join('');
  return `0x${BigInt(`0b${bits}`).toString(16).padStart(16, '0')}`;
}

/** Scales rows to 32 pixels and transposes the result, so that the second pass is the same. */
function resample(pixels: Uint8Array, length: number, rows: number): Uint8Array {
  const result = new Uint8ClampedArray(SIDE * rows);
  for (let x = 0; x < SIDE; x += 1) {
    const { first, weights } = lanczos(x, length);
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

function lanczos(x: number, length: number): { first: number; weights: number[] } {
  const scale = length / SIDE;
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
  const along = (frequency: number, at: number) => Math.cos((Math.PI * frequency * (2 * at + 1)) / (2 * SIDE));
  const coefficients = new Float64Array(LOW * LOW);
  for (let v = 0; v < LOW; v += 1) {
    for (let u = 0; u < LOW; u += 1) {
      const sum = pixels.reduce(
        (total, pixel, index) => total + pixel * along(v, Math.trunc(index / SIDE)) * along(u, index % SIDE),
        0,
      );
      coefficients[v * LOW + u] = Math.abs(sum) < NOISE ? 0 : sum;
    }
  }
  return coefficients;
}
