// The images that the service returns with a manifest embedded.

export const embeddableTypes = [
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/tiff',
  'image/x-adobe-dng',
  'image/gif',
  'image/svg+xml',
  'image/avif',
  'image/heic',
  'image/heif',
] as const;
export type EmbeddableType = (typeof embeddableTypes)[number];

/** The image, its signed copy and the manifest are in memory at the same time. */
export const MAX_EMBEDDABLE_BYTES = 32 * 1024 * 1024;
