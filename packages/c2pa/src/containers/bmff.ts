// BMFF, the format of AVIF, HEIC, MP4 and MOV: the manifest store is in a `uuid` box after the file type.

import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

export const C2PA_UUID = Uint8Array.of(
  ...[0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c],
  ...[0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81],
);
/** After a box's header. */
const UUID_BYTES = 16;
const VERSION_AND_FLAGS_BYTES = 4;
export const C2PA_BOX_PURPOSE = 'manifest\0';
/** After the purpose, the place of the first auxiliary box: there is none. */
const AUXILIARY_OFFSET_BYTES = 8;
/** Before the purpose: UUID, version and flags. */
export const C2PA_PURPOSE_OFFSET = UUID_BYTES + VERSION_AND_FLAGS_BYTES;
/** Before the store in the content of the box. */
export const BMFF_STORE_OFFSET = C2PA_PURPOSE_OFFSET + C2PA_BOX_PURPOSE.length + AUXILIARY_OFFSET_BYTES;
/** More than any image has. */
const MAX_BOXES = 10_000;

export interface BmffBox extends ByteRange {
  readonly type: string;
  readonly contentStart: number;
}

/** The boxes directly inside a range; all of it must be boxes. */
export function listBmffBoxes(file: FileBytes, from = 0, to = file.size): BmffBox[] {
  const boxes: BmffBox[] = [];
  for (let start = from; start < to; ) {
    const size = file.u32(start);
    const isLarge = size === 1;
    const length = isLarge ? file.u64(start + 8) : size === 0 ? to - start : size;
    const contentStart = start + (isLarge ? 16 : 8);
    const end = start + length;
    if (end < contentStart || end > to) throw new RangeError('a box is longer than the file');
    boxes.push({ type: file.text(start + 4, start + 8), start, contentStart, end });
    if (boxes.length > MAX_BOXES) throw new ContainerError('The file has too many boxes.');
    start = end;
  }
  return boxes;
}

/** Whether the box holds something of C2PA: a manifest, or hashes of parts of the file. */
export function isC2paBox(file: FileBytes, { type, contentStart, end }: BmffBox): boolean {
  if (type !== 'uuid' || end - contentStart < C2PA_PURPOSE_OFFSET) return false;
  return file.slice(contentStart, contentStart + UUID_BYTES).every((byte, index) => byte === C2PA_UUID[index]);
}

/** The only box of C2PA; others would have an update of the manifest, or hashes of fragments. */
export function readBmff(file: FileBytes): Carrier | undefined {
  const [box, ...others] = listBmffBoxes(file).filter((one) => isC2paBox(file, one));
  if (!box || others.length > 0) return undefined;
  const { contentStart, start, end } = box;
  const purposeAt = contentStart + C2PA_PURPOSE_OFFSET;
  const storeAt = contentStart + BMFF_STORE_OFFSET;
  const isPlain =
    storeAt <= end &&
    file.u32(contentStart + UUID_BYTES) === 0 &&
    file.hasText(purposeAt, C2PA_BOX_PURPOSE) &&
    file.u64(purposeAt + C2PA_BOX_PURPOSE.length) === 0;
  return isPlain ? { content: file.slice(storeAt, end), ranges: [{ start, end }] } : undefined;
}
