// JPEG: the manifest store becomes consecutive APP11 segments behind the header of the image.

import {
  APP11,
  FileBytes,
  findJpegStores,
  instanceNumberOf,
  isBoxSegment,
  JPEG_MARKER,
  type JpegSegment,
  readJpegStructure,
  SEGMENT_HEADER_BYTES,
  XT_HEADER_BYTES,
  XT_IDENTIFIER,
  XT_PREFIX_BYTES,
} from '@provenance-registry/c2pa';
import { ContainerError, cutRanges, fixedPlacement, type PreparedFile, type WritableContainer } from './container.js';

const APP0 = 0xe0;
const APP2 = 0xe2;
/** The number that c2pa-rs has: other boxes hardly use it. */
const INSTANCE_NUMBER = 0x0211;
/** A segment's length is 16 bits and counts itself. */
const MAX_CONTENT_BYTES = 0xffff - 2;

export const jpeg: WritableContainer = {
  binding: 'data',
  prepare(bytes): PreparedFile {
    const file = new FileBytes(bytes);
    const { segments, isComplete } = readJpegStructure(file);
    if (!isComplete) throw new ContainerError('The JPEG is not complete.');
    const stores = findJpegStores(file, segments);
    const [old = []] = stores;
    if (stores.length > 1) throw new ContainerError('The JPEG has several manifests.');
    requireMovable(file, segments, old);
    const others = segments.filter((segment) => !old.includes(segment));
    const instanceNumber = findFreeNumber(
      others.filter((segment) => isBoxSegment(file, segment)).map((segment) => instanceNumberOf(file, segment)),
    );
    let insertAt = 2;
    for (const { kind, end } of segments) {
      if (kind !== APP0) break;
      insertAt = end;
    }
    return fixedPlacement({
      before: [bytes.subarray(0, insertAt)],
      after: cutRanges(bytes, old, insertAt),
      wrap: (store) => wrapStore(store, instanceNumber),
    });
  },
};

/** One that no other box has: segments with the same number belong together. */
function findFreeNumber(numbers: readonly number[]): number {
  const used = new Set(numbers);
  let number = INSTANCE_NUMBER;
  while (used.has(number)) number += 1;
  return number;
}

/** Refuses a file of several pictures: their places are relative to a segment, behind which no size may change. */
function requireMovable(file: FileBytes, segments: readonly JpegSegment[], old: readonly JpegSegment[]): void {
  const index = segments.find(({ kind, contentStart }) => kind === APP2 && file.hasText(contentStart, 'MPF\0'));
  if (index && old.some(({ start }) => start > index.start)) {
    throw new ContainerError('The JPEG has a manifest between its pictures, which cannot be replaced.');
  }
}

function wrapStore(store: Uint8Array, instanceNumber: number): Buffer {
  const boxHeader = store.subarray(0, XT_HEADER_BYTES - XT_PREFIX_BYTES);
  const content = store.subarray(boxHeader.length);
  const room = MAX_CONTENT_BYTES - XT_HEADER_BYTES;
  const parts: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < content.length; at += room) {
    const part = content.subarray(at, at + room);
    const header = Buffer.alloc(SEGMENT_HEADER_BYTES + XT_PREFIX_BYTES);
    header.writeUInt8(JPEG_MARKER, 0);
    header.writeUInt8(APP11, 1);
    header.writeUInt16BE(2 + XT_HEADER_BYTES + part.length, 2);
    header.writeUInt16BE(XT_IDENTIFIER, SEGMENT_HEADER_BYTES);
    header.writeUInt16BE(instanceNumber, SEGMENT_HEADER_BYTES + 2);
    header.writeUInt32BE(at / room + 1, SEGMENT_HEADER_BYTES + 4);
    parts.push(header, boxHeader, part);
  }
  return Buffer.concat(parts);
}
