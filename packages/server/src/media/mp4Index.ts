// Moves the index (`moov`) of an MP4 file in front of its data, so that it can be read from a pipe, which cannot go back.

/** The index of hours of audio. Bounds the time in the event loop. */
const MAX_INDEX_BYTES = 4 * 1024 * 1024;
/** Boxes of one level. Files have a few. */
const MAX_BOXES = 1000;

const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;

/** Types are compared as numbers. */
const codeOf = (type: string) => Buffer.from(type, 'latin1').readUInt32BE();
const DATA = codeOf('mdat');
const INDEX = codeOf('moov');
/** The boxes from the index to the tables of places, each in the one before. */
const path: readonly number[] = ['trak', 'mdia', 'minf', 'stbl'].map(codeOf);
const PLACES = codeOf('stco');
const LARGE_PLACES = codeOf('co64');

interface Box {
  readonly type: number;
  readonly start: number;
  /** Start of what is in it. */
  readonly content: number;
  readonly end: number;
}

/** The parts of the file in the order in which they can be read; the file as it is if there is nothing to move. */
export function moveIndexToFront(bytes: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let data: Box | undefined;
  for (const box of boxesIn(view, 0, bytes.length)) {
    if (box.type === DATA) data ??= box;
    if (box.type !== INDEX) continue;
    if (!data || box.end - box.start > MAX_INDEX_BYTES) break;
    // A copy: `slice` of a Buffer would be none.
    const index = new Uint8Array(bytes.subarray(box.start, box.end));
    shiftPlaces(index, box.content - box.start, data.start, box.start);
    return [bytes.subarray(0, data.start), index, bytes.subarray(data.start, box.start), bytes.subarray(box.end)];
  }
  return [bytes];
}

/** Stops at a box that is not whole. */
function* boxesIn(view: DataView, from: number, to: number): Generator<Box> {
  let start = from;
  for (let count = 0; count < MAX_BOXES && start + HEADER_BYTES <= to; count += 1) {
    const type = view.getUint32(start + 4);
    let [size, content] = [view.getUint32(start), start + HEADER_BYTES];
    if (size === 0) size = to - start;
    if (size === 1 && start + LARGE_HEADER_BYTES <= to) {
      [size, content] = [Number(view.getBigUint64(start + HEADER_BYTES)), start + LARGE_HEADER_BYTES];
    }
    const end = start + size;
    if (end < content || end > to) return;
    yield { type, start, content, end };
    start = end;
  }
}

/** Data in the range moves behind the index, so the places that the index states grow by its size. */
function shiftPlaces(index: Uint8Array, content: number, from: number, to: number): void {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const shift = (place: number) => (place >= from && place < to ? place + index.length : place);
  for (const { type, content: start, end } of tablesIn(view, { content, end: index.length })) {
    // Version, flags and the number of entries come first.
    const table = start + HEADER_BYTES;
    if (type === PLACES) {
      for (let at = table; at + 4 <= end; at += 4) view.setUint32(at, shift(view.getUint32(at)));
    } else if (type === LARGE_PLACES) {
      for (let at = table; at + 8 <= end; at += 8) view.setBigUint64(at, BigInt(shift(Number(view.getBigUint64(at)))));
    }
  }
}

/** The boxes at the end of the path. */
function* tablesIn(view: DataView, { content, end }: Pick<Box, 'content' | 'end'>, depth = 0): Generator<Box> {
  for (const box of boxesIn(view, content, end)) {
    if (depth === path.length) yield box;
    else if (box.type === path[depth]) yield* tablesIn(view, box, depth + 1);
  }
}
