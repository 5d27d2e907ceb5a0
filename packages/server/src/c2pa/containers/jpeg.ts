// JPEG: the manifest store is in consecutive APP11 segments, each with the header of a JPEG XT box.

import { ContainerError, cutRanges, fixedPlacement, type PreparedFile, type WritableContainer } from './container.js';

const MARKER = 0xff;
/** The start of an image. */
const FIRST_BYTES = 0xffd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const APP0 = 0xe0;
const APP2 = 0xe2;
const APP11 = 0xeb;
/** A segment's marker and length. */
const HEADER_BYTES = 4;
/** Follows the header of each segment: identifier, instance number, sequence number, and the box's length and type. */
const XT_HEADER_BYTES = 16;
/** The instance and sequence numbers come before the box's length and type, which the first segment has in common. */
const XT_PREFIX_BYTES = 8;
const XT_IDENTIFIER = Buffer.from('JP');
/** The number that c2pa-rs has: other boxes hardly use it. */
const INSTANCE_NUMBER = 0x0211;
/** Where the type of the superbox is, after the headers of the superbox and its description. */
const BOX_KIND_OFFSET = 24;
/**
 * The time of c2pa-rs grows with the square of this number. The largest accepted image has about a thousand, even if all of
 * it is a manifest.
 */
const MAX_SEGMENTS = 4_096;
/** A segment's length is 16 bits and counts itself. */
const MAX_CONTENT_BYTES = 0xffff - 2;

interface Segment {
  readonly kind: number;
  readonly start: number;
  /** After its content; for a scan, before its image data. */
  readonly end: number;
  readonly content: Buffer;
}

export const jpeg: WritableContainer = {
  binding: 'data',
  extract(file) {
    const stores = findStores(listSegments(file).segments);
    const [store] = stores;
    if (!store || stores.length > 1) return undefined;
    return Buffer.concat(
      store.map(({ content }, index) => content.subarray(index === 0 ? XT_PREFIX_BYTES : XT_HEADER_BYTES)),
    );
  },
  prepare(file): PreparedFile {
    const { segments, isComplete } = listSegments(file);
    if (!isComplete) throw new ContainerError('The JPEG is not complete.');
    const stores = findStores(segments);
    const [old = []] = stores;
    if (stores.length > 1) throw new ContainerError('The JPEG has several manifests.');
    requireMovable(segments, old);
    const instanceNumber = findFreeNumber(segments.filter((segment) => !old.includes(segment)));
    let insertAt = 2;
    for (const { kind, end } of segments) {
      if (kind !== APP0) break;
      insertAt = end;
    }
    return fixedPlacement({
      before: [file.subarray(0, insertAt)],
      after: cutRanges(file, old, insertAt),
      wrap: (store) => wrapStore(store, instanceNumber),
    });
  },
};

/** One that no other box has: segments with the same number belong together. */
function findFreeNumber(others: readonly Segment[]): number {
  const used = new Set(others.filter(isBoxSegment).map(({ content }) => content.readUInt16BE(2)));
  let number = INSTANCE_NUMBER;
  while (used.has(number)) number += 1;
  return number;
}

function isBoxSegment({ kind, content }: Segment): boolean {
  return kind === APP11 && content.length > XT_HEADER_BYTES && content.subarray(0, 2).equals(XT_IDENTIFIER);
}

/** Refuses a file of several pictures: their places are relative to a segment, behind which no size may change. */
function requireMovable(segments: readonly Segment[], old: readonly Segment[]): void {
  const index = segments.find(({ kind, content }) => kind === APP2 && content.toString('latin1', 0, 4) === 'MPF\0');
  if (index && old.some(({ start }) => start > index.start)) {
    throw new ContainerError('The JPEG has a manifest between its pictures, which cannot be replaced.');
  }
}

/** Until the end of the first image, or the first byte that starts no segment. */
function listSegments(file: Buffer): { segments: Segment[]; isComplete: boolean } {
  const segments: Segment[] = [];
  let at = file.length >= 2 && file.readUInt16BE(0) === FIRST_BYTES ? 2 : file.length;
  while (at + 2 <= file.length && file[at] === MARKER && file[at + 1] !== END_OF_IMAGE) {
    at = skipStandalone(file, at);
    const segment = file[at] === MARKER ? readSegment(file, at) : undefined;
    if (!segment) break;
    segments.push(segment);
    if (segments.length > MAX_SEGMENTS) throw new ContainerError('The JPEG has too many segments.');
    at = segment.kind === START_OF_SCAN ? findScanEnd(file, segment.end) : segment.end;
  }
  const hasScan = segments.some(({ kind }) => kind === START_OF_SCAN);
  // Some cameras leave out the end of the image.
  return { segments, isComplete: hasScan && (at >= file.length || file[at + 1] === END_OF_IMAGE) };
}

/** Skips fill bytes and markers without length and content: restarts and the start of an image. */
function skipStandalone(file: Buffer, start: number): number {
  for (let at = start; ; ) {
    const kind = file[at] === MARKER ? (file[at + 1] ?? 0) : 0;
    if (kind === MARKER) at += 1;
    else if (kind === 0x01 || (kind >= 0xd0 && kind <= 0xd8)) at += 2;
    else return at;
  }
}

function readSegment(file: Buffer, start: number): Segment | undefined {
  if (start + HEADER_BYTES > file.length) return undefined;
  const end = start + 2 + file.readUInt16BE(start + 2);
  if (end < start + HEADER_BYTES || end > file.length) return undefined;
  return { kind: file.readUInt8(start + 1), start, end, content: file.subarray(start + HEADER_BYTES, end) };
}

/** Finds the next marker: in image data, 0xff is followed by zero or a restart number unless it starts one. */
function findScanEnd(file: Buffer, start: number): number {
  for (let at = file.indexOf(MARKER, start); at >= 0; at = file.indexOf(MARKER, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.length;
}

/** The segments of each manifest store. */
function findStores(segments: readonly Segment[]): Segment[][] {
  const stores: Segment[][] = [];
  let instance: Buffer | undefined;
  for (const segment of segments) {
    const { content } = segment;
    if (!isBoxSegment(segment)) continue;
    const number = content.subarray(2, 4);
    if (instance?.equals(number)) stores.at(-1)?.push(segment);
    else if (content.toString('latin1', BOX_KIND_OFFSET, BOX_KIND_OFFSET + 4) === 'c2pa') {
      instance = number;
      stores.push([segment]);
    }
  }
  return stores;
}

function wrapStore(store: Uint8Array, instanceNumber: number): Buffer {
  const boxHeader = store.subarray(0, XT_HEADER_BYTES - XT_PREFIX_BYTES);
  const content = store.subarray(boxHeader.length);
  const room = MAX_CONTENT_BYTES - XT_HEADER_BYTES;
  const parts: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < content.length; at += room) {
    const part = content.subarray(at, at + room);
    const header = Buffer.alloc(HEADER_BYTES + XT_PREFIX_BYTES);
    header.writeUInt8(MARKER, 0);
    header.writeUInt8(APP11, 1);
    header.writeUInt16BE(2 + XT_HEADER_BYTES + part.length, 2);
    header.set(XT_IDENTIFIER, HEADER_BYTES);
    header.writeUInt16BE(instanceNumber, HEADER_BYTES + 2);
    header.writeUInt32BE(at / room + 1, HEADER_BYTES + 4);
    parts.push(header, boxHeader, part);
  }
  return Buffer.concat(parts);
}
