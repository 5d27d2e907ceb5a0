// Reads HEIC to gray pixels with libheif as WebAssembly. The library turns and mirrors the image as the file says.

import { createRequire } from 'node:module';
import { type GrayImage, luma, MAX_PIXELS } from '../grayImage.js';
import { DecoderMissingError } from './decoderMissingError.js';

/** The library's numbers. */
const COLORSPACE_RGB = 1;
const CHROMA_INTERLEAVED_RGB = 10;
const CHANNEL_INTERLEAVED = 10;

/** The part of its C interface that is used here; addresses are numbers. An error is written to the first address. */
interface Library {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  _malloc(size: number): number;
  _heif_context_alloc(): number;
  _heif_context_read_from_memory(error: number, context: number, at: number, size: number, options: number): void;
  _heif_context_get_primary_image_handle(error: number, context: number, result: number): void;
  _heif_image_handle_get_width(handle: number): number;
  _heif_image_handle_get_height(handle: number): number;
  _heif_decode_image(
    error: number,
    handle: number,
    result: number,
    colorspace: number,
    chroma: number,
    options: number,
  ): void;
  _heif_image_get_width(image: number, channel: number): number;
  _heif_image_get_height(image: number, channel: number): number;
  _heif_image_get_plane_readonly(image: number, channel: number, stride: number): number;
}

/** An ISO base media file without the brands of AVIF, which libvips reads. */
export function isHeic(bytes: Uint8Array): boolean {
  const header = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  return header.startsWith('ftyp', 4) && !/avi[fs]/.test(header.slice(0, header.charCodeAt(3)));
}

/** A new instance for every file, because a failure leaves an instance in an undefined state. */
function createLibrary(): Library {
  let create: () => Library;
  try {
    create = createRequire(import.meta.url)('libheif-js/libheif-wasm/libheif-bundle.js');
  } catch (cause) {
    throw new DecoderMissingError('libheif-js', cause);
  }
  return create();
}

/** Throws if the image is unreadable; DecoderMissingError without the library. */
export function decodeHeic(bytes: Uint8Array): GrayImage {
  const library = createLibrary();
  const [error, result] = [allocate(library, 12), allocate(library, 4)];
  const check = (step: string) => {
    // A view of its own each time: the memory moves when it grows.
    if (library.HEAPU32[error / 4] !== 0) throw new Error(`libheif: ${step}`);
    return library.HEAPU32[result / 4] ?? 0;
  };
  const input = allocate(library, bytes.length);
  library.HEAPU8.set(bytes, input);
  const context = library._heif_context_alloc();
  library._heif_context_read_from_memory(error, context, input, bytes.length, 0);
  check('file');
  library._heif_context_get_primary_image_handle(error, context, result);
  const handle = check('image');
  if (library._heif_image_handle_get_width(handle) * library._heif_image_handle_get_height(handle) > MAX_PIXELS) {
    throw new Error('the image is too large');
  }
  library._heif_decode_image(error, handle, result, COLORSPACE_RGB, CHROMA_INTERLEAVED_RGB, 0);
  const image = check('pixels');
  const width = library._heif_image_get_width(image, CHANNEL_INTERLEAVED);
  const height = library._heif_image_get_height(image, CHANNEL_INTERLEAVED);
  const plane = library._heif_image_get_plane_readonly(image, CHANNEL_INTERLEAVED, result);
  return { width, height, pixels: readPlane(library.HEAPU8, plane, width, height, library.HEAPU32[result / 4] ?? 0) };
}

function allocate(library: Library, size: number): number {
  const address = library._malloc(size);
  if (address === 0) throw new Error('libheif: no memory');
  return address;
}

function readPlane(memory: Uint8Array, plane: number, width: number, height: number, stride: number): Uint8Array {
  const pixels = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    const row = plane + y * stride;
    for (let x = 0; x < width; x += 1, to += 1) {
      const at = row + x * 3;
      pixels[to] = luma(memory[at] ?? 0, memory[at + 1] ?? 0, memory[at + 2] ?? 0);
    }
  }
  return pixels;
}
