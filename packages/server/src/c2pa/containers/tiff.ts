// TIFF, BigTIFF and DNG: the manifest store becomes the value of a tag in the directory of the last page. That directory is
// written again at the end of the file with the manifest behind it, so everything else stays where it is.

import {
  FileBytes,
  findTiffPages,
  findTiffStore,
  listTiffEntries,
  openTiff,
  readTiffTag,
  TIFF_FIELD_TYPE,
  TIFF_MANIFEST_TAG,
  type Tiff,
  type TiffDirectory,
} from '@provenance-registry/c2pa';
import { ContainerError, type Placement, type PreparedFile, type WritableContainer } from './container.js';

export const tiff: WritableContainer = {
  binding: 'data',
  prepare(file): PreparedFile {
    const parsed = openTiff(new FileBytes(file));
    const { first, last } = findTiffPages(parsed);
    const entries = listTiffEntries(parsed, last).filter((at) => readTiffTag(parsed, at) !== TIFF_MANIFEST_TAG);
    if (entries.length === 0 || listTiffEntries(parsed, first).length === 0) {
      throw new ContainerError('The TIFF is not complete.');
    }
    const kept = { entries, end: cutOldManifest(parsed, last) };
    return { place: (storeSize) => place(file, parsed, last, kept, storeSize) };
  },
};

/** Where the file ends without a manifest that this code wrote: behind it comes nothing, before it its directory. */
function cutOldManifest(tiff: Tiff, last: TiffDirectory): number {
  const { size } = tiff.file;
  const store = findTiffStore(tiff, last);
  return store && store.start === last.end && store.end === size ? last.start : size;
}

interface Kept {
  /** Places of the directory's entries. */
  readonly entries: readonly number[];
  /** Where what is kept of the file ends. */
  readonly end: number;
}

function place(file: Buffer, tiff: Tiff, last: TiffDirectory, kept: Kept, storeSize: number): Placement {
  const { entries, end: keptEnd } = kept;
  const { countSize, entrySize, offsetSize } = tiff.format;
  // Directories start at even places.
  const start = keptEnd + (keptEnd % 2);
  const directory = Buffer.alloc(countSize + (entries.length + 1) * entrySize + offsetSize);
  writeNumber(tiff, directory, entries.length + 1, 0, countSize);
  const entry = Buffer.alloc(entrySize);
  writeNumber(tiff, entry, TIFF_MANIFEST_TAG, 0, 2);
  writeNumber(tiff, entry, TIFF_FIELD_TYPE, 2, 2);
  writeNumber(tiff, entry, storeSize, 4, offsetSize);
  writeNumber(tiff, entry, start + directory.length, 4 + offsetSize, offsetSize);
  // Entries are in the order of their tags.
  const position = entries.findIndex((at) => readTiffTag(tiff, at) > TIFF_MANIFEST_TAG);
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
