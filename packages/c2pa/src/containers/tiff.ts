// TIFF, BigTIFF and DNG: the manifest store is the value of tag 0xcd41 in the directory of the last page.

import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

export const TIFF_MANIFEST_TAG = 0xcd41;
/** Bytes without a meaning to TIFF. */
export const TIFF_FIELD_TYPE = 7;
/** More than any document has; a set of visited places stays small. */
const MAX_PAGES = 50_000;
/** The most that TIFF can have; BigTIFF could have more. */
const MAX_ENTRIES = 0xffff;

/** Field sizes of TIFF, with offsets of 4 bytes, and BigTIFF, with offsets of 8. */
const classic = { firstPointer: 4, countSize: 2, entrySize: 12, offsetSize: 4 } as const;
const big = { firstPointer: 8, countSize: 8, entrySize: 20, offsetSize: 8 } as const;

export interface Tiff {
  readonly file: FileBytes;
  readonly isLittle: boolean;
  readonly format: typeof classic | typeof big;
}

export interface TiffDirectory extends ByteRange {
  /** Where the place of this directory is stated. */
  readonly pointer: number;
  readonly entries: ByteRange;
}

export function openTiff(file: FileBytes): Tiff {
  const isLittle = file.hasText(0, 'II');
  if (!isLittle && !file.hasText(0, 'MM')) throw new ContainerError('The file is not a TIFF.');
  const version = file.u16(2, isLittle);
  const isBig = version === 43 && file.u16(4, isLittle) === 8;
  if (version !== 42 && !isBig) throw new ContainerError('The file is not a TIFF.');
  return { file, isLittle, format: isBig ? big : classic };
}

/** Follows the chain of directories, without their entries. */
export function findTiffPages(tiff: Tiff): { first: TiffDirectory; last: TiffDirectory } {
  const visited = new Set<number>();
  let first: TiffDirectory | undefined;
  let last: TiffDirectory | undefined;
  for (let pointer: number = tiff.format.firstPointer; ; ) {
    const start = readTiffNumber(tiff, pointer, tiff.format.offsetSize);
    if (start === 0) break;
    if (visited.has(start) || visited.size === MAX_PAGES) throw new ContainerError('The TIFF has too many pages.');
    visited.add(start);
    last = readDirectory(tiff, start, pointer);
    first ??= last;
    pointer = last.entries.end;
  }
  if (!first || !last) throw new ContainerError('The TIFF has no page.');
  return { first, last };
}

function readDirectory(tiff: Tiff, start: number, pointer: number): TiffDirectory {
  const { countSize, entrySize, offsetSize } = tiff.format;
  const count = readTiffNumber(tiff, start, countSize);
  if (count > MAX_ENTRIES) throw new ContainerError('The TIFF has too many fields.');
  const entries = { start: start + countSize, end: start + countSize + count * entrySize };
  const end = entries.end + offsetSize;
  if (end > tiff.file.size) throw new RangeError('a directory is longer than the file');
  return { start, end, pointer, entries };
}

export function listTiffEntries(tiff: Tiff, { entries }: TiffDirectory): number[] {
  const places: number[] = [];
  for (let at = entries.start; at < entries.end; at += tiff.format.entrySize) places.push(at);
  return places;
}

interface TiffStore extends ByteRange {
  /** Where the length of the value is stated, which c2pa-rs leaves out of the hash. */
  readonly count: ByteRange;
}

/** The value of the manifest's tag in a directory. */
export function findTiffStore(tiff: Tiff, directory: TiffDirectory): TiffStore | undefined {
  const { offsetSize } = tiff.format;
  const entry = listTiffEntries(tiff, directory).find((at) => readTiffTag(tiff, at) === TIFF_MANIFEST_TAG);
  if (entry === undefined || readTiffNumber(tiff, entry + 2, 2) !== TIFF_FIELD_TYPE) return undefined;
  const size = readTiffNumber(tiff, entry + 4, offsetSize);
  const start = readTiffNumber(tiff, entry + 4 + offsetSize, offsetSize);
  // A shorter value would be in the entry itself.
  if (size <= offsetSize || start + size > tiff.file.size) return undefined;
  return { start, end: start + size, count: { start: entry + 4, end: entry + 4 + offsetSize } };
}

export function readTiff(file: FileBytes): Carrier | undefined {
  const tiff = openTiff(file);
  const { first, last } = findTiffPages(tiff);
  // Older versions of C2PA had it in the first page.
  const store = findTiffStore(tiff, last) ?? findTiffStore(tiff, first);
  if (!store) return undefined;
  const { start, end, count } = store;
  return { content: file.slice(start, end), ranges: [count, { start, end }].toSorted((a, b) => a.start - b.start) };
}

export function readTiffTag(tiff: Tiff, at: number): number {
  return readTiffNumber(tiff, at, 2);
}

function readTiffNumber({ file, isLittle }: Tiff, at: number, size: 2 | 4 | 8): number {
  if (size === 2) return file.u16(at, isLittle);
  return size === 4 ? file.u32(at, isLittle) : file.u64(at, isLittle);
}
