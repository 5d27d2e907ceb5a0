// What the rules need from those who make, keep and look at files.

import type { LicenseKey } from '@provenance-registry/core';

/** Makes the files that are published about an Artifact. */
export interface Manifests {
  create(request: ManifestRequest): Promise<ArtifactFiles>;
  /** A store with nothing but its active manifest. */
  activeOnly(sidecar: Uint8Array): Uint8Array;
}

export interface ManifestRequest {
  /** Names the manifest: `urn:c2pa:<artifactId>`. */
  readonly artifactId: string;
  readonly fingerprint: Uint8Array;
  /** The SHA-256 of the bytes, if the service held them. */
  readonly digest?: Uint8Array;
  readonly title?: string;
  readonly digitalSourceType?: string;
  readonly claims: ManifestClaims;
  readonly previous?: PreviousVersion;
}

/** Whatever is not given does not appear in any published file. */
export interface ManifestClaims {
  readonly allowAiTraining: boolean | null;
  readonly author?: { readonly name: string };
  readonly mark?: { readonly id: string; readonly name: string };
  readonly licenseKey?: LicenseKey;
}

export interface PreviousVersion {
  readonly sidecar: Uint8Array;
  readonly title?: string;
}

export interface ArtifactFiles {
  readonly sidecar: Buffer;
  readonly report: Buffer;
  readonly card: Buffer;
}

/** Signs images with the manifest inside them, in memory. */
export interface Embedder {
  /** Undefined when images of this media type cannot hold a manifest. */
  typeFor(mediaType: string | undefined): EmbeddableType | undefined;
  /** Rejects when the bytes are not an image of that type. */
  embed(request: EmbedRequest): Promise<Uint8Array>;
}

export type EmbeddableType = `image/${string}`;

export interface EmbedRequest {
  readonly mediaType: EmbeddableType;
  readonly bytes: Uint8Array;
  /** Of the image as it came. */
  readonly fingerprint: Uint8Array;
  readonly title?: string;
  readonly claims: ManifestClaims;
}

/**
 * Where the published files of Artifacts are. Names are `<artifact id>.c2pa`, `.json` and `.png`, in lower case; any other
 * name throws. All throw UNAVAILABLE when the store is away.
 */
export interface FileStore {
  /**
   * Files by their names, each whole or not at all; the same may be published again. Answers when none is under way any
   * more, also when one fails: it would arrive after it was taken back.
   */
  publish(files: Readonly<Record<string, Uint8Array>>): Promise<void>;
  /** Undefined when there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Also when there is no such file. */
  remove(name: string): Promise<void>;
  /** Published files and what is left of unfinished ones, in no order, some hundred at a time; other names are passed over. */
  list(): AsyncIterable<readonly ListedFile[]>;
  /** Throws when the store cannot be used; the reason is the error's cause. */
  check(): Promise<void>;
}

export interface ListedFile {
  readonly name: string;
  readonly modifiedAt: Date;
}

/** What kind of thing the bytes are, and what they look or sound like. Advice: it never fails, it only leaves out. */
export interface Media {
  /**
   * The caller's media type counts only when the bytes themselves say nothing. Bytes that are only the beginning of a file
   * tell its kind, and no more.
   */
  inspect(bytes: Uint8Array, mediaType: string | undefined, isWhole?: boolean): Promise<MediaFacts>;
}

export interface MediaFacts {
  readonly kind: 'image' | 'audio' | 'video' | 'document' | 'other';
  readonly mediaType: string | undefined;
  /** `0x` and 16 hexadecimal digits; at most 8 bits apart means "likely the same picture". */
  readonly pHash?: string;
  /** As `fpcalc` prints it. */
  readonly chromaprint?: string;
}
