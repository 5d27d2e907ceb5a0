// Codes by which look-alikes are found: 64-bit hashes of images and the Chromaprint of sound. They are advisory: nothing is
// bound, signed or registered against them.

import Type, { type Static } from 'typebox';
import { StringEnum } from './text/text.js';

/** All bits equal: no image has such a hash. */
const EMPTY_CODES: readonly string[] = [`0x${'0'.repeat(16)}`, `0x${'f'.repeat(16)}`];

/** The pattern is what all tools can read; the format also refuses hashes whose bits are all equal. */
const ImageHash = (description: string) =>
  Type.String({ pattern: '^0x[0-9a-f]{16}$', format: 'image-code', description });

export function isImageHash(text: string): boolean {
  return /^0x[0-9a-f]{16}$/.test(text) && !EMPTY_CODES.includes(text);
}

/** The perceptual hashes of an image, as members of metadata and fields of requests. */
export const imageHashFields = {
  pHash: ImageHash('Perceptual hash of an image: `phash` of Python’s ImageHash; advisory.'),
  dHash: ImageHash('Gradient hash of an image: `dhash` of Python’s ImageHash; advisory.'),
  pHashCenter90: ImageHash('`pHash` of the middle of an image, 90 % of each side; advisory.'),
  pHashCenter80: ImageHash('`pHash` of the middle of an image, 80 % of each side; advisory.'),
};
export type ImageHashName = keyof typeof imageHashFields;

/** The perceptual hashes of one image. Small images have none of their middle. */
export interface ImageHashes {
  readonly pHash: string;
  readonly dHash: string;
  readonly pHashCenter90?: string;
  readonly pHashCenter80?: string;
}

/** Two minutes have about 950 items: some 3,000 characters, and 8,000 of noise. */
export const MAX_CHROMAPRINT_LENGTH = 16_384;
export const Chromaprint = Type.String({
  pattern: '^AQA[\\w-]+$',
  maxLength: MAX_CHROMAPRINT_LENGTH,
  description: 'Acoustic fingerprint of a recording, as `fpcalc` prints it; advisory.',
});

/** Number of different bits of two hashes, from 0 to 64. */
export function hashDistance(a: string, b: string): number {
  let different = BigInt(a) ^ BigInt(b);
  let count = 0;
  for (; different > 0n; different &= different - 1n) count += 1;
  return count;
}

/** Size of a file that is searched. It must fit into the memory for public uploads. */
export const MAX_QUERY_BYTES = 20_000_000;

export const DEFAULT_MAX_DISTANCE = 8;
export const LARGEST_MAX_DISTANCE = 12;

/** A plain word for a distance. */
export const lookalikeGrades = ['near-identical', 'similar'] as const;
export const LookalikeGrade = StringEnum(lookalikeGrades, {
  description:
    '`near-identical`: as copies of one file usually are. `similar`: less so, as with crops and heavy edits.',
});
export type LookalikeGrade = Static<typeof LookalikeGrade>;

/** What is compared of the registered image. */
export const imageParts = ['whole', 'center-90', 'center-80'] as const;
export type ImagePart = (typeof imageParts)[number];

/**
 * Which distances of `dHash` confirm that of `pHash`. Between unrelated images it is about 32, of other copies than crops at most 14 with
 * few exceptions. Measured so that one in 10 million pairs of unrelated images matches: see docs/lookalikes.md.
 */
const CONFIRMING_D_DISTANCE = 14;
/** A whole image is also found this many bits of `pHash` further away if `dHash` is close: so are many watermarks. */
const WIDENING = 2;
const CLOSE_D_DISTANCE = 8;
/** Two more hashes would find twice as many unrelated images at the same distance. A crop near one of them is closer than that. */
const CENTER_NARROWING = 4;
/** `dHash` is of the whole image, from which that of a crop of 10 % a side is about 16 bits away. */
const CONFIRMING_D_DISTANCE_OF_CENTER = 28;

/** Codes of this part that are further away cannot match: how far a scan of `pHash` has to look. Negative: not at all. */
export function largestPDistance(part: ImagePart, maxDistance: number): number {
  return part === 'whole' ? maxDistance + WIDENING : maxDistance - CENTER_NARROWING;
}

/**
 * Whether a registered image is a look-alike of the question.
 * @param pDistance from the question's `pHash` to that of the part
 * @param dDistance of `dHash`, both of the whole image; undefined if one has none: then `pHash` alone decides
 */
export function isLookalike(
  part: ImagePart,
  pDistance: number,
  dDistance: number | undefined,
  maxDistance: number,
): boolean {
  if (pDistance > largestPDistance(part, maxDistance)) return false;
  if (dDistance === undefined) return pDistance <= maxDistance;
  if (part !== 'whole') return dDistance <= CONFIRMING_D_DISTANCE_OF_CENTER;
  return dDistance <= (pDistance <= maxDistance ? CONFIRMING_D_DISTANCE : CLOSE_D_DISTANCE);
}

/** Up to this distance of `pHash` and of `dHash`, images are `near-identical`. */
export const NEAR_IDENTICAL_DISTANCE = { pHash: 4, dHash: 6 } as const;

/** @param dDistance of `dHash`; undefined when it is unknown */
export function gradeImage(pDistance: number, dDistance: number | undefined): LookalikeGrade {
  const isNear =
    pDistance <= NEAR_IDENTICAL_DISTANCE.pHash && dDistance !== undefined && dDistance <= NEAR_IDENTICAL_DISTANCE.dHash;
  return isNear ? 'near-identical' : 'similar';
}

/** Bits of 64 that differ on average. Re-encoded recordings have at most 5, unrelated ones at least 21. */
const NEAR_IDENTICAL_SOUND_DISTANCE = 6;
const MAX_SOUND_DISTANCE = 17;

/** Undefined for recordings that do not resemble each other. */
export function gradeSound(distance: number): LookalikeGrade | undefined {
  if (distance > MAX_SOUND_DISTANCE) return undefined;
  return distance <= NEAR_IDENTICAL_SOUND_DISTANCE ? 'near-identical' : 'similar';
}
