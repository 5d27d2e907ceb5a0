// PNG, also animated: the manifest store becomes the chunk directly after the header.

import { crc32 } from 'node:zlib';
import { FileBytes, PNG_CHUNK_OVERHEAD_BYTES, PNG_MANIFEST_TYPE, readPngStructure } from '@provenance-registry/c2pa';
import { ContainerError, cutRanges, fixedPlacement, type WritableContainer } from './container.js';

/** After the signature and the IHDR chunk, which is always first. */
const INSERT_OFFSET = 33;

export const png: WritableContainer = {
  binding: 'data',
  prepare(file) {
    const { manifests, hasHeader, hasEnd } = readPngStructure(new FileBytes(file));
    if (!hasHeader || !hasEnd) throw new ContainerError('The PNG is not complete.');
    if (manifests.length > 1) throw new ContainerError('The PNG has several manifests.');
    return fixedPlacement({
      before: [file.subarray(0, INSERT_OFFSET)],
      after: cutRanges(file, manifests, INSERT_OFFSET),
      wrap: (store) => pngChunk(PNG_MANIFEST_TYPE, store),
    });
  },
};

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(PNG_CHUNK_OVERHEAD_BYTES + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
