// PNG, also animated: the manifest store is the chunk `caBX`, directly after the header.

import { crc32 } from 'node:zlib';
import { ContainerError, cutRanges, fixedPlacement, type WritableContainer } from './container.js';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const CHUNK_TYPE = 'caBX';
/** Types as numbers: a file can have millions of chunks. */
const [MANIFEST, HEADER, END] = [CHUNK_TYPE, 'IHDR', 'IEND'].map((type) => Buffer.from(type).readUInt32BE(0));
/** After the signature and the IHDR chunk, which is always first. */
const INSERT_OFFSET = 33;
/** A chunk's length, type and checksum. */
const CHUNK_OVERHEAD_BYTES = 12;

interface Chunk {
  readonly start: number;
  readonly end: number;
}

export const png: WritableContainer = {
  binding: 'data',
  extract(file) {
    const { manifests } = readStructure(file);
    const [chunk] = manifests;
    return chunk && manifests.length === 1 ? file.subarray(chunk.start + 8, chunk.end - 4) : undefined;
  },
  prepare(file) {
    const { manifests, hasHeader, hasEnd } = readStructure(file);
    if (!hasHeader || !hasEnd) throw new ContainerError('The PNG is not complete.');
    if (manifests.length > 1) throw new ContainerError('The PNG has several manifests.');
    return fixedPlacement({
      before: [file.subarray(0, INSERT_OFFSET)],
      after: cutRanges(file, manifests, INSERT_OFFSET),
      wrap: (store) => pngChunk(CHUNK_TYPE, store),
    });
  },
};

/** Reads all chunks; bytes after the end of the image are none. Keeps two manifests at most. */
function readStructure(file: Buffer): { manifests: Chunk[]; hasHeader: boolean; hasEnd: boolean } {
  if (!file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new ContainerError('The file is not a PNG.');
  const manifests: Chunk[] = [];
  const hasHeader = file.readUInt32BE(SIGNATURE.length + 4) === HEADER;
  for (let at = SIGNATURE.length; at < file.length; ) {
    const end = at + CHUNK_OVERHEAD_BYTES + file.readUInt32BE(at);
    const type = file.readUInt32BE(at + 4);
    if (end > file.length) throw new RangeError('a chunk is longer than the file');
    if (type === END) return { manifests, hasHeader, hasEnd: true };
    if (type === MANIFEST && manifests.length < 2) manifests.push({ start: at, end });
    at = end;
  }
  return { manifests, hasHeader, hasEnd: false };
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(CHUNK_OVERHEAD_BYTES + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
