// Files whose parts are hashed one by one (`c2pa.hash.boxes`): whether all of the file is in the list of parts.

import type { ByteRange } from '../containers/container.js';
import type { FileBytes } from '../containers/fileBytes.js';
import type { FoundStore } from '../containers/index.js';
import { END_OF_IMAGE, JPEG_MARKER, readJpegStructure } from '../containers/jpeg.js';
import { listPngChunks, PNG_SIGNATURE, pngChunkType } from '../containers/png.js';
import type { BoxesHash } from './hardBinding.js';
import { UnknownFormError } from './storeForm.js';

interface Part extends ByteRange {
  readonly name: string;
}

const MANIFEST = 'C2PA';
const PNG_START = 'PNGh';
const MARKER_BYTES = 2;
/** Names of JPEG segments whose length c2pa-rs reads; of others it hashes the marker alone. */
const jpegNames: Readonly<Record<number, string>> = {
  ...Object.fromEntries(Array.from({ length: 16 }, (_, index) => [0xe0 + index, `APP${index}`])),
  ...{ 192: 'SOF0', 193: 'SOF1', 194: 'SOF2', 196: 'DHT', 204: 'DAC' },
  ...{ 218: 'SOS', 219: 'DQT', 221: 'DRI', 254: 'COM' },
};
/** Restarts are in the image data of the scan before them, and may be in the list too. */
const RESTART = /^RST[0-7]$/;

/** Whether the list has every part, in order, and leaves out none but the manifest. */
export function coversAllParts(file: FileBytes, found: FoundStore, { boxes }: BoxesHash): boolean {
  const isClosed = boxes.every(
    ({ names, excluded }) => names.join() === MANIFEST || (!excluded && !names.includes(MANIFEST)),
  );
  const isInOnePiece = found.ranges.every(({ start }, index) => index === 0 || start === found.ranges[index - 1]?.end);
  const names = boxes.flatMap((box) => box.names).filter((name) => !RESTART.test(name));
  // Every PNG starts with the same bytes, which need no hash.
  if (found.format === 'png' && names[0] !== PNG_START) names.unshift(PNG_START);
  let count = 0;
  let end = 0;
  for (const part of listParts(file, found)) {
    if (!isClosed || !isInOnePiece || part.start !== end || part.name !== names[count]) return false;
    count += 1;
    end = part.end;
  }
  return count === names.length && end === file.size;
}

function listParts(file: FileBytes, { format, ranges }: FoundStore): Generator<Part> {
  if (format === 'png') return listPngParts(file, ranges);
  if (format === 'jpeg') return listJpegParts(file, ranges);
  throw new UnknownFormError(`the parts of ${format} are not listed`);
}

function* listPngParts(file: FileBytes, ranges: readonly ByteRange[]): Generator<Part> {
  yield { name: PNG_START, start: 0, end: PNG_SIGNATURE.length };
  for (const chunk of listPngChunks(file)) {
    const isManifest = ranges[0]?.start === chunk.start;
    yield { name: isManifest ? MANIFEST : pngChunkType(file, chunk), ...chunk };
  }
}

/** The segments of the manifest, which is in one piece, are one part. */
function* listJpegParts(file: FileBytes, ranges: readonly ByteRange[]): Generator<Part> {
  const { segments, end } = readJpegStructure(file);
  const starts = new Set(ranges.map(({ start }) => start));
  const [first, last] = [ranges[0], ranges.at(-1)];
  yield { name: 'SOI', start: 0, end: MARKER_BYTES };
  for (const { kind, start, dataEnd } of segments) {
    if (!starts.has(start)) yield { name: jpegNames[kind] ?? '', start, end: dataEnd };
    else if (start === first?.start && last) yield { name: MANIFEST, start, end: last.end };
  }
  const isEnded = end + MARKER_BYTES <= file.size && file.u8(end) === JPEG_MARKER && file.u8(end + 1) === END_OF_IMAGE;
  if (isEnded) yield { name: 'EOI', start: end, end: end + MARKER_BYTES };
}
