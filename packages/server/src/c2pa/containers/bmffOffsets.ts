// The places in a BMFF file that its boxes state: of items (`iloc`) and of the samples of tracks (`stco`, `co64`).

import { type BmffBox, FileBytes, listBmffBoxes } from '@provenance-registry/c2pa';
import { ContainerError } from './container.js';

type Move = (offset: number) => number;

/** Boxes with boxes inside that can state places, with the size of what comes before these. */
const containers: Readonly<Record<string, number>> = { meta: 4, moov: 0, trak: 0, mdia: 0, minf: 0, stbl: 0 };

/** A copy of the box in which every place is moved; the box itself when it states none. */
export function moveOffsets(file: Buffer, box: BmffBox, move: Move): Buffer {
  const bytes = file.subarray(box.start, box.end);
  if (!(box.type in containers)) return bytes;
  const copy = Buffer.from(bytes);
  moveInside(copy, { ...box, start: 0, contentStart: box.contentStart - box.start, end: bytes.length }, move);
  return copy;
}

/** The nesting is limited: each kind of container occurs once on the way to a box. */
function moveInside(bytes: Buffer, box: BmffBox, move: Move, outer: readonly string[] = []): void {
  const prefix = containers[box.type];
  if (prefix !== undefined && !outer.includes(box.type)) {
    for (const inner of listBmffBoxes(new FileBytes(bytes), box.contentStart + prefix, box.end)) {
      moveInside(bytes, inner, move, [...outer, box.type]);
    }
  } else if (box.type === 'iloc') moveItems(bytes.subarray(box.contentStart, box.end), move);
  else if (box.type === 'stco') moveChunks(bytes.subarray(box.contentStart, box.end), 4, move);
  else if (box.type === 'co64') moveChunks(bytes.subarray(box.contentStart, box.end), 8, move);
  else if (box.type === 'saio') throw new ContainerError('The image has auxiliary information that cannot be moved.');
}

/** After version and flags: the number of chunks, then the place of each. */
function moveChunks(content: Buffer, width: 4 | 8, move: Move): void {
  const count = content.readUInt32BE(4);
  for (let at = 8; at < 8 + count * width; at += width)
    writeField(content, at, width, move(readField(content, at, width)));
}

/** An item is at its base offset plus those of its extents, counted from the start of the file in method 0. */
function moveItems(content: Buffer, move: Move): void {
  const version = content.readUInt8(0);
  if (version > 2) throw unknownError();
  const sizes = content.readUInt16BE(4);
  const layout = {
    idSize: version === 2 ? 4 : 2,
    methodSize: version === 0 ? 0 : 2,
    offsetSize: sizes >> 12,
    lengthSize: (sizes >> 8) & 15,
    baseSize: (sizes >> 4) & 15,
    indexSize: version === 0 ? 0 : sizes & 15,
  };
  const count = readField(content, 6, layout.idSize);
  let at = 6 + layout.idSize;
  for (let item = 0; item < count; item += 1) at = moveItem(content, at, layout, move);
}

interface ItemLayout {
  readonly idSize: number;
  readonly methodSize: number;
  readonly offsetSize: number;
  readonly lengthSize: number;
  readonly baseSize: number;
  readonly indexSize: number;
}

/** @returns the place of the next item */
function moveItem(content: Buffer, start: number, layout: ItemLayout, move: Move): number {
  const { idSize, methodSize, offsetSize, lengthSize, baseSize, indexSize } = layout;
  const method = methodSize === 0 ? 0 : content.readUInt16BE(start + idSize) & 15;
  // In between is the number of the file that the item is in.
  const baseAt = start + idSize + methodSize + 2;
  const base = readField(content, baseAt, baseSize);
  const count = content.readUInt16BE(baseAt + baseSize);
  const first = baseAt + baseSize + 2;
  const extentSize = indexSize + offsetSize + lengthSize;
  // Otherwise a small box could state very many.
  if (extentSize === 0 && count > 1) throw unknownError();
  const extents = Array.from({ length: count }, (_, index) => {
    const at = first + index * extentSize + indexSize;
    return { at, offset: readField(content, at, offsetSize) };
  });
  if (method === 0) moveExtents(content, { baseAt, baseSize, base, offsetSize, extents }, move);
  return first + count * extentSize;
}

interface Item {
  readonly baseAt: number;
  readonly baseSize: number;
  readonly base: number;
  readonly offsetSize: number;
  readonly extents: readonly { readonly at: number; readonly offset: number }[];
}

function moveExtents(content: Buffer, { baseAt, baseSize, base, offsetSize, extents }: Item, move: Move): void {
  const distances = extents.map(({ offset }) => move(base + offset) - base - offset);
  const [distance = 0] = distances;
  if (offsetSize > 0 && (baseSize === 0 || base === 0)) {
    for (const { at, offset } of extents) writeField(content, at, offsetSize, move(offset));
  } else if (distances.every((one) => one === distance)) writeField(content, baseAt, baseSize, base + distance);
  else throw new ContainerError('The image has a manifest between its parts, which cannot be replaced.');
}

function unknownError(): ContainerError {
  return new ContainerError('The image states the places of its parts in an unknown way.');
}

function readField(content: Buffer, at: number, size: number): number {
  if (size === 0) return 0;
  if (size === 2) return content.readUInt16BE(at);
  if (size === 4) return content.readUInt32BE(at);
  if (size === 8) return Number(content.readBigUInt64BE(at));
  throw unknownError();
}

/** Throws a RangeError when the value does not fit. */
function writeField(content: Buffer, at: number, size: number, value: number): void {
  if (size === 4) content.writeUInt32BE(value, at);
  else if (size === 8) content.writeBigUInt64BE(BigInt(value), at);
  else if (value !== 0) throw unknownError();
}
