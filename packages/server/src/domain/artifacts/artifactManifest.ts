// The manifest of an Artifact: what it states, the files published with it, and the uploaded image with it embedded.

import { type Fingerprint, type Mark, RegistryError } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import type {
  EmbeddableType,
  EmbeddedManifest,
  ManifestRequest,
  ManifestStatements,
  MediaFacts,
  Ports,
  PreviousVersion,
  PublishedStatements,
  StoredArtifact,
  WritableMark,
} from '../ports/index.js';
import type { SignedCopy, UploadedFile } from './creationRequest.js';

/** The files to publish, by name. */
export async function createManifestFiles(
  { manifests }: Ports,
  caller: Caller,
  request: Omit<ManifestRequest, 'client'>,
): Promise<Record<string, Uint8Array>> {
  const { artifactId: id } = request;
  const { sidecar, report, card } = await manifests.create({ ...request, client: caller.user.id });
  return { [`${id}.c2pa`]: sidecar, [`${id}.json`]: report, [`${id}.png`]: card };
}

/** The signed manifest among the files of an Artifact. */
export function sidecarOf(files: Readonly<Record<string, Uint8Array>>, artifactId: string): Uint8Array {
  const sidecar = files[`${artifactId}.c2pa`];
  if (!sidecar) throw new Error('an Artifact has no manifest');
  return sidecar;
}

/** Undefined when the file is no image that can hold a manifest. Throws when it is one, but was not kept in memory. */
export function findEmbeddableType(
  { embedder }: Ports,
  file: UploadedFile | undefined,
  { mediaType }: MediaFacts,
): EmbeddableType | undefined {
  const type = embedder.typeFor(mediaType);
  if (!file || !type) return undefined;
  if (file.isWhole) return type;
  throw file.wasEvicted
    ? new RegistryError('UNAVAILABLE', 'The service is embedding too many images right now.')
    : new RegistryError('PAYLOAD_TOO_LARGE', 'The image is too large to have its manifest embedded.');
}

export async function embedManifest(
  { embedder }: Ports,
  file: UploadedFile,
  mediaType: EmbeddableType,
  statements: ManifestStatements,
): Promise<SignedCopy> {
  const { bytes, digest: fingerprint } = file;
  try {
    const image = await embedder.embed({ ...statements, mediaType, bytes, fingerprint });
    return { mediaType, bytes: image };
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('UNAVAILABLE', 'No manifest could be embedded in the image in time.', { cause: error });
  }
}

/**
 * The manifest inside a file that is in memory. Throws CONFLICT when it is intact, of this service, and belongs to a file
 * that is registered under another Mark.
 */
export async function inspectManifest(
  { manifestInspector, store }: Ports,
  caller: Caller,
  mark: Mark,
  file: UploadedFile | undefined,
  { mediaType }: MediaFacts,
): Promise<EmbeddedManifest | undefined> {
  if (!file?.isWhole) return undefined;
  const manifest = await manifestInspector.inspect({ client: caller.user.id, mediaType, bytes: file.bytes });
  if (manifest?.ownFingerprint === undefined) return manifest;
  const original = await store.artifacts.find(manifest.ownFingerprint);
  if (original && original.status !== 'failed' && original.markId !== mark.id) {
    throw new RegistryError('CONFLICT', 'This file is a signed copy of a file that is registered under another Mark.');
  }
  return manifest;
}

/** What was captured at registration. */
type CapturedFields = Pick<StoredArtifact, 'metadata' | 'aiPreferences'>;

/**
 * What a manifest states about a file, as the metadata of its registration have it. Under a private Mark it names nothing.
 * `published` limits it to what a published manifest states.
 */
export async function describeFile(
  ports: Ports,
  { mark, confirmedDomains }: Pick<WritableMark, 'mark' | 'confirmedDomains'>,
  captured: CapturedFields,
  published?: PublishedStatements,
): Promise<ManifestStatements> {
  const { digitalSourceType, previousFingerprint } = captured.metadata;
  const previous = await readPreviousVersion(ports, mark, previousFingerprint, published);
  const isNamed = mark.visibility === 'public' && published?.isNamed !== false;
  const domains = confirmedDomains.filter(({ domain }) => published?.domains.has(domain) !== false);
  return {
    ...(isNamed ? namedStatements(captured) : { claims: { allowAiTraining: null } }),
    ...(digitalSourceType && { digitalSourceType }),
    ...(previous && { previous }),
    ...(isNamed && domains.length > 0 && { identity: { domains } }),
  };
}

function namedStatements({ metadata, aiPreferences }: CapturedFields): Pick<ManifestStatements, 'title' | 'claims'> {
  const { filename, allowAiTraining = null, author, mark, licenseKey } = metadata;
  return {
    ...(filename !== undefined && { title: filename }),
    claims: {
      allowAiTraining,
      aiPreferences,
      ...(author && { author: { name: author.name } }),
      ...(mark && { mark }),
      ...(licenseKey && { licenseKey }),
    },
  };
}

/** The published manifest of an Artifact. */
export async function readSidecar({ files }: Pick<Ports, 'files'>, artifactId: string): Promise<Uint8Array> {
  const sidecar = await files.read(`${artifactId}.c2pa`);
  if (!sidecar) throw new RegistryError('UNAVAILABLE', 'The manifest cannot be read right now.');
  return sidecar;
}

export async function readPublishedStatements(
  { files, manifests }: Ports,
  artifactId: string,
): Promise<PublishedStatements> {
  const report = await files.read(`${artifactId}.json`);
  if (!report) throw new RegistryError('UNAVAILABLE', 'The manifest cannot be read right now.');
  return manifests.readStatements(report);
}

/**
 * What is published of the previous version: nothing if either side is private, for every caller, because its manifests may name
 * author, Mark and file. They include those of versions before it. The metadata have its fingerprint all the same.
 */
async function readPreviousVersion(
  ports: Ports,
  mark: Mark,
  fingerprint: Fingerprint | undefined,
  published: PublishedStatements | undefined,
): Promise<PreviousVersion | undefined> {
  if (fingerprint === undefined) return undefined;
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') {
    if (published) return undefined;
    throw new RegistryError('BAD_REQUEST', 'previousFingerprint belongs to no Artifact.');
  }
  if (mark.visibility === 'private') return undefined;
  if (published && !published.manifestIds.has(artifact.id)) return undefined;
  const [sidecar, report] = await Promise.all(
    ['c2pa', 'json'].map((extension) => ports.files.read(`${artifact.id}.${extension}`)),
  );
  if (!sidecar || !report) throw new RegistryError('UNAVAILABLE', 'The previous manifest cannot be read right now.');
  const { manifestIds } = ports.manifests.readStatements(report);
  if (await ports.store.artifacts.hasPrivate([artifact.id, ...manifestIds])) return undefined;
  return { sidecar, report };
}
