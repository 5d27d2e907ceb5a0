// AVIF and HEIC, in the format BMFF: the manifest store becomes a `uuid` box after the file type. The places that other boxes
// state count from the start of the file, so they move with it.

import {
  BMFF_STORE_OFFSET,
  C2PA_BOX_PURPOSE,
  C2PA_PURPOSE_OFFSET,
  C2PA_UUID,
  FileBytes,
  isC2paBox,
  listBmffBoxes,
} from '@provenance-registry/c2pa';
import { moveOffsets } from './bmffOffsets.js';
import { ContainerError, type PreparedFile, type WritableContainer } from './container.js';

const HEADER_BYTES = 8;
/** Fragments state places in further ways, and have a manifest each. */
const FRAGMENT_BOXES = ['moof', 'sidx', 'mfra'];

export const bmffImage: WritableContainer = {
  binding: 'bmff',
  prepare(bytes): PreparedFile {
    const file = new FileBytes(bytes);
    const boxes = listBmffBoxes(file);
    const [fileType] = boxes;
    if (fileType?.type !== 'ftyp' || !boxes.some(({ type }) => type === 'meta')) {
      throw new ContainerError('The image is not complete.');
    }
    if (boxes.some(({ type }) => FRAGMENT_BOXES.includes(type))) {
      throw new ContainerError('The image consists of fragments.');
    }
    const old = boxes.filter((box) => isC2paBox(file, box));
    if (old.length > 1) throw new ContainerError('The image has several manifests.');
    const kept = boxes.slice(1).filter((box) => !old.includes(box));
    return {
      place(storeSize) {
        const added = HEADER_BYTES + BMFF_STORE_OFFSET + storeSize;
        const move = (offset: number) =>
          old.reduce((moved, { start, end }) => moved - (offset >= end ? end - start : 0), offset + added);
        return {
          before: [bytes.subarray(0, fileType.end)],
          after: kept.map((box) => moveOffsets(bytes, box, move)),
          wrap: wrapStore,
        };
      },
    };
  },
};

function wrapStore(store: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES + BMFF_STORE_OFFSET);
  header.writeUInt32BE(header.length + store.length, 0);
  header.write('uuid', 4, 'latin1');
  header.set(C2PA_UUID, HEADER_BYTES);
  header.write(C2PA_BOX_PURPOSE, HEADER_BYTES + C2PA_PURPOSE_OFFSET, 'latin1');
  return Buffer.concat([header, store]);
}
