// Ports for finding look-alikes.

import type { Fingerprint, ImagePart } from '@provenance-registry/core';

/** Codes of one form of an image: as it is, mirrored, turned or cropped. */
export interface ImageQuestion {
  readonly pHash: string;
  readonly dHash?: string | undefined;
}

/** One registered image that is close enough, by the number of its codes in the table. */
export interface ImageHit {
  readonly sequence: number;
  /** Of the closest question. */
  readonly question: number;
  readonly part: ImagePart;
  /** Of `pHash`. */
  readonly distance: number;
  /** Of `dHash`; undefined if one of the two images has none. */
  readonly dDistance: number | undefined;
}

export interface ImageSearch {
  readonly maxDistance: number;
  readonly maxHits: number;
  /** Go on after this hit of the previous search. */
  readonly after?: ImageHit | undefined;
}

/** All codes of images, in memory. */
export interface ImageIndex {
  /**
   * The closest images, then the oldest; each once. Exact. Includes images that must not be shown. Throws UNAVAILABLE while
   * the codes are being read after a start.
   */
  search(questions: readonly ImageQuestion[], search: ImageSearch): Promise<readonly ImageHit[]>;
  /** Codes were recorded: reads them now, rather than at the next poll. */
  wake(): void;
}

/** An Artifact that look-alikes may show to anyone. */
export interface VisibleImage {
  readonly fingerprint: Fingerprint;
  readonly markId: string;
  readonly createdAt: Date;
  readonly hashesBy: 'service' | 'client';
}

export interface ImageCodeRecords {
  /** Without Artifacts that failed, are private or belong to private Marks. */
  findVisible(sequences: readonly number[]): Promise<ReadonlyMap<number, VisibleImage>>;
}
