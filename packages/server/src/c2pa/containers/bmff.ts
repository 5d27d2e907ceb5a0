// BMFF, the format of AVIF, HEIC, MP4 and MOV: the manifest store is in a `uuid` box after the file type. The places that
// other boxes state count from the start of the file, so they move with it.

import { type Box, listBoxes, moveOffsets } from './bmffBoxes.js';
import { type Container, ContainerError, type PreparedFile, type WritableContainer } from './container.js';

export const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
const PURPOSE = 'manifest\0';
/** Before the purpose: header, UUID, version and flags. */
const PURPOSE_OFFSET = 8 + 16 + 4;
/** After the purpose, the place of the first auxiliary box: there is none. */
const AUXILIARY_OFFSET_BYTES = 8;
const STORE_OFFSET = PURPOSE_OFFSET + PURPOSE.length + AUXILIARY_OFFSET_BYTES;
/** Fragments state places in further ways, and have a manifest each. */
const FRAGMENT_BOXES = ['moof', 'sidx', 'mfra'];

export const bmff: Container = {
  extract(file) {
    const boxes = listBoxes(file).filter((box) => isC2pa(file, box));
    const manifests = boxes.filter(({ start }) => purposeOf(file, start) === PURPOSE);
    const [manifest] = manifests;
    // With purposes other than these two the file has an update manifest, in two boxes.
    if (!manifest || boxes.some(({ start }) => /^(original|update)\0/.test(purposeOf(file, start)))) return undefined;
    return manifests.length === 1 ? file.subarray(manifest.start + STORE_OFFSET, manifest.end) : undefined;
  },
};

export const bmffImage: WritableContainer = {
  ...bmff,
  binding: 'bmff',
  prepare(file): PreparedFile {
    const boxes = listBoxes(file);
    const [fileType] = boxes;
    if (fileType?.type !== 'ftyp' || !boxes.some(({ type }) => type === 'meta')) {
      throw new ContainerError('The image is not complete.');
    }
    if (boxes.some(({ type }) => FRAGMENT_BOXES.includes(type))) {
      throw new ContainerError('The image consists of fragments.');
    }
    const old = boxes.filter((box) => isC2pa(file, box));
    if (old.length > 1) throw new ContainerError('The image has several manifests.');
    const kept = boxes.slice(1).filter((box) => !old.includes(box));
    return {
      place(storeSize) {
        const added = STORE_OFFSET + storeSize;
        const move = (offset: number) =>
          old.reduce((moved, { start, end }) => moved - (offset >= end ? end - start : 0), offset + added);
        return {
          before: [file.subarray(0, fileType.end)],
          after: kept.map((box) => moveOffsets(file, box, move)),
          wrap: wrapStore,
        };
      },
    };
  },
};

/** Whether the hard binding covers a box. Fragments, whose index it would not, are refused. */
export function isHashedBox(box: Buffer): boolean {
  const type = box.toString('latin1', 4, 8);
  return type !== 'ftyp' && !isC2pa(box, { type, start: 0, end: box.length });
}

function isC2pa(file: Buffer, { type, start, end }: Pick<Box, 'type' | 'start' | 'end'>): boolean {
  return type === 'uuid' && end - start >= PURPOSE_OFFSET && file.subarray(start + 8, start + 24).equals(C2PA_UUID);
}

function purposeOf(file: Buffer, start: number): string {
  return file.toString('latin1', start + PURPOSE_OFFSET, start + PURPOSE_OFFSET + PURPOSE.length);
}

function wrapStore(store: Uint8Array): Buffer {
  const header = Buffer.alloc(STORE_OFFSET);
  header.writeUInt32BE(STORE_OFFSET + store.length, 0);
  header.write('uuid', 4, 'latin1');
  header.set(C2PA_UUID, 8);
  header.write(PURPOSE, PURPOSE_OFFSET, 'latin1');
  return Buffer.concat([header, store]);
}
