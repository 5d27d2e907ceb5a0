// The boxes of a BMFF file.

import { ContainerError } from './container.js';

/** More than any image has. */
const MAX_BOXES = 10_000;

export interface Box {
  readonly type: string;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/** The boxes directly inside a range; all of it must be boxes. */
export function listBoxes(file: Buffer, from = 0, to = file.length): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start < to; ) {
    const size = file.readUInt32BE(start);
    const type = file.toString('latin1', start + 4, start + 8);
    const isLarge = size === 1;
    const length = isLarge ? Number(file.readBigUInt64BE(start + 8)) : size === 0 ? to - start : size;
    const contentStart = start + (isLarge ? 16 : 8);
    const end = start + length;
    if (end < contentStart || end > to) throw new RangeError('a box is longer than the file');
    boxes.push({ type, start, contentStart, end });
    if (boxes.length > MAX_BOXES) throw new ContainerError('The file has too many boxes.');
    start = end;
  }
  return boxes;
}
