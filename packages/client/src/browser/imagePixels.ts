// Reads an image to the gray pixels that the service hashes: the browser decodes it without color profile and transparency.

import { decodeBmp, findTransparentColor, type GrayImage, isBmp, luma, MAX_PIXELS } from '@provenance-registry/media';
import { findImageFormat, readImageSize, readWebpOrientation } from './imageHeader.js';

/** Larger images are scaled down to this first, which changes a few bits of a code at most. */
const EXACT_PIXELS = 4e6;
/** Pixels are read in squares of this side, so that only one is in memory in color. Not larger than any WebGL texture. */
const TILE_SIDE = 2048;

type Color = ReturnType<typeof findTransparentColor>;

/** Throws when this browser cannot decode it. */
export async function decodeImage(bytes: Uint8Array<ArrayBuffer>): Promise<GrayImage | 'too-large'> {
  const format = findImageFormat(bytes);
  const size = format && readImageSize(bytes, format);
  if (!size) throw new Error('broken header');
  if (size.width * size.height > MAX_PIXELS) return 'too-large';
  if (isBmp(bytes)) return decodeBmp(bytes);
  const webp = format === 'webp' ? readWebpOrientation(bytes) : undefined;
  // Renamed: no browser applies it then.
  if (webp) bytes.set([0x58, 0x58, 0x58, 0x58], webp.chunk);
  const bitmap = await createImageBitmap(new Blob([bytes]), {
    colorSpaceConversion: 'none',
    premultiplyAlpha: 'none',
    imageOrientation: 'from-image',
  });
  try {
    const image = readGray(bitmap, format === 'gif' ? findTransparentColor(bytes) : undefined);
    return turnUpright(image, webp?.orientation ?? 1);
  } finally {
    bitmap.close();
  }
}

/** @param background the color of transparent pixels where the browser does not tell */
function readGray(bitmap: ImageBitmap, background: Color | undefined): GrayImage {
  const factor = Math.max(1, Math.ceil(Math.sqrt((bitmap.width * bitmap.height) / EXACT_PIXELS)));
  const width = Math.ceil(bitmap.width / factor);
  const height = Math.ceil(bitmap.height / factor);
  const pixels = new Uint8Array(width * height);
  const side = Math.floor(TILE_SIDE / factor) * factor;
  for (let y = 0; y < bitmap.height; y += side) {
    for (let x = 0; x < bitmap.width; x += side) {
      const tile = { x, y, width: Math.min(side, bitmap.width - x), height: Math.min(side, bitmap.height - y) };
      shrinkTile(readTile(bitmap, tile, background), tile, factor, (column, row, gray) => {
        pixels[(y / factor + row) * width + x / factor + column] = gray;
      });
    }
  }
  return { width, height, pixels };
}

interface Tile {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The average of each `factor` × `factor` pixels. */
function shrinkTile(
  colors: ArrayLike<number>,
  { width, height }: Tile,
  factor: number,
  write: (column: number, row: number, gray: number) => void,
): void {
  for (let top = 0, row = 0; top < height; top += factor, row += 1) {
    const bottom = Math.min(top + factor, height);
    for (let left = 0, column = 0; left < width; left += factor, column += 1) {
      const right = Math.min(left + factor, width);
      let sum = 0;
      for (let y = top; y < bottom; y += 1) {
        for (let x = left, at = (y * width + left) * 4; x < right; x += 1, at += 4) {
          sum += luma(colors[at] ?? 0, colors[at + 1] ?? 0, colors[at + 2] ?? 0);
        }
      }
      write(column, row, Math.round(sum / ((bottom - top) * (right - left))));
    }
  }
}

let canvas: OffscreenCanvasRenderingContext2D | null | undefined;

/** RGBA, not multiplied by the transparency. Throws if this browser cannot tell the color of transparent pixels. */
function readTile(bitmap: ImageBitmap, tile: Tile, background: Color | undefined): ArrayLike<number> {
  const { x, y, width, height } = tile;
  canvas ??= new OffscreenCanvas(TILE_SIDE, TILE_SIDE).getContext('2d', { willReadFrequently: true });
  if (!canvas) throw new Error('no canvas');
  canvas.clearRect(0, 0, width, height);
  canvas.drawImage(bitmap, x, y, width, height, 0, 0, width, height);
  const { data } = canvas.getImageData(0, 0, width, height);
  if (isOpaque(data)) return data;
  return background ? fillTransparent(data, background) : readTransparentTile(bitmap, tile);
}

function isOpaque(colors: Uint8ClampedArray): boolean {
  for (let at = 3; at < colors.length; at += 4) if (colors[at] !== 255) return false;
  return true;
}

function fillTransparent(colors: Uint8ClampedArray, { r, g, b }: Color): Uint8ClampedArray {
  for (let at = 0; at < colors.length; at += 4) if (colors[at + 3] === 0) colors.set([r, g, b], at);
  return colors;
}

let webgl: WebGL2RenderingContext | null | undefined;

/** A two-dimensional canvas loses the colors of transparent pixels; a texture keeps them. */
function readTransparentTile(bitmap: ImageBitmap, { x, y, width, height }: Tile): Uint8Array {
  webgl ??= new OffscreenCanvas(1, 1).getContext('webgl2');
  const gl = webgl;
  if (!gl) throw new Error('no WebGL');
  const texture = gl.createTexture();
  const framebuffer = gl.createFramebuffer();
  try {
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, bitmap.width);
    gl.pixelStorei(gl.UNPACK_SKIP_PIXELS, x);
    gl.pixelStorei(gl.UNPACK_SKIP_ROWS, y);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    const colors = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, colors);
    if (gl.getError() !== gl.NO_ERROR) throw new Error('WebGL failed');
    return colors;
  } finally {
    gl.deleteFramebuffer(framebuffer);
    gl.deleteTexture(texture);
  }
}

/** Turns and mirrors as EXIF says. */
function turnUpright(image: GrayImage, orientation: number): GrayImage {
  if (orientation === 1) return image;
  const isAcross = orientation > 4;
  const [width, height] = isAcross ? [image.height, image.width] : [image.width, image.height];
  // From the right or from the bottom of the stored image, by columns and rows of the upright one.
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const pixels = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, to += 1) {
      const [column, row] = isAcross ? [y, x] : [x, y];
      const storedX = fromRight ? image.width - 1 - column : column;
      const storedY = fromBottom ? image.height - 1 - row : row;
      pixels[to] = image.pixels[storedY * image.width + storedX] ?? 0;
    }
  }
  return { width, height, pixels };
}
