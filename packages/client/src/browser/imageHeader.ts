// The size of an image by its header, to reject decompression bombs before the browser decodes them; and the orientation
// that browsers do not apply.

export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'bmp' | 'heif';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The format by the first bytes, whatever the name and the media type say. `heif` is HEIC and AVIF. */
export function findImageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const start = latin1(bytes, 0, 12);
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('GIF8')) return 'gif';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'webp';
  if (start.startsWith('BM')) return 'bmp';
  return start.startsWith('ftyp', 4) ? 'heif' : undefined;
}

/** Undefined if the header is broken: then nothing is decoded. */
export function readImageSize(bytes: Uint8Array, format: ImageFormat): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return sizeReaders[format](view, bytes);
  } catch {
    // Truncated.
    return undefined;
  }
}

const sizeReaders: Readonly<Record<ImageFormat, (view: DataView, bytes: Uint8Array) => ImageSize | undefined>> = {
  jpeg: readJpegSize,
  png: (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  gif: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  webp: readWebpSize,
  bmp: (view) => ({ width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) }),
  heif: readHeifSize,
};

/** Reads the size in the frame header, which follows metadata of any length. */
function readJpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Padding is a byte of its own; all other markers before the frame have a length.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function readWebpSize(view: DataView, bytes: Uint8Array): ImageSize | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (latin1(bytes, 12, 16)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: uint24(24) + 1, height: uint24(27) + 1 };
    default:
      return undefined;
  }
}

/** The metadata comes first. */
const HEIF_METADATA_BYTES = 256 * 1024;

/** The largest of all images in the file: tiles, thumbnails and the transparency have sizes too. */
function readHeifSize(view: DataView, bytes: Uint8Array): ImageSize | undefined {
  const metadata = latin1(bytes, 0, HEIF_METADATA_BYTES);
  let largest: ImageSize | undefined;
  for (let at = metadata.indexOf('ispe'); at >= 0; at = metadata.indexOf('ispe', at + 1)) {
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}

export interface WebpOrientation {
  /** Orientation as in EXIF: 1 is upright. */
  readonly orientation: number;
  /** Where the name of the chunk with it is. */
  readonly chunk: number;
}

/** Browsers differ in whether they turn WebP by its EXIF data. */
export function readWebpOrientation(bytes: Uint8Array): WebpOrientation | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    if (latin1(bytes, at, at + 4) === 'EXIF') {
      return { chunk: at, orientation: readExifOrientation(bytes.subarray(at + 8, at + 8 + size)) };
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

const ORIENTATION_TAG = 0x0112;

/** Upright if the data is broken. */
function readExifOrientation(exif: Uint8Array): number {
  const data = latin1(exif, 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const isLittle = latin1(data, 0, 2) === 'II';
  try {
    const directory = view.getUint32(4, isLittle);
    const count = view.getUint16(directory, isLittle);
    for (let entry = 0; entry < count; entry += 1) {
      const at = directory + 2 + entry * 12;
      if (view.getUint16(at, isLittle) !== ORIENTATION_TAG) continue;
      const orientation = view.getUint16(at + 8, isLittle);
      return orientation >= 1 && orientation <= 8 ? orientation : 1;
    }
  } catch {
    // Truncated.
  }
  return 1;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (const byte of bytes.subarray(start, end)) text += String.fromCharCode(byte);
  return text;
}
