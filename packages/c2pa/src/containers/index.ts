// Manifest stores inside files: where they are. Files are untrusted: every place is checked against the end of the file, and
// no function uses more time or memory than in proportion to its size.

import { readBmff } from './bmff.js';
import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';
import { readGif } from './gif.js';
import { readId3 } from './id3.js';
import { readJpeg } from './jpeg.js';
import { readJxl } from './jxl.js';
import { readPdf } from './pdf.js';
import { PNG_SIGNATURE, readPng } from './png.js';
import { readRiff } from './riff.js';
import { readSvg } from './svg.js';
import { readTiff } from './tiff.js';

export interface FoundStore {
  readonly format: ContainerFormat;
  /** The store, byte for byte. */
  readonly store: Uint8Array;
  /** What carries the store, with its headers and what fills it up, in order. */
  readonly ranges: readonly ByteRange[];
}

const readers = {
  jpeg: readJpeg,
  png: readPng,
  gif: readGif,
  tiff: readTiff,
  jxl: readJxl,
  riff: readRiff,
  bmff: readBmff,
  id3: readId3,
  pdf: readPdf,
  svg: readSvg,
} satisfies Record<string, (file: FileBytes) => Carrier | undefined>;
export type ContainerFormat = keyof typeof readers;

/** By the first bytes, the same as c2pa-rs: all formats but SVG. */
const signatures: readonly (readonly [ContainerFormat, number, readonly string[]])[] = [
  ['jpeg', 0, ['\xff\xd8\xff']],
  ['png', 0, [PNG_SIGNATURE]],
  ['gif', 0, ['GIF87a', 'GIF89a']],
  ['tiff', 0, ['II*\0', 'MM\0*', 'II+\0', 'MM\0+']],
  ['jxl', 0, ['\0\0\0\x0cJXL \r\n\x87\n']],
  ['riff', 0, ['RIFF']],
  ['bmff', 4, ['ftyp']],
  ['id3', 0, ['ID3']],
  ['pdf', 0, ['%PDF']],
];
/** The length of a box. */
const LENGTH_BYTES = 4;

/**
 * The manifest store inside a file. Undefined when there is none, more than one, or one that is not as the format prescribes.
 * Never throws.
 */
export function findManifestStore(file: FileBytes, isSvg = false): FoundStore | undefined {
  const format = isSvg ? 'svg' : detectFormat(file);
  if (!format) return undefined;
  try {
    const carrier = readers[format](file);
    const store = carrier && withoutPadding(carrier.content);
    return store && { format, store, ranges: carrier.ranges };
  } catch (error) {
    if (error instanceof ContainerError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function detectFormat(file: FileBytes): ContainerFormat | undefined {
  const [format] = signatures.find(([, at, texts]) => texts.some((text) => file.hasText(at, text))) ?? [];
  return format;
}

/** The box that the content starts with. Behind it, only zeros may be. */
function withoutPadding(content: Uint8Array): Uint8Array | undefined {
  if (content.length < LENGTH_BYTES) return undefined;
  const length = new DataView(content.buffer, content.byteOffset, content.length).getUint32(0);
  const isFilled = length <= content.length && content.subarray(length).every((byte) => byte === 0);
  return isFilled ? content.subarray(0, length) : undefined;
}
