// The input and the result of creating an Artifact.

import type { Artifact, DigitalSourceType, Fingerprint, ImageHashName } from '@provenance-registry/core';
import type { EmbeddableType } from '../ports/index.js';

export interface CreationRequest {
  readonly markId: string;
  readonly fingerprint: Fingerprint;
  readonly filename: string;
  readonly mediaType?: string;
  readonly size?: number;
  readonly lastModified?: string | number;
  readonly previousFingerprint?: Fingerprint;
  readonly digitalSourceType?: DigitalSourceType;
  readonly authorshipStated?: boolean;
  /** Perceptual hashes as the client computed them. */
  readonly codes?: ClientHashes;
  readonly file?: UploadedFile;
  readonly idempotencyKey?: string;
  /** Return the uploaded image with its manifest embedded. */
  readonly embed?: boolean;
}

/** Codes by which look-alikes are found. */
export type ClientHashes = { readonly [name in ImageHashName | 'chromaprint']?: string };

export interface UploadedFile {
  readonly digest: Uint8Array;
  readonly size: number;
  /** The first bytes of the file, or all of them if `isWhole`. */
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  /** True: the file is not whole because other uploads fill the memory at the moment. */
  readonly wasEvicted: boolean;
}

export interface Creation {
  readonly artifact: Artifact;
  readonly image?: SignedCopy;
}

/** The uploaded image with its manifest embedded. */
export interface SignedCopy {
  readonly mediaType: EmbeddableType;
  readonly bytes: Uint8Array;
}
