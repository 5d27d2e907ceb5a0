// Counts the segments of a JPEG without decoding them.

const MARKER = 0xff;
const START_OF_SCAN = 0xda;

/** Stops at the first byte that starts no segment. The image data after a scan's header belongs to the scan. */
export function countSegments(jpeg: Uint8Array): number {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  let count = 0;
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === MARKER) {
    const kind = jpeg[at + 1] ?? 0;
    // A marker may be preceded by fill bytes.
    if (kind === MARKER) {
      at += 1;
      continue;
    }
    count += 1;
    at += 2 + (isStandalone(kind) ? 0 : view.getUint16(at + 2));
    if (kind === START_OF_SCAN) at = findScanEnd(jpeg, at);
  }
  return count;
}

/** Markers without length and content: restarts, the start and the end of an image. */
function isStandalone(kind: number): boolean {
  return kind === 0x01 || (kind >= 0xd0 && kind <= 0xd9);
}

/** In image data, 0xff is followed by zero or a restart number unless it starts a marker. */
function findScanEnd(jpeg: Uint8Array, start: number): number {
  for (let at = jpeg.indexOf(MARKER, start); at >= 0; at = jpeg.indexOf(MARKER, at + 1)) {
    const next = jpeg[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return jpeg.length;
}
