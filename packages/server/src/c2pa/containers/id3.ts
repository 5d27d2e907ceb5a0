// MP3: the manifest store is a GEOB frame ("general encapsulated object") of the ID3 tag at its start.

import type { Container } from './container.js';

const HEADER_BYTES = 10;
const UNSYNCHRONIZED = 0x80;
const EXTENDED_HEADER = 0x40;
const OBJECT_FRAME = Buffer.from('GEOB').readUInt32BE(0);
const MEDIA_TYPES = ['application/c2pa', 'application/x-c2pa-manifest-store'];

export const mp3: Container = {
  extract(file) {
    const [version = 0, flags = 0] = [file[3], file[5]];
    const isSupported = (version === 3 || version === 4) && (flags & (UNSYNCHRONIZED | EXTENDED_HEADER)) === 0;
    if (file.toString('latin1', 0, 3) !== 'ID3' || !isSupported) return undefined;
    const end = HEADER_BYTES + readSynchsafe(file, 6);
    const stores: Buffer[] = [];
    for (let at = HEADER_BYTES; at + HEADER_BYTES <= end && file[at] !== 0; ) {
      const size = version === 4 ? readSynchsafe(file, at + 4) : file.readUInt32BE(at + 4);
      const next = at + HEADER_BYTES + size;
      if (next > Math.min(end, file.length)) throw new RangeError('a frame is longer than the tag');
      const isObject = file.readUInt32BE(at) === OBJECT_FRAME;
      const store = isObject ? readObject(file.subarray(at + HEADER_BYTES, next)) : undefined;
      if (store) stores.push(store);
      at = next;
    }
    return stores.length === 1 ? stores[0] : undefined;
  },
};

/** Four bytes of seven bits each. */
function readSynchsafe(file: Buffer, at: number): number {
  const [a, b, c, d] = [0, 1, 2, 3].map((index) => file.readUInt8(at + index) & 0x7f) as [
    number,
    number,
    number,
    number,
  ];
  return ((a * 128 + b) * 128 + c) * 128 + d;
}

/** Text encoding, media type, filename, description, and the object itself. */
function readObject(frame: Buffer): Buffer | undefined {
  const typeEnd = frame.indexOf(0, 1);
  if (typeEnd < 0 || !MEDIA_TYPES.includes(frame.toString('latin1', 1, typeEnd))) return undefined;
  const isWide = frame[0] === 1 || frame[0] === 2;
  return frame.subarray(skipText(frame, skipText(frame, typeEnd + 1, isWide), isWide));
}

/** The place after the zero that ends a text, of one or two bytes. */
function skipText(frame: Buffer, start: number, isWide: boolean): number {
  if (!isWide) return frame.indexOf(0, start) < 0 ? frame.length : frame.indexOf(0, start) + 1;
  for (let at = start; at + 1 < frame.length; at += 2) if (frame.readUInt16BE(at) === 0) return at + 2;
  return frame.length;
}
