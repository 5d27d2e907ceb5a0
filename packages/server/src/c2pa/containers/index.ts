// Manifest stores inside files: finds them, and makes room for new ones. Files are untrusted: every place is checked
// against the end of the file, and no function uses more time or memory than in proportion to its size.

import type { EmbeddableType } from '@provenance-registry/core';
import { bmff, bmffImage } from './bmff.js';
import { type Container, ContainerError, type PreparedFile, type WritableContainer } from './container.js';
import { gif } from './gif.js';
import { mp3 } from './id3.js';
import { jpeg } from './jpeg.js';
import { png } from './png.js';
import { riff, webp } from './riff.js';
import { svg } from './svg.js';
import { tiff } from './tiff.js';

export { C2PA_UUID, isHashedBox } from './bmff.js';
export { ContainerError, type Placement } from './container.js';

const writable = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/apng': png,
  'image/webp': webp,
  'image/tiff': tiff,
  'image/x-adobe-dng': tiff,
  'image/gif': gif,
  'image/svg+xml': svg,
  'image/avif': bmffImage,
  'image/heic': bmffImage,
  'image/heif': bmffImage,
} as const satisfies Record<EmbeddableType, WritableContainer>;

/** Media types as they are detected from the bytes. */
const readable = new Map<string | undefined, Container>([
  ...Object.entries(writable),
  ['audio/wav', riff],
  ['video/vnd.avi', riff],
  ['audio/mpeg', mp3],
  ['audio/mp4', bmff],
  ['audio/x-m4a', bmff],
  ['video/mp4', bmff],
  ['video/x-m4v', bmff],
  ['video/quicktime', bmff],
]);

export type WritableType = keyof typeof writable;

export const writableTypes = Object.keys(writable) as readonly WritableType[];

/** The manifest store inside a file, byte for byte. Undefined when there is none that can be found. Never throws. */
export function extractManifestStore(bytes: Uint8Array, mediaType: string | undefined): Uint8Array | undefined {
  try {
    return readable.get(mediaType)?.extract(asBuffer(bytes));
  } catch (error) {
    if (error instanceof ContainerError || error instanceof RangeError) return undefined;
    throw error;
  }
}

export function bindingOf(mediaType: WritableType): WritableContainer['binding'] {
  return writable[mediaType].binding;
}

/** The file without its manifest, ready for a new one. Throws a ContainerError when it cannot hold one. */
export function prepareFile(bytes: Uint8Array, mediaType: WritableType): PreparedFile {
  const { place } = guard(() => writable[mediaType].prepare(asBuffer(bytes)));
  return { place: (storeSize) => guard(() => place(storeSize)) };
}

/** Reading beyond the end of a file throws a RangeError. */
function guard<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof RangeError) throw new ContainerError('The image is not complete.', { cause: error });
    throw error;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
