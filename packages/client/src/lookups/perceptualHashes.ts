// The perceptual hashes of a file, by which look-alikes are found: shared by Node and browsers.

import type { ImageHashes, QueryHash } from '@provenance-registry/core';

/** @see MissingHashReason */
export const missingHashReasons = ['unsupported', 'too-large', 'featureless', 'unreadable', 'no-decoder'] as const;

/**
 * Why a file has no perceptual hashes. `unsupported`: it is no image and no recording, or in a format that is not decoded
 * here. `too-large`: more than 32 MiB. `featureless`: an image of one color or gradient, silence, or a recording of few
 * seconds. `unreadable`: broken, or it took too much time or memory. `no-decoder`: in Node, the optional package sharp is
 * not installed for this platform.
 * @example
 * ```ts
 * const describe = (missing: MissingHashReason) => explanations.missingHashes[missing];
 * ```
 */
export type MissingHashReason = (typeof missingHashReasons)[number];

/**
 * The perceptual hashes of an image or recording. All are missing for other files, for images of one color, and for files
 * that cannot be decoded.
 * @example
 * ```ts
 * const { hashes, chromaprint }: PerceptualHashes = await computePerceptualHashes(file);
 * await client.createArtifact({ markId, fingerprint, filename, ...hashes, chromaprint });
 * ```
 */
export interface PerceptualHashes {
  /** Those of an image, registered with its fingerprint. */
  readonly hashes?: ImageHashes | undefined;
  /** Those of an image to search with: as it is, turned by 90, 180 and 270 degrees clockwise, then the same mirrored. */
  readonly queryHashes?: readonly QueryHash[] | undefined;
  /** Chromaprint of the first two minutes of a recording. */
  readonly chromaprint?: string | undefined;
  /** Why there are none. */
  readonly missing?: MissingHashReason | undefined;
}
