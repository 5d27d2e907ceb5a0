// Runs in a worker: makes a small picture of an image. The browser decodes it only after its header was found to be within
// the limits, because a few kilobytes can decode to gigabytes.

import { findImageFormat, readImageSize } from '@provenance-registry/client/imageHeader';

/** Decoded, each pixel takes four bytes. */
const MAX_PIXELS = 64e6;
/** Twice the largest side on the page, for dense screens. */
const MAX_SIDE = 400;

/** Undefined when there is no thumbnail. */
export type ThumbnailResult = Blob | undefined;

async function makeThumbnail(file: Blob): Promise<ThumbnailResult> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const format = findImageFormat(bytes);
  const size = format && readImageSize(bytes, format);
  if (!size || size.width * size.height > MAX_PIXELS) return undefined;
  const bitmap = await createImageBitmap(new Blob([bytes]));
  try {
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(bitmap.width * scale)),
      Math.max(1, Math.round(bitmap.height * scale)),
    );
    const context = canvas.getContext('2d');
    if (!context) return undefined;
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return await canvas.convertToBlob();
  } finally {
    bitmap.close();
  }
}

addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  const report = (result: ThumbnailResult) => postMessage(result);
  // Damaged, or of a format that this browser cannot decode.
  makeThumbnail(data).then(report, () => report(undefined));
});
