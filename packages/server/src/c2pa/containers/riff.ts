// RIFF, the format of WebP, WAV and AVI: the manifest store is the chunk `C2PA`, the last one.

import { type Container, ContainerError, cutRanges, type WritableContainer } from './container.js';

const CHUNK_TYPE = 'C2PA';
const toNumber = (type: string) => Buffer.from(type).readUInt32BE(0);
/** Types as numbers: a file can have millions of chunks. */
const MANIFEST = toNumber(CHUNK_TYPE);
const CHUNK_HEADER_BYTES = 8;
/** Still images and frames. */
const IMAGE_CHUNKS = ['VP8 ', 'VP8L', 'ANMF'].map(toNumber);
/** `RIFF`, the size of the rest, and the kind of file. */
const FILE_HEADER_BYTES = 12;

interface Chunk {
  readonly start: number;
  readonly dataEnd: number;
  /** End with the byte that makes its size even. */
  readonly end: number;
}

export const riff: Container = {
  extract(file) {
    const { manifests } = readStructure(file);
    const [chunk] = manifests;
    return chunk && manifests.length === 1 ? file.subarray(chunk.start + CHUNK_HEADER_BYTES, chunk.dataEnd) : undefined;
  },
};

export const webp: WritableContainer = {
  ...riff,
  binding: 'data',
  prepare(file) {
    const { manifests, contentEnd, hasImage, end } = readStructure(file);
    if (file.toString('latin1', 8, FILE_HEADER_BYTES) !== 'WEBP' || !hasImage || end > file.length) {
      throw new ContainerError('The WebP is not complete.');
    }
    if (manifests.length > 1) throw new ContainerError('The WebP has several manifests.');
    const content = cutRanges(file, manifests, FILE_HEADER_BYTES, Math.min(contentEnd, file.length));
    const contentBytes = content.reduce((sum, { length }) => sum + length, 0);
    // A last chunk without the byte that makes its size even.
    const filling = Buffer.alloc(contentBytes % 2);
    return {
      place(storeSize) {
        const padding = Buffer.alloc(storeSize % 2);
        const header = Buffer.from(file.subarray(0, FILE_HEADER_BYTES));
        const chunkBytes = CHUNK_HEADER_BYTES + storeSize + padding.length;
        header.writeUInt32LE(FILE_HEADER_BYTES - CHUNK_HEADER_BYTES + contentBytes + filling.length + chunkBytes, 4);
        return {
          before: [header, ...content, filling],
          after: [padding, file.subarray(Math.max(end, contentEnd))],
          wrap: wrapStore,
        };
      },
    };
  },
};

interface Structure {
  /** Two at most. */
  readonly manifests: readonly Chunk[];
  readonly hasImage: boolean;
  /** End of the last chunk. */
  readonly contentEnd: number;
  /** End that the file states. */
  readonly end: number;
}

function readStructure(file: Buffer): Structure {
  if (file.toString('latin1', 0, 4) !== 'RIFF') throw new ContainerError('The file is not in the RIFF format.');
  const end = CHUNK_HEADER_BYTES + file.readUInt32LE(4);
  const limit = Math.min(end, file.length);
  const manifests: Chunk[] = [];
  let hasImage = false;
  let at = FILE_HEADER_BYTES;
  while (at + CHUNK_HEADER_BYTES <= limit) {
    const dataEnd = at + CHUNK_HEADER_BYTES + file.readUInt32LE(at + 4);
    if (dataEnd > limit) throw new RangeError('a chunk is longer than the file');
    const next = dataEnd + (dataEnd % 2);
    const type = file.readUInt32BE(at);
    hasImage ||= IMAGE_CHUNKS.includes(type);
    if (type === MANIFEST && manifests.length < 2) manifests.push({ start: at, dataEnd, end: next });
    at = next;
  }
  return { manifests, hasImage, contentEnd: at, end };
}

function wrapStore(store: Uint8Array): Buffer {
  const header = Buffer.alloc(CHUNK_HEADER_BYTES);
  header.write(CHUNK_TYPE, 'latin1');
  header.writeUInt32LE(store.length, 4);
  return Buffer.concat([header, store]);
}
