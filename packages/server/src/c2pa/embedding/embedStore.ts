// Inserts a manifest store into a file. The manifest is bound to the other bytes of the file by a hash, so the store is built
// last: when its size and place are known.

import { createHash } from 'node:crypto';
import { bindingOf, type Placement, prepareFile, type WritableType } from '../containers/index.js';
import { bmffHash, dataHash } from '../manifest/hardBinding.js';

export interface UnsignedFile {
  readonly mediaType: WritableType;
  readonly bytes: Uint8Array;
  /** The size of the manifest store when its hard binding is empty. */
  readonly storeSize: number;
}

/** Returns a store whose hard binding has this content, in CBOR. */
export type BuildStore = (hardBinding: Uint8Array) => Promise<Uint8Array>;

interface Layout {
  readonly placement: Placement;
  readonly storeSize: number;
  readonly excluded: { readonly start: number; readonly length: number };
}

const EMPTY_HASH = Buffer.alloc(32);
/** The size grows with that of numbers in the binding: after one or two attempts it stays the same. */
const MAX_ATTEMPTS = 8;

/** Throws a ContainerError when the file cannot hold a manifest. */
export async function embedStore(file: UnsignedFile, buildStore: BuildStore): Promise<Buffer> {
  const encode = bindingOf(file.mediaType) === 'bmff' ? bmffHash : dataHash;
  const layout = layOut(file, (excluded) => encode(EMPTY_HASH, excluded).length);
  const { before, after, wrap } = layout.placement;
  const hash = bindingOf(file.mediaType) === 'bmff' ? hashBoxes(layout) : hashPieces([...before, ...after]);
  const store = await buildStore(encode(hash, layout.excluded));
  if (store.length !== layout.storeSize) throw new Error('the size of the manifest changed while it was signed');
  return Buffer.concat([...before, wrap(store), ...after]);
}

function layOut(
  { bytes, mediaType, storeSize }: UnsignedFile,
  measureBinding: (excluded: Layout['excluded']) => number,
): Layout {
  const prepared = prepareFile(bytes, mediaType);
  let excluded = { start: 0, length: 0 };
  let size = storeSize + measureBinding(excluded);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const placement = prepared.place(size);
    excluded = { start: totalBytes(placement.before), length: placement.wrap(Buffer.alloc(size)).length };
    const needed = storeSize + measureBinding(excluded);
    if (needed === size) return { placement, storeSize: size, excluded };
    size = needed;
  }
  throw new Error('the manifest has no size at which it fits');
}

function hashPieces(pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Of all boxes but the manifest's. Each is preceded by its place in the file. */
function hashBoxes({ placement: { before, after }, excluded }: Layout): Buffer {
  return hashPieces([...withPlaces(before, 0), ...withPlaces(after, excluded.start + excluded.length)]);
}

function withPlaces(boxes: readonly Uint8Array[], from: number): Uint8Array[] {
  let start = from;
  return boxes.flatMap((box) => {
    const place = Buffer.alloc(8);
    place.writeBigUInt64BE(BigInt(start));
    start += box.length;
    return [place, box];
  });
}

function totalBytes(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
