// GIF: the manifest store is in an application extension before the first image, in blocks of up to 255 bytes.

import { type ByteRange, type Carrier, ContainerError } from './container.js';
import type { FileBytes } from './fileBytes.js';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Header and logical screen descriptor. */
const SCREEN_END = 13;
/** The kind and the length of the identifier, and the identifier. */
export const GIF_MANIFEST_START = '\x21\xff\x0bC2PA_GIF\x01\x00\x00';

interface GifStructure {
  /** Two at most. */
  readonly manifests: readonly ByteRange[];
  /** After the header and the global color table. */
  readonly insertAt: number;
  readonly hasImage: boolean;
}

/** Reads up to the end of the first image. */
export function readGifStructure(file: FileBytes): GifStructure {
  if (!file.hasText(0, 'GIF87a') && !file.hasText(0, 'GIF89a')) throw new ContainerError('The file is not a GIF.');
  const insertAt = SCREEN_END + colorTableBytes(file.u8(10));
  const manifests: ByteRange[] = [];
  for (let at = insertAt; ; ) {
    const kind = file.u8(at);
    if (kind === TRAILER) return { manifests, insertAt, hasImage: false };
    if (kind === IMAGE) {
      const data = at + 10 + colorTableBytes(file.u8(at + 9)) + 1;
      skipBlocks(file, data);
      return { manifests, insertAt, hasImage: true };
    }
    if (kind !== EXTENSION) throw new ContainerError('The GIF is not valid.');
    const end = skipBlocks(file, at + 2);
    if (file.hasText(at, GIF_MANIFEST_START) && manifests.length < 2) manifests.push({ start: at, end });
    at = end;
  }
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The place after the empty block that ends the blocks. */
function skipBlocks(file: FileBytes, start: number): number {
  let at = start;
  for (let size = file.u8(at); size > 0; size = file.u8(at)) at += 1 + size;
  return at + 1;
}

export function readGif(file: FileBytes): Carrier | undefined {
  const [manifest, ...others] = readGifStructure(file).manifests;
  if (!manifest || others.length > 0) return undefined;
  // Into one array: blocks can be very short, and a list of them would need more memory than the file.
  const content = new Uint8Array(manifest.end - manifest.start);
  let length = 0;
  let at = manifest.start + GIF_MANIFEST_START.length;
  for (let size = file.u8(at); size > 0; size = file.u8(at)) {
    content.set(file.slice(at + 1, at + 1 + size), length);
    length += size;
    at += 1 + size;
  }
  return { content: content.subarray(0, length), ranges: [manifest] };
}
