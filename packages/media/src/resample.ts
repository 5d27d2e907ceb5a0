// Resizes gray images bit for bit as Pillow does with its Lanczos filter, which the reference uses.

import type { GrayImage } from './grayImage.js';

/** A part of an image, in pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Fraction bits of the reference's fixed-point weights. */
const PRECISION_BITS = 22;
const ROUNDING = 2 ** (PRECISION_BITS - 1);
const LOBES = 3;

/** Resizes rows and then columns, each rounded to integers. */
export function resize(image: GrayImage, area: Area, newWidth: number, newHeight: number): Uint8Array {
  const rows = scaleRows(image, area, newWidth);
  return scaleColumns(
    { width: newWidth, height: area.height, pixels: rows },
    { left: 0, top: 0, width: newWidth, height: area.height },
    newHeight,
  );
}

/** Equals `resize` of the transposed image, transposed back: columns come first, which changes the rounding. */
export function resizeColumnsFirst(image: GrayImage, area: Area, newWidth: number, newHeight: number): Uint8Array {
  const columns = scaleColumns(image, area, newHeight);
  return scaleRows(
    { width: area.width, height: newHeight, pixels: columns },
    { left: 0, top: 0, width: area.width, height: newHeight },
    newWidth,
  );
}

function scaleRows({ width, pixels }: GrayImage, area: Area, newWidth: number): Uint8Array {
  const filters = lanczosFilters(area.width, newWidth);
  const result = new Uint8Array(newWidth * area.height);
  for (let row = 0; row < area.height; row += 1) {
    const rowStart = (row + area.top) * width + area.left;
    for (let x = 0; x < newWidth; x += 1) {
      const { first, weights } = filters[x] as Filter;
      // As an integer: this loop takes most of the time.
      const start = (rowStart + first) | 0;
      let sum = ROUNDING;
      for (let k = 0; k < weights.length; k += 1) {
        sum = (sum + Math.imul(pixels[start + k] as number, weights[k] as number)) | 0;
      }
      result[row * newWidth + x] = toByte(sum);
    }
  }
  return result;
}

function scaleColumns({ width, pixels }: GrayImage, area: Area, newHeight: number): Uint8Array {
  const filters = lanczosFilters(area.height, newHeight);
  const result = new Uint8Array(area.width * newHeight);
  const sums = new Int32Array(area.width);
  for (let y = 0; y < newHeight; y += 1) {
    const { first, weights } = filters[y] as Filter;
    sums.fill(ROUNDING);
    // Row by row, because memory is read in this order.
    for (let k = 0; k < weights.length; k += 1) {
      const weight = weights[k] as number;
      const start = ((area.top + first + k) * width + area.left) | 0;
      for (let x = 0; x < sums.length; x += 1) {
        sums[x] = (sums[x] as number) + Math.imul(pixels[start + x] as number, weight);
      }
    }
    for (let x = 0; x < sums.length; x += 1) result[y * area.width + x] = toByte(sums[x] as number);
  }
  return result;
}

function toByte(sum: number): number {
  return Math.min(Math.max(sum >> PRECISION_BITS, 0), 255);
}

/** Which pixels one new pixel consists of. */
interface Filter {
  readonly first: number;
  readonly weights: Int32Array;
}

function lanczosFilters(length: number, newLength: number): Filter[] {
  const scale = length / newLength;
  const stretch = Math.max(scale, 1);
  const support = LOBES * stretch;
  return Array.from({ length: newLength }, (_, x) => {
    const center = (x + 0.5) * scale;
    const first = Math.max(Math.trunc(center - support + 0.5), 0);
    const end = Math.min(Math.trunc(center + support + 0.5), length);
    const exact = new Float64Array(end - first);
    let sum = 0;
    for (let k = 0; k < exact.length; k += 1) {
      const weight = windowedSinc((k + first - center + 0.5) * (1 / stretch));
      exact[k] = weight;
      sum += weight;
    }
    const weights = new Int32Array(exact.length);
    for (let k = 0; k < weights.length; k += 1) {
      weights[k] = roundHalfAway(((exact[k] as number) / sum) * 2 ** PRECISION_BITS);
    }
    return { first, weights };
  });
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
