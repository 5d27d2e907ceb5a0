// GIF: the manifest store becomes an application extension before the first image, in blocks of up to 255 bytes.

import { FileBytes, GIF_MANIFEST_START, readGifStructure } from '@provenance-registry/c2pa';
import { ContainerError, cutRanges, fixedPlacement, type WritableContainer } from './container.js';

const MAX_BLOCK_BYTES = 255;

export const gif: WritableContainer = {
  binding: 'data',
  prepare(file) {
    const { manifests, insertAt, hasImage } = readGifStructure(new FileBytes(file));
    if (!hasImage) throw new ContainerError('The GIF is not complete.');
    if (manifests.length > 1) throw new ContainerError('The GIF has several manifests.');
    // Extensions exist since version 89a.
    const header = Buffer.from(file.subarray(0, insertAt));
    header.write('GIF89a', 'latin1');
    return fixedPlacement({ before: [header], after: cutRanges(file, manifests, insertAt), wrap: wrapStore });
  },
};

function wrapStore(store: Uint8Array): Buffer {
  const parts: Uint8Array[] = [Buffer.from(GIF_MANIFEST_START, 'latin1')];
  for (let at = 0; at < store.length; at += MAX_BLOCK_BYTES) {
    const block = store.subarray(at, at + MAX_BLOCK_BYTES);
    parts.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}
