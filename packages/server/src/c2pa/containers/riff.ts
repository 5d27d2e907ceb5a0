// WebP: the manifest store becomes the last chunk.

import {
  FileBytes,
  RIFF_CHUNK_HEADER_BYTES,
  RIFF_HEADER_BYTES,
  RIFF_MANIFEST_TYPE,
  readRiffStructure,
} from '@provenance-registry/c2pa';
import { ContainerError, cutRanges, type WritableContainer } from './container.js';

export const webp: WritableContainer = {
  binding: 'data',
  prepare(file) {
    const { manifests, contentEnd, hasImage, end } = readRiffStructure(new FileBytes(file));
    if (file.toString('latin1', 8, RIFF_HEADER_BYTES) !== 'WEBP' || !hasImage || end > file.length) {
      throw new ContainerError('The WebP is not complete.');
    }
    if (manifests.length > 1) throw new ContainerError('The WebP has several manifests.');
    const content = cutRanges(file, manifests, RIFF_HEADER_BYTES, Math.min(contentEnd, file.length));
    const contentBytes = content.reduce((sum, { length }) => sum + length, 0);
    // A last chunk without the byte that makes its size even.
    const filling = Buffer.alloc(contentBytes % 2);
    return {
      place(storeSize) {
        const padding = Buffer.alloc(storeSize % 2);
        const header = Buffer.from(file.subarray(0, RIFF_HEADER_BYTES));
        const chunkBytes = RIFF_CHUNK_HEADER_BYTES + storeSize + padding.length;
        const size = RIFF_HEADER_BYTES - RIFF_CHUNK_HEADER_BYTES + contentBytes + filling.length + chunkBytes;
        header.writeUInt32LE(size, 4);
        return {
          before: [header, ...content, filling],
          after: [padding, file.subarray(Math.max(end, contentEnd))],
          wrap: wrapStore,
        };
      },
    };
  },
};

function wrapStore(store: Uint8Array): Buffer {
  const header = Buffer.alloc(RIFF_CHUNK_HEADER_BYTES);
  header.write(RIFF_MANIFEST_TYPE, 'latin1');
  header.writeUInt32LE(store.length, 4);
  return Buffer.concat([header, store]);
}
