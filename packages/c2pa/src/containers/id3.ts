// MP3 and FLAC: the manifest store is a GEOB frame ("general encapsulated object") of the ID3 tag at the start.

import type { Carrier } from './container.js';
import type { FileBytes } from './fileBytes.js';

const HEADER_BYTES = 10;
const UNSYNCHRONIZED = 0x80;
const EXTENDED_HEADER = 0x40;
const MEDIA_TYPES = ['application/c2pa', 'application/x-c2pa-manifest-store'];

export function readId3(file: FileBytes): Carrier | undefined {
  if (!file.hasText(0, 'ID3')) return undefined;
  const [version, flags] = [file.u8(3), file.u8(5)];
  if ((version !== 3 && version !== 4) || (flags & (UNSYNCHRONIZED | EXTENDED_HEADER)) !== 0) return undefined;
  const end = HEADER_BYTES + readSynchsafe(file, 6);
  const stores: Carrier[] = [];
  for (let at = HEADER_BYTES; at + HEADER_BYTES <= end && file.u8(at) !== 0; ) {
    const size = version === 4 ? readSynchsafe(file, at + 4) : file.u32(at + 4);
    const next = at + HEADER_BYTES + size;
    if (next > Math.min(end, file.size)) throw new RangeError('a frame is longer than the tag');
    const start = file.hasText(at, 'GEOB') ? findObject(file, at + HEADER_BYTES, next) : undefined;
    if (start !== undefined) stores.push({ content: file.slice(start, next), ranges: [{ start, end: next }] });
    at = next;
  }
  return stores.length === 1 ? stores[0] : undefined;
}

/** Four bytes of seven bits each. */
function readSynchsafe(file: FileBytes, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => sum * 128 + (file.u8(at + index) & 0x7f), 0);
}

/** The object is after text encoding, media type, filename and description. */
function findObject(file: FileBytes, start: number, end: number): number | undefined {
  const typeEnd = file.indexOf(0, start + 1, end);
  if (typeEnd < 0 || !MEDIA_TYPES.includes(file.text(start + 1, typeEnd))) return undefined;
  const encoding = file.u8(start);
  const isWide = encoding === 1 || encoding === 2;
  return skipText(file, skipText(file, typeEnd + 1, end, isWide), end, isWide);
}

/** The place after the zero that ends a text, of one or two bytes. */
function skipText(file: FileBytes, start: number, end: number, isWide: boolean): number {
  if (isWide) {
    for (let at = start; at + 1 < end; at += 2) if (file.u16(at) === 0) return at + 2;
    return end;
  }
  const zero = file.indexOf(0, start, end);
  return zero < 0 ? end : zero + 1;
}
