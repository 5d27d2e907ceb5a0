// The color of transparent pixels in the first frame of a GIF, which libvips does not tell.

interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

const HEADER_BYTES = 13;
const FRAME_HEADER_BYTES = 10;
const EXTENSION = 0x21;
const FRAME = 0x2c;
const GRAPHIC_CONTROL = 0xf9;

/** Any color if no pixel is transparent or the file is broken. */
export function findTransparentColor(bytes: Uint8Array): Color {
  let index = 0;
  let at = HEADER_BYTES + paletteBytes(bytes[10]);
  while (bytes[at] === EXTENSION) {
    // One block: its size, flags, delay, transparent color.
    if (bytes[at + 1] === GRAPHIC_CONTROL && (bytes[at + 3] ?? 0) & 1) index = bytes[at + 6] ?? 0;
    at += 2;
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
    at += 1;
  }
  const localBytes = bytes[at] === FRAME ? paletteBytes(bytes[at + 9]) : 0;
  const palette = localBytes > 0 ? at + FRAME_HEADER_BYTES : HEADER_BYTES;
  const color = palette + index * 3;
  return { r: bytes[color] ?? 0, g: bytes[color + 1] ?? 0, b: bytes[color + 2] ?? 0 };
}

/** Size of the color table by the flags in the header of a file or frame. */
function paletteBytes(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}
