// The codes of a file by which look-alikes are found: shared by Node and browsers.

import type { ImageCodes, QuestionCode } from '@provenance-registry/core';

/**
 * The codes of an image or recording. All are missing for other files, for images of one color, and for files that cannot
 * be decoded.
 * @example
 * ```ts
 * const { codes, chromaprint }: FileCodes = await computeCodes(file);
 * await client.createArtifact({ markId, fingerprint, filename, ...codes, chromaprint });
 * ```
 */
export interface FileCodes {
  /** Of an image: registered with its fingerprint. */
  readonly codes?: ImageCodes | undefined;
  /** Of an image: asked with. As it is, turned by 90, 180 and 270 degrees clockwise, then the same mirrored. */
  readonly questions?: readonly QuestionCode[] | undefined;
  /** Of a recording: its first two minutes. */
  readonly chromaprint?: string | undefined;
}
