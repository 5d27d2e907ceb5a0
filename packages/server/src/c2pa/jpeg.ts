// How many segments a JPEG has, without reading what is in them.

const MARKER = 0xff;
const START_OF_SCAN = 0xda;

/** Up to the first place where there is no segment; the pixels that follow a scan's header belong to it. */
export function countSegments(jpeg: Uint8Array): number {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let count = 0;
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === MARKER) {
    const kind = jpeg[at + 1] ?? 0;
    // Before a marker its sign may stand more than once.
    if (kind === MARKER) {
      at += 1;
      continue;
    }
    count += 1;
    at += 2 + (isBare(kind) ? 0 : view.getUint16(at + 2));
    if (kind === START_OF_SCAN) at = endOfScan(jpeg, at);
  }
  return count;
}

/** Nothing belongs to them, not even a length: restarts, the start and the end of an image. */
function isBare(kind: number): boolean {
  return kind === 0x01 || (kind >= 0xd0 && kind <= 0xd9);
}

/** Among pixels, the sign of a marker stands before a zero or the number of a restart, or else it is one. */
function endOfScan(jpeg: Uint8Array, start: number): number {
  for (let at = jpeg.indexOf(MARKER, start); at >= 0; at = jpeg.indexOf(MARKER, at + 1)) {
    const next = jpeg[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return jpeg.length;
}
