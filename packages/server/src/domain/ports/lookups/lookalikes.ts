// Ports for finding look-alikes.

import type { Fingerprint, ImagePart } from '@provenance-registry/core';

/** Hashes of one form of an image: as it is, mirrored, turned or cropped. */
export interface ImageQuery {
  readonly pHash: string;
  readonly dHash?: string | undefined;
}

/** One registered image that is close enough, by the number of its hashes in the table. */
export interface ImageHit {
  readonly sequence: number;
  /** Index of the closest query. */
  readonly query: number;
  readonly part: ImagePart;
  /** Distance of `pHash`. */
  readonly distance: number;
  /** Distance of `dHash`; undefined if one of the two images has none. */
  readonly dDistance: number | undefined;
}

export interface ImageSearch {
  readonly maxDistance: number;
  readonly maxHits: number;
  /** Go on after this hit of the previous search. */
  readonly after?: ImageHit | undefined;
}

/** All perceptual hashes of images, in memory. */
export interface ImageIndex {
  /**
   * The closest images, then the oldest; each once. Exact. Includes images that must not be shown. Throws UNAVAILABLE while
   * the hashes are being read after a start.
   */
  search(queries: readonly ImageQuery[], search: ImageSearch): Promise<readonly ImageHit[]>;
}

/** An Artifact that look-alikes may show to anyone. */
export interface VisibleArtifact {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  readonly markId: string;
  readonly createdAt: Date;
  readonly hashesBy: 'service' | 'client';
}

/** An Artifact of a Mark, with what look-alikes of it are searched by. */
export interface SearchedArtifact {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  readonly filename: string | undefined;
  readonly createdAt: Date;
  /** Hashes of the whole image, then of its middle: another one may be a crop of it. Empty if it has none. */
  readonly images: readonly ImageQuery[];
  readonly chromaprint: string | undefined;
}

export interface ImageHashRecords {
  /** Artifacts by sequence, without those that failed, are private or belong to private Marks. */
  findVisible(sequences: readonly number[]): Promise<ReadonlyMap<number, VisibleArtifact>>;
  /**
   * Artifacts of a Mark that have not failed, with or without hashes, the newest first. Undefined when `after` is not the id
   * of an Artifact of this Mark.
   */
  listOfMark(page: {
    readonly markId: string;
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<readonly SearchedArtifact[] | undefined>;
}

/** Hashes that are compared with queries, in the order of `imageParts`, and `dHash`. */
export const imageHashKinds = ['pHash', 'pHashCenter90', 'pHashCenter80', 'dHash'] as const;

/** Perceptual hashes of many images. */
export interface ImageHashPage {
  readonly sequences: readonly number[];
  /** Hashes by kind: 8 bytes for each image, the first byte of the hash first; all zero where an image has no such hash. */
  readonly hashes: readonly Uint8Array[];
}

/** Sequences from `from` to before `to`. */
export interface SequenceRange {
  readonly from: number;
  readonly to: number;
}

export interface ImageHashChecksum {
  readonly count: number;
  /** Checksums by kind: exclusive or of all hashes, as text of 16 digits. */
  readonly hashes: readonly string[];
}

/** The table of perceptual hashes, as the index reads it. */
export interface ImageHashSource {
  /** Reads in the order of sequences. */
  readAfter(sequence: number, limit: number): Promise<ImageHashPage>;
  readRanges(ranges: readonly SequenceRange[]): Promise<ImageHashPage>;
  readChecksum(range: SequenceRange): Promise<ImageHashChecksum>;
}

/** A recording that shares values with the searched one, and that look-alikes may show to anyone. */
export interface SoundCandidate extends VisibleArtifact {
  readonly chromaprint: string;
}

export interface SoundHashRecords {
  /** Those that share the most values; at least two. Without Artifacts that failed, are private or belong to private Marks. */
  findCandidates(search: {
    readonly values: readonly number[];
    readonly exceptMarkId: string | undefined;
    readonly limit: number;
  }): Promise<readonly SoundCandidate[]>;
  /** Computes the values of Artifacts from before there were any. Returns of how many, at most `limit`. */
  addMissing(limit: number): Promise<number>;
}

export interface SoundMatch extends VisibleArtifact {
  /** Share of different bits, from 0 to 1. */
  readonly bitError: number;
  /** Where in the registered recording the searched one begins; may be negative. */
  readonly offsetSeconds: number;
}

export interface SoundIndex {
  /** Whether it is a Chromaprint, of whatever sound. */
  isReadable(chromaprint: string): boolean;
  /** Matches in no order, including recordings that differ much. Leaves out what must not be shown, and `exceptMarkId`. */
  search(chromaprint: string, options?: { readonly exceptMarkId?: string | undefined }): Promise<readonly SoundMatch[]>;
}
