// TIFF, BigTIFF and DNG: the manifest store is the value of tag 0xcd41 in the directory of the last page. That directory is
// written again at the end of the file with the manifest behind it, so everything else stays where it is.

import { ContainerError, type PreparedFile, type WritableContainer } from './container.js';

const TAG = 0xcd41;
/** Bytes without a meaning to TIFF. */
const FIELD_TYPE = 7;
/** More than any document has; a set of visited places stays small. */
const MAX_PAGES = 50_000;
/** The most that TIFF can have; BigTIFF could have more. */
const MAX_ENTRIES = 0xffff;

/** Field sizes of TIFF, with offsets of 4 bytes, and BigTIFF, with offsets of 8. */
const classic = { firstPointer: 4, countSize: 2, entrySize: 12, offsetSize: 4 } as const;
const big = { firstPointer: 8, countSize: 8, entrySize: 20, offsetSize: 8 } as const;

interface Tiff {
  readonly file: Buffer;
  readonly isLittle: boolean;
  readonly format: typeof classic | typeof big;
}

interface Directory {
  readonly start: number;
  readonly end: number;
  /** Where the place of this directory is stated. */
  readonly pointer: number;
  readonly entries: { readonly start: number; readonly end: number };
}

export const tiff: WritableContainer = {
  binding: 'data',
  extract(file) {
    const parsed = open(file);
    const { first, last } = findPages(parsed);
    // Older versions of C2PA had it in the first page.
    return (findStore(parsed, last) ?? findStore(parsed, first))?.bytes;
  },
  prepare(file): PreparedFile {
    const parsed = open(file);
    const { first, last } = findPages(parsed);
    const entries = listEntries(parsed, last).filter((at) => readTag(parsed, at) !== TAG);
    if (entries.length === 0 || listEntries(parsed, first).length === 0) {
      throw new ContainerError('The TIFF is not complete.');
    }
    const keptEnd = cutOldManifest(parsed, last);
    return { place: (storeSize) => place(parsed, last, entries, keptEnd, storeSize) };
  },
};

function open(file: Buffer): Tiff {
  const order = file.toString('latin1', 0, 2);
  const isLittle = order === 'II';
  if (!isLittle && order !== 'MM') throw new ContainerError('The file is not a TIFF.');
  const version = readNumber({ file, isLittle }, 2, 2);
  const isBig = version === 43 && readNumber({ file, isLittle }, 4, 2) === 8;
  if (version !== 42 && !isBig) throw new ContainerError('The file is not a TIFF.');
  return { file, isLittle, format: isBig ? big : classic };
}

/** Follows the chain of directories, without their entries. */
function findPages(tiff: Tiff): { first: Directory; last: Directory } {
  const visited = new Set<number>();
  let first: Directory | undefined;
  let last: Directory | undefined;
  for (let pointer: number = tiff.format.firstPointer; ; ) {
    const start = readNumber(tiff, pointer, tiff.format.offsetSize);
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

function readDirectory(tiff: Tiff, start: number, pointer: number): Directory {
  const { countSize, entrySize, offsetSize } = tiff.format;
  const count = readNumber(tiff, start, countSize);
  if (count > MAX_ENTRIES) throw new ContainerError('The TIFF has too many fields.');
  const entries = { start: start + countSize, end: start + countSize + count * entrySize };
  const end = entries.end + offsetSize;
  if (end > tiff.file.length) throw new RangeError('a directory is longer than the file');
  return { start, end, pointer, entries };
}

function listEntries(tiff: Tiff, { entries }: Directory): number[] {
  const places: number[] = [];
  for (let at = entries.start; at < entries.end; at += tiff.format.entrySize) places.push(at);
  return places;
}

function findStore(tiff: Tiff, directory: Directory): { start: number; bytes: Buffer } | undefined {
  const { offsetSize } = tiff.format;
  const entry = listEntries(tiff, directory).find((at) => readTag(tiff, at) === TAG);
  if (entry === undefined || readNumber(tiff, entry + 2, 2) !== FIELD_TYPE) return undefined;
  const size = readNumber(tiff, entry + 4, offsetSize);
  const start = readNumber(tiff, entry + 4 + offsetSize, offsetSize);
  // A shorter value would be in the entry itself.
  if (size <= offsetSize || start + size > tiff.file.length) return undefined;
  return { start, bytes: tiff.file.subarray(start, start + size) };
}

/** Where the file ends without a manifest that this code wrote: behind it comes nothing, before it its directory. */
function cutOldManifest(tiff: Tiff, last: Directory): number {
  const { length } = tiff.file;
  const store = findStore(tiff, last);
  return store && store.start === last.end && store.start + store.bytes.length === length ? last.start : length;
}

function place(tiff: Tiff, last: Directory, entries: readonly number[], keptEnd: number, storeSize: number) {
  const { file, format } = tiff;
  const { countSize, entrySize, offsetSize } = format;
  // Directories start at even places.
  const start = keptEnd + (keptEnd % 2);
  const directory = Buffer.alloc(countSize + (entries.length + 1) * entrySize + offsetSize);
  writeNumber(tiff, directory, entries.length + 1, 0, countSize);
  const entry = Buffer.alloc(entrySize);
  writeNumber(tiff, entry, TAG, 0, 2);
  writeNumber(tiff, entry, FIELD_TYPE, 2, 2);
  writeNumber(tiff, entry, storeSize, 4, offsetSize);
  writeNumber(tiff, entry, start + directory.length, 4 + offsetSize, offsetSize);
  // Entries are in the order of their tags.
  const position = entries.findIndex((at) => readTag(tiff, at) > TAG);
  const copies = entries.map((at) => file.subarray(at, at + entrySize));
  copies.splice(position < 0 ? copies.length : position, 0, entry);
  directory.set(Buffer.concat(copies), countSize);

  const pointer = Buffer.alloc(offsetSize);
  writeNumber(tiff, pointer, start, 0, offsetSize);
  return {
    before: [
      file.subarray(0, last.pointer),
      pointer,
      file.subarray(last.pointer + offsetSize, keptEnd),
      Buffer.alloc(start - keptEnd),
      directory,
    ],
    after: [],
    wrap: (store: Uint8Array) => Buffer.from(store),
  };
}

function readTag(tiff: Tiff, at: number): number {
  return readNumber(tiff, at, 2);
}

function readNumber({ file, isLittle }: Pick<Tiff, 'file' | 'isLittle'>, at: number, size: 2 | 4 | 8): number {
  if (size === 8) return Number(isLittle ? file.readBigUInt64LE(at) : file.readBigUInt64BE(at));
  return isLittle ? file.readUIntLE(at, size) : file.readUIntBE(at, size);
}

/** Throws a RangeError when the value does not fit. */
function writeNumber(
  { isLittle }: Pick<Tiff, 'isLittle'>,
  to: Buffer,
  value: number,
  at: number,
  size: 2 | 4 | 8,
): void {
  if (size !== 8) isLittle ? to.writeUIntLE(value, at, size) : to.writeUIntBE(value, at, size);
  else if (isLittle) to.writeBigUInt64LE(BigInt(value), at);
  else to.writeBigUInt64BE(BigInt(value), at);
}
