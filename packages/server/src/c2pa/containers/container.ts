// What the code for one file format provides: making room for a manifest store. Where files have theirs is read by the package
// that the SDK shares.

import type { ByteRange } from '@provenance-registry/c2pa';

export { ContainerError } from '@provenance-registry/c2pa';

/** Throws a RangeError where the file ends too early. Its time is linear in the size of the file. */
export interface WritableContainer {
  /** How the hard binding is computed: over bytes, or over boxes. */
  readonly binding: 'data' | 'bmff';
  /** Throws a ContainerError when the bytes are no complete file of this format. */
  prepare(file: Buffer): PreparedFile;
}

/** A file without the manifest that it had. */
export interface PreparedFile {
  place(storeSize: number): Placement;
}

/** A file with room for a manifest store of a certain size. The signed file is `before`, the wrapped store, `after`. */
export interface Placement {
  /** Of the binding `bmff`: each part is one box. */
  readonly before: readonly Uint8Array[];
  /** Of the binding `bmff`: each part is one box. */
  readonly after: readonly Uint8Array[];
  /** The store as the format contains it. Its size depends on the size of the store alone. */
  wrap(store: Uint8Array): Buffer;
}

/** Places the store in formats whose other bytes do not depend on the store. */
export function fixedPlacement(placement: Placement): PreparedFile {
  return { place: () => placement };
}

/** The bytes between the ranges. These are in order and do not overlap. */
export function cutRanges(file: Buffer, ranges: readonly ByteRange[], from = 0, to = file.length): Buffer[] {
  const pieces: Buffer[] = [];
  let at = from;
  for (const { start, end } of ranges) {
    if (end <= from || start >= to) continue;
    if (start > at) pieces.push(file.subarray(at, start));
    at = end;
  }
  if (at < to) pieces.push(file.subarray(at, to));
  return pieces;
}
