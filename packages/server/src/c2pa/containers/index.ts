// Manifest stores inside files: makes room for new ones, and finds those that there are. Files are untrusted: every place is
// checked against the end of the file, and no function uses more time or memory than in proportion to its size.

import { FileBytes, findManifestStore } from '@provenance-registry/c2pa';
import type { EmbeddableType } from '@provenance-registry/core';
import { bmffImage } from './bmff.js';
import { ContainerError, type PreparedFile, type WritableContainer } from './container.js';
import { gif } from './gif.js';
import { jpeg } from './jpeg.js';
import { png } from './png.js';
import { webp } from './riff.js';
import { svg } from './svg.js';
import { tiff } from './tiff.js';

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
const readableTypes: ReadonlySet<string | undefined> = new Set([
  ...Object.keys(writable),
  ...['audio/wav', 'audio/mpeg', 'audio/mp4', 'audio/x-m4a'],
  ...['video/vnd.avi', 'video/mp4', 'video/x-m4v', 'video/quicktime'],
]);

export type WritableType = keyof typeof writable;

export const writableTypes = Object.keys(writable) as readonly WritableType[];

export const isSvg = (mediaType: string | undefined) => mediaType === 'image/svg+xml';

/** The manifest store inside a file, byte for byte. Undefined when there is none that can be found. Never throws. */
export function extractManifestStore(bytes: Uint8Array, mediaType: string | undefined): Uint8Array | undefined {
  return readableTypes.has(mediaType) ? findManifestStore(new FileBytes(bytes), isSvg(mediaType))?.store : undefined;
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
