// JPEG: the manifest store is in consecutive APP11 segments, each with the header of a JPEG XT box.

import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

export const JPEG_MARKER = 0xff;
/** The start of an image. */
const FIRST_BYTES = 0xffd8;
const START_OF_IMAGE = 0xd8;
export const END_OF_IMAGE = 0xd9;
export const START_OF_SCAN = 0xda;
export const APP11 = 0xeb;
/** A segment's marker and length. */
export const SEGMENT_HEADER_BYTES = 4;
/** Follows the header of each segment: identifier, instance number, sequence number, and the box's length and type. */
export const XT_HEADER_BYTES = 16;
/** The instance and sequence numbers come before the box's length and type, which the first segment has in common. */
export const XT_PREFIX_BYTES = 8;
export const XT_IDENTIFIER = 0x4a50;
const SUPERBOX = 'jumb';
/** Where the type of the superbox is, after the headers of the superbox and its description. */
const BOX_KIND_OFFSET = 24;
/**
 * The time of c2pa-rs grows with the square of this number. The largest image that the service reads has about a thousand,
 * even if all of it is a manifest.
 */
const MAX_SEGMENTS = 4_096;

export interface JpegSegment extends ByteRange {
  readonly kind: number;
  readonly contentStart: number;
  /** After its content; for a scan, before its image data. */
  readonly end: number;
  /** After its image data; the same as `end` unless it is a scan. */
  readonly dataEnd: number;
}

export interface JpegStructure {
  readonly segments: readonly JpegSegment[];
  /** There is a scan, and nothing but the end of the image behind the segments. */
  readonly isComplete: boolean;
  /** After the last segment and its image data. */
  readonly end: number;
}

/** Until the end of the first image, or the first byte that starts no segment. */
export function readJpegStructure(file: FileBytes): JpegStructure {
  const segments: JpegSegment[] = [];
  let at = file.size >= 2 && file.u16(0) === FIRST_BYTES ? 2 : file.size;
  while (at + 2 <= file.size && file.u8(at) === JPEG_MARKER && file.u8(at + 1) !== END_OF_IMAGE) {
    at = skipStandalone(file, at);
    const segment = readSegment(file, at);
    if (!segment) break;
    segments.push(segment);
    if (segments.length > MAX_SEGMENTS) throw new ContainerError('The JPEG has too many segments.');
    at = segment.dataEnd;
  }
  const hasScan = segments.some(({ kind }) => kind === START_OF_SCAN);
  // Some cameras leave out the end of the image.
  const isEnded = at >= file.size || (at + 1 < file.size && file.u8(at + 1) === END_OF_IMAGE);
  return { segments, isComplete: hasScan && isEnded, end: at };
}

/** Skips fill bytes and markers without length and content: restarts and the start of an image. */
function skipStandalone(file: FileBytes, start: number): number {
  for (let at = start; ; ) {
    const kind = at + 1 < file.size && file.u8(at) === JPEG_MARKER ? file.u8(at + 1) : 0;
    if (kind === JPEG_MARKER) at += 1;
    else if (kind === 0x01 || (kind >= 0xd0 && kind <= START_OF_IMAGE)) at += 2;
    else return at;
  }
}

function readSegment(file: FileBytes, start: number): JpegSegment | undefined {
  const contentStart = start + SEGMENT_HEADER_BYTES;
  if (contentStart > file.size || file.u8(start) !== JPEG_MARKER) return undefined;
  const end = start + 2 + file.u16(start + 2);
  if (end < contentStart || end > file.size) return undefined;
  const kind = file.u8(start + 1);
  return { kind, start, contentStart, end, dataEnd: kind === START_OF_SCAN ? findScanEnd(file, end) : end };
}

/** Finds the next marker: in image data, 0xff is followed by zero or a restart number unless it starts one. */
function findScanEnd(file: FileBytes, start: number): number {
  for (let at = file.indexOf(JPEG_MARKER, start); at >= 0; at = file.indexOf(JPEG_MARKER, at + 1)) {
    const next = at + 1 < file.size ? file.u8(at + 1) : 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.size;
}

/** Whether it is a part of a JPEG XT box. Segments with the same instance number belong together. */
export function isBoxSegment(file: FileBytes, { kind, contentStart, end }: JpegSegment): boolean {
  return kind === APP11 && end - contentStart > XT_HEADER_BYTES && file.u16(contentStart) === XT_IDENTIFIER;
}

export function instanceNumberOf(file: FileBytes, { contentStart }: JpegSegment): number {
  return file.u16(contentStart + 2);
}

/** The segments of each manifest store. */
export function findJpegStores(file: FileBytes, segments: readonly JpegSegment[]): JpegSegment[][] {
  const stores: JpegSegment[][] = [];
  let instance: number | undefined;
  for (const segment of segments) {
    if (!isBoxSegment(file, segment)) continue;
    const number = instanceNumberOf(file, segment);
    if (number === instance) stores.at(-1)?.push(segment);
    else if (startsStore(file, segment)) {
      instance = number;
      stores.push([segment]);
    }
  }
  return stores;
}

function startsStore(file: FileBytes, { contentStart, end }: JpegSegment): boolean {
  return contentStart + BOX_KIND_OFFSET + 4 <= end && file.hasText(contentStart + BOX_KIND_OFFSET, 'c2pa');
}

export function readJpeg(file: FileBytes): Carrier | undefined {
  const [store, ...others] = findJpegStores(file, readJpegStructure(file).segments);
  if (!store || others.length > 0) return undefined;
  requireSequence(file, store);
  const parts = store.map(({ contentStart, end }, index) =>
    file.slice(contentStart + (index === 0 ? XT_PREFIX_BYTES : XT_HEADER_BYTES), end),
  );
  const content = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const part of parts) {
    content.set(part, length);
    length += part.length;
  }
  return { content, ranges: store };
}

/** Throws unless the segments are numbered from one, or zero, and each repeats the header of the box. */
function requireSequence(file: FileBytes, store: readonly JpegSegment[]): void {
  const { contentStart: first = 0 } = store[0] ?? {};
  const boxLength = file.u32(first + XT_PREFIX_BYTES);
  const firstNumber = Math.min(file.u32(first + 4), 1);
  for (const [index, { contentStart }] of store.entries()) {
    const isNext = file.u32(contentStart + 4) === firstNumber + index;
    const isSameBox =
      file.u32(contentStart + XT_PREFIX_BYTES) === boxLength &&
      file.hasText(contentStart + XT_PREFIX_BYTES + 4, SUPERBOX);
    if (!isNext || !isSameBox) throw new ContainerError('The JPEG has parts of its manifest in a wrong order.');
  }
}
