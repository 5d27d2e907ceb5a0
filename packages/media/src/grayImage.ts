// Gray pixels, of which the perceptual hash is computed, and their brightness as the reference computes it.

export interface GrayImage {
  readonly width: number;
  readonly height: number;
  /** One byte each, row by row from the top. */
  readonly pixels: Uint8Array;
}

/** Larger than any camera's image. Rejects decompression bombs by their header. */
export const MAX_PIXELS = 100e6;

/** Rec. 601 in the reference's fixed-point arithmetic. */
export function luma(red: number, green: number, blue: number): number {
  return (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16;
}

/** Converts to gray as the reference does without a color profile. */
export function lumaOfInks(cyan: number, magenta: number, yellow: number, black: number): number {
  const white = 255 - black;
  return luma(white - scale(cyan, white), white - scale(magenta, white), white - scale(yellow, white));
}

/** a · b / 255, rounded without a division. */
function scale(a: number, b: number): number {
  const product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}
