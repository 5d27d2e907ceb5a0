// Reads BMP (all depths from 1 to 32 bits, bit fields, run lengths) to gray pixels, as the reference does.

import { type GrayImage, luma, MAX_PIXELS } from './grayImage.js';

const FILE_HEADER_BYTES = 14;
/** Size of the header of OS/2, whose fields have 16 bits. */
const CORE_HEADER_BYTES = 12;
/** Size without the masks, which follow it. */
const INFO_HEADER_BYTES = 40;
const OS2_HEADER_BYTES = 64;
const headerSizes: readonly number[] = [CORE_HEADER_BYTES, INFO_HEADER_BYTES, 52, 56, OS2_HEADER_BYTES, 108, 124];

const compressions = { none: 0, rle8: 1, rle4: 2, bitFields: 3 } as const;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly compression: number;
  readonly size: number;
  readonly colors: number;
}

export function isBmp(bytes: Uint8Array): boolean {
  return bytes[0] === 0x42 && bytes[1] === 0x4d;
}

/** Throws if the image is unreadable. */
export function decodeBmp(bytes: Uint8Array): GrayImage {
  const view = viewOf(bytes);
  const header = readHeader(view);
  const { width, height, isTopDown, compression } = header;
  if (width < 1 || height < 1 || width * height > MAX_PIXELS) throw new Error('unsupported size of a bitmap');
  const isRunLength = compression === compressions.rle8 || compression === compressions.rle4;
  const pixels = isRunLength ? readRuns(view, header) : readRows(bytes, view, header);
  return { width, height, pixels: isTopDown ? pixels : reverseRows(pixels, width, height) };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readHeader(view: DataView): Header {
  const at = FILE_HEADER_BYTES;
  const size = view.getUint32(at, true);
  if (!headerSizes.includes(size)) throw new Error('unsupported header of a bitmap');
  if (size === CORE_HEADER_BYTES) {
    const [width, height] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
    const bits = view.getUint16(at + 10, true);
    return { width, height, isTopDown: false, bits, compression: compressions.none, size, colors: 2 ** bits };
  }
  const height = view.getInt32(at + 8, true);
  const bits = view.getUint16(at + 14, true);
  return {
    width: view.getInt32(at + 4, true),
    height: Math.abs(height),
    isTopDown: height < 0,
    bits,
    compression: view.getUint32(at + 16, true),
    size,
    colors: view.getUint32(at + 32, true) || 2 ** bits,
  };
}

/** The brightness of each color; black for those that the palette lacks. */
function readPalette(view: DataView, { size, colors, bits }: Header): Uint8Array {
  const entryBytes = size === CORE_HEADER_BYTES ? 3 : 4;
  const palette = new Uint8Array(256);
  for (let index = 0; index < Math.min(colors, 2 ** bits); index += 1) {
    const at = FILE_HEADER_BYTES + size + index * entryBytes;
    palette[index] = luma(view.getUint8(at + 2), view.getUint8(at + 1), view.getUint8(at));
  }
  return palette;
}

/** Some files state the end of the header instead. */
function findPixels(view: DataView, { size, colors, bits }: Header): number {
  const paletteBytes = bits <= 8 ? colors * (size === CORE_HEADER_BYTES ? 3 : 4) : 0;
  const stated = view.getUint32(10, true);
  return stated <= FILE_HEADER_BYTES + size ? FILE_HEADER_BYTES + size + paletteBytes : stated;
}

function readRows(bytes: Uint8Array, view: DataView, header: Header): Uint8Array {
  const { width, height, bits } = header;
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  const start = findPixels(view, header);
  if (start + rowBytes * height > bytes.length) throw new Error('the bitmap is truncated');
  const readPixel = createPixelReader(bytes, view, header);
  const pixels = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    const row = start + y * rowBytes;
    for (let x = 0; x < width; x += 1, to += 1) pixels[to] = readPixel(row, x);
  }
  return pixels;
}

type PixelReader = (row: number, x: number) => number;

function createPixelReader(bytes: Uint8Array, view: DataView, header: Header): PixelReader {
  const { bits, compression, size } = header;
  if (compression === compressions.none) {
    if (bits === 1 || bits === 4 || bits === 8) {
      const palette = readPalette(view, header);
      const mask = 2 ** bits - 1;
      return (row, x) => {
        const bit = x * bits;
        return palette[((bytes[row + (bit >> 3)] ?? 0) >> (8 - bits - (bit & 7))) & mask] ?? 0;
      };
    }
    if (bits === 16) return createMaskReader(view, bits, [0x7c00, 0x3e0, 0x1f]);
    if (bits === 24 || bits === 32) return createColorReader(bytes, bits / 8);
  }
  if (compression === compressions.bitFields && (bits === 16 || bits === 32) && size !== OS2_HEADER_BYTES) {
    const masks = [0, 4, 8].map((offset) => view.getUint32(FILE_HEADER_BYTES + INFO_HEADER_BYTES + offset, true));
    if (masks.every((mask) => mask === 0)) return createColorReader(bytes, bits / 8);
    return createMaskReader(view, bits, masks);
  }
  throw new Error('unsupported format of a bitmap');
}

function createColorReader(bytes: Uint8Array, pixelBytes: number): PixelReader {
  return (row, x) => {
    const at = row + x * pixelBytes;
    return luma(bytes[at + 2] ?? 0, bytes[at + 1] ?? 0, bytes[at] ?? 0);
  };
}

function createMaskReader(
  view: DataView,
  bits: 16 | 32,
  [red = 0, green = 0, blue = 0]: readonly number[],
): PixelReader {
  const [readRed, readGreen, readBlue] = [
    createChannelReader(red),
    createChannelReader(green),
    createChannelReader(blue),
  ];
  return (row, x) => {
    const pixel = bits === 16 ? view.getUint16(row + x * 2, true) : view.getUint32(row + x * 4, true);
    return luma(readRed(pixel), readGreen(pixel), readBlue(pixel));
  };
}

/** The mask is a run of bits, which is scaled to 8. */
function createChannelReader(mask: number): (pixel: number) => number {
  const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  const full = Math.max(mask >>> shift, 1);
  return (pixel) => Math.trunc((((pixel & mask) >>> shift) * 255) / full);
}

/** Commands between runs. */
const END_OF_LINE = 0;
const END_OF_BITMAP = 1;
const MOVE = 2;

/** Pixels that the runs leave out have the first color. */
function readRuns(view: DataView, header: Header): Uint8Array {
  const { width, height, bits, compression } = header;
  if (bits !== (compression === compressions.rle4 ? 4 : 8)) throw new Error('unsupported format of a bitmap');
  const palette = readPalette(view, header);
  const pixels = new Uint8Array(width * height).fill(palette[0] ?? 0);
  let [at, x, y] = [findPixels(view, header), 0, 0];
  const draw = (count: number, readColor: (index: number) => number) => {
    for (let index = 0; index < count; index += 1, x += 1) {
      if (x < width) pixels[y * width + x] = palette[readColor(index)] ?? 0;
    }
  };
  // Each turn reads at least two bytes, and throws behind the end of the file.
  while (y < height) {
    const [count, value] = [view.getUint8(at), view.getUint8(at + 1)];
    at += 2;
    if (count > 0) {
      draw(count, (index) => colorIn(value, index, bits));
    } else if (value === END_OF_LINE) {
      [x, y] = [0, y + 1];
    } else if (value === END_OF_BITMAP) {
      break;
    } else if (value === MOVE) {
      [x, y] = [x + view.getUint8(at), y + view.getUint8(at + 1)];
      at += 2;
    } else {
      draw(value, (index) => colorIn(view.getUint8(at + ((index * bits) >> 3)), index, bits));
      // Padded to an even number of bytes.
      at += Math.ceil((value * bits) / 16) * 2;
    }
  }
  return pixels;
}

/** A byte holds one color of 8 bits or two of 4. */
function colorIn(byte: number, index: number, bits: number): number {
  if (bits === 8) return byte;
  return index % 2 === 0 ? byte >> 4 : byte & 15;
}

function reverseRows(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const reversed = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y += 1) {
    reversed.set(pixels.subarray(y * width, (y + 1) * width), (height - 1 - y) * width);
  }
  return reversed;
}
