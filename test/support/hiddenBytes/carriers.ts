// How each format carries a manifest store, independent of the code under test: a file is what is before the structure with
// the store, this structure, and what is after it. The hash leaves out the structure alone.

import { pngChunk } from '../../../packages/server/src/c2pa/containers/png.js';
import { mp4Box } from '../../../packages/server/test/support/mp4.js';

export interface Carried {
  readonly before: Buffer;
  readonly store: Buffer;
  readonly after: Buffer;
  wrap(store: Buffer): Buffer;
}

type Open = (file: Buffer) => Carried;

const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');

/** A structure of one piece with the store in it, `header` bytes before the store and `trailer` bytes behind it. */
const inOnePiece =
  (header: number, trailer: number, wrap: Carried['wrap']): Open =>
  (file) => {
    const { start, end } = findStore(file);
    const [before, after] = [file.subarray(0, start - header), file.subarray(end + trailer)];
    return { before, store: Buffer.from(file.subarray(start, end)), after, wrap };
  };

export const carriers = {
  jpeg: inOnePiece(12, 0, (store) => jpegSegment(store)),
  png: inOnePiece(8, 4, (store) => pngChunk('caBX', store)),
  riff: inOnePiece(8, 0, (store) => riffChunk('C2PA', store)),
  raw: inOnePiece(0, 0, (store) => store),
  bmff: inOnePiece(45, 0, (store) => c2paBox('manifest', store)),
  gif: (file: Buffer) => {
    const start = file.indexOf('\x21\xff\x0bC2PA_GIF', 'latin1');
    const blocks: Buffer[] = [];
    let at = start + 14;
    for (let size = file.readUInt8(at); size > 0; size = file.readUInt8(at)) {
      blocks.push(file.subarray(at + 1, at + 1 + size));
      at += 1 + size;
    }
    const wrap = (store: Buffer) => gifExtension('\xff\x0bC2PA_GIF\x01\x00\x00', store);
    return { before: file.subarray(0, start), store: Buffer.concat(blocks), after: file.subarray(at + 1), wrap };
  },
  svg: (file: Buffer) => {
    const start = file.indexOf('>', file.indexOf('<c2pa:manifest')) + 1;
    const end = file.indexOf('</c2pa:manifest>');
    const store = Buffer.from(file.toString('latin1', start, end), 'base64');
    const wrap = (content: Buffer) => Buffer.from(content.toString('base64'));
    return { before: file.subarray(0, start), store, after: file.subarray(end), wrap };
  },
} satisfies Record<string, Open>;

function findStore(file: Buffer): { start: number; end: number } {
  const start = file.indexOf('jumdc2pa') - 12;
  return { start, end: start + file.readUInt32BE(start) };
}

/** With a header of JPEG XT; a later part of a store repeats the length and the type of its box. */
export function jpegSegment(
  content: Buffer,
  number = 1,
  boxHeader: Uint8Array = new Uint8Array(),
  instance = 0x0211,
): Buffer {
  const header = Buffer.from('ffeb00004a50000000000000', 'hex');
  header.writeUInt16BE(10 + boxHeader.length + content.length, 2);
  header.writeUInt16BE(instance, 6);
  header.writeUInt32BE(number, 8);
  return Buffer.concat([header, boxHeader, content]);
}

export function appSegment(marker: number, content: Buffer): Buffer {
  const header = Buffer.from([0xff, marker, 0, 0]);
  header.writeUInt16BE(2 + content.length, 2);
  return Buffer.concat([header, content]);
}

export function riffChunk(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}

/** With the kind of the extension and what is before its blocks. */
export function gifExtension(start: string, content: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from(`\x21${start}`, 'latin1')];
  for (let at = 0; at < content.length; at += 255) {
    const block = content.subarray(at, at + 255);
    parts.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

export function c2paBox(purpose: string, content: Buffer): Buffer {
  return mp4Box('uuid', C2PA_UUID, 0, Buffer.from(`${purpose}\0`), 0, 0, content);
}
