// Ports for manifests, published files and media inspection.

import type {
  DigitalSourceType,
  Fingerprint,
  ImageHashes,
  LicenseKey,
  QueryHash,
  StoredAiPreferences,
} from '@provenance-registry/core';
import type { DomainPeriod } from '../store.js';

/** Creates the files that are published with an Artifact. */
export interface Manifests {
  create(request: ManifestRequest): Promise<{ sidecar: Buffer; report: Buffer; card: Buffer }>;
  /** The manifest store without the manifests of previous versions. */
  activeOnly(sidecar: Uint8Array): Uint8Array;
  /** What a published report shows of the statements in its manifest. */
  readStatements(report: Uint8Array): PublishedStatements;
  /** What signed a published manifest, and when, as the manifest itself states. Throws if it cannot be read. */
  readSignature(sidecar: Uint8Array): ManifestSignature;
}

export interface ManifestSignature {
  readonly signer: CertificateName;
  /** Undefined: the manifest has no time-stamp that can be read. */
  readonly timestamp: { readonly at: Date; readonly authority: CertificateName | undefined } | undefined;
}

export interface CertificateName {
  readonly subject: string;
  readonly issuer: string;
  /** Hexadecimal digits. */
  readonly serialNumber: string;
  /** SHA-256 of the certificate's DER form, as hexadecimal digits. */
  readonly sha256: string;
}

export interface PublishedStatements {
  /** Whether it names file, author and Mark, which manifests under a private Mark do not. */
  readonly isNamed: boolean;
  /** Ids of all Artifacts whose manifests it contains: its own, and those of previous versions. */
  readonly manifestIds: ReadonlySet<string>;
  /** Those that its identity states. */
  readonly domains: ReadonlySet<string>;
}

export interface ManifestRequest extends ManifestStatements {
  /** Creations of several clients have turns. */
  readonly client: string;
  /** The manifest's label is `urn:c2pa:<artifactId>`. */
  readonly artifactId: string;
  readonly fingerprint: Uint8Array;
  /** The SHA-256 of the file, if the service received it. */
  readonly digest?: Uint8Array;
}

/** What a manifest states about a file, in the sidecar and in a signed image alike. */
export interface ManifestStatements {
  readonly title?: string;
  readonly digitalSourceType?: DigitalSourceType;
  readonly claims: ManifestClaims;
  /** The manifest inside the file: its history so far. */
  readonly parent?: EmbeddedManifest;
  readonly previous?: PreviousVersion;
  readonly identity?: ManifestIdentity;
}

/** What the service itself has verified about the Mark. */
export interface ManifestIdentity {
  /** One domain or more. */
  readonly domains: readonly Pick<DomainPeriod, 'domain' | 'method' | 'since'>[];
}

/** Published files contain these and nothing else about the author. */
export interface ManifestClaims extends StoredAiPreferences {
  readonly author?: { readonly name: string };
  readonly mark?: { readonly id: string; readonly name: string };
  readonly licenseKey?: LicenseKey;
}

export interface PreviousVersion {
  readonly sidecar: Uint8Array;
  /** The published report on the sidecar. */
  readonly report: Uint8Array;
}

/** Reads the manifests inside untrusted files, in isolated processes and without any network access. */
export interface ManifestInspector {
  /**
   * Undefined when the file carries no manifest that can be read. Rejects with UNAVAILABLE when the client's budget is
   * used up.
   */
  inspect(file: InspectedFile): Promise<EmbeddedManifest | undefined>;
}

export interface InspectedFile {
  /** Whose budget the work counts in. */
  readonly client: string;
  /** Media type as detected from the bytes. */
  readonly mediaType: string | undefined;
  readonly bytes: Uint8Array;
}

export interface EmbeddedManifest {
  /** The manifest store, byte for byte as in the file. */
  readonly store: Uint8Array;
  /** The validation results of c2pa-rs for this file, as an ingredient assertion records them. */
  readonly validationResults: unknown;
  /** Set when this service signed the manifest and it is intact: the original that it is bound to. */
  readonly ownFingerprint?: Fingerprint;
}

/** Embeds signed manifests into images, in memory. */
export interface Embedder {
  /** Undefined when images of this media type cannot hold a manifest. */
  typeFor(mediaType: string | undefined): EmbeddableType | undefined;
  /**
   * Rejects with BAD_REQUEST and the reason when the bytes are not an image of that type or the result is not intact when
   * it is read back. At most two run at a time; others are refused with UNAVAILABLE.
   */
  embed(request: EmbedRequest): Promise<Uint8Array>;
}

export type EmbeddableType = `image/${string}`;

export interface EmbedRequest extends ManifestStatements {
  readonly mediaType: EmbeddableType;
  readonly bytes: Uint8Array;
  /** Fingerprint of the image as it was uploaded. */
  readonly fingerprint: Uint8Array;
}

/**
 * The published files of Artifacts, and downloads. Names are `<artifact id>.c2pa`, `.json` and `.png`, and
 * `<SHA-256>.filter` and `.snapshot`, in lower case; any other name throws. All methods throw UNAVAILABLE when the store is
 * unavailable.
 */
export interface FileStore {
  /**
   * Writes each file entirely or not at all; publishing the same file again is fine. Also when one fails, settles only
   * after all writes have ended: a late one would reappear after its removal.
   */
  publish(files: Readonly<Record<string, Uint8Array>>): Promise<void>;
  /** Undefined when there is no such file. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Does nothing when there is no such file. */
  remove(name: string): Promise<void>;
  /** Published files and unfinished ones, in no order, some hundred at a time; files with other names are skipped. */
  list(): AsyncIterable<readonly ListedFile[]>;
  /** Throws when the store cannot be used; the reason is the error's cause. */
  check(): Promise<void>;
}

/** A store whose files this service serves itself. */
export interface ServedFiles extends Pick<FileStore, 'read'> {
  /** Opens a large file, in constant memory. Undefined when there is no such file. */
  openStream(name: string): Promise<OpenedFile | undefined>;
}

export interface OpenedFile {
  readonly size: number;
  readonly stream: NodeJS.ReadableStream & { destroy(): unknown };
}

export interface ListedFile {
  readonly name: string;
  readonly modifiedAt: Date;
}

/** The kind of a file and its perceptual hashes. Advisory: never fails, but may leave out hashes. */
export interface Media {
  /**
   * Without bytes, the stated media type tells the kind; with them, only where they do not contradict it. Never rejects: a
   * file that cannot be hashed within the limits has no hashes.
   */
  inspect(bytes: Uint8Array | undefined, mediaType: string | undefined, options?: InspectOptions): Promise<MediaFacts>;
}

export interface InspectOptions {
  /** The first bytes of a file tell its kind, and give no hashes. True by default. */
  readonly isWhole?: boolean;
  /** Whose budget the work counts in. */
  readonly client?: string;
  /** Also computes `queries` of an image. Rejects with UNAVAILABLE when the budget is used up. */
  readonly isQuery?: boolean;
}

export interface MediaFacts {
  readonly kind: 'image' | 'audio' | 'video' | 'document' | 'other';
  readonly mediaType: string | undefined;
  /** Perceptual hashes of an image that can be searched by them. */
  readonly codes?: ImageHashes;
  /** Hash of an image that has too few features for the others; look-alikes are not found by it. */
  readonly pHash?: string;
  /** Hashes of an image that is searched for: as it is, turned and mirrored. Such an image has `codes` too. */
  readonly queries?: readonly QueryHash[];
  /** Acoustic fingerprint as `fpcalc` prints it. */
  readonly chromaprint?: string;
}
