// Signed copies: which files can have one, and how they are named.

import { type EmbeddableType, embeddableTypes, MAX_EMBEDDABLE_BYTES } from '@provenance-registry/core';
import * as texts from '#texts/site/ui';

const formatNames: Readonly<Record<EmbeddableType, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/apng': 'PNG',
  'image/webp': 'WebP',
  'image/tiff': 'TIFF',
  'image/x-adobe-dng': 'DNG',
  'image/gif': 'GIF',
  'image/svg+xml': 'SVG',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/heif': 'HEIF',
};

/** The files that can have a signed copy, as they read within a sentence. */
export const COPY_FORMATS = texts.copyFormats(new Set(Object.values(formatNames)), MAX_EMBEDDABLE_BYTES / 1024 ** 2);

/** Types that browsers do not always recognize, by the extension. */
const typesByExtension: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['dng', 'image/x-adobe-dng'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['tif', 'image/tiff'],
  ['tiff', 'image/tiff'],
]);

/** Whether a manifest can be embedded in the file, as far as its name and type tell. */
export function canHoldManifest(file: {
  readonly filename: string;
  readonly mediaType: string | undefined;
  readonly size: number | undefined;
}): boolean {
  const { filename, mediaType, size } = file;
  if (size === undefined || size > MAX_EMBEDDABLE_BYTES) return false;
  const type = mediaType ?? typesByExtension.get(filename.split('.').at(-1)?.toLowerCase() ?? '');
  return embeddableTypes.some((name) => name === type);
}

/** `sunrise.jpg` becomes `sunrise-signed.jpg`, so that the copy does not look like the original. */
export function copyName(filename: string): string {
  const dot = filename.lastIndexOf('.');
  return dot > 0 ? `${filename.slice(0, dot)}-signed${filename.slice(dot)}` : `${filename}-signed`;
}
