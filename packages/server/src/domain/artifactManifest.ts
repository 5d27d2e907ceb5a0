// The manifest of a new Artifact: what it states, the files published with it, and the uploaded image with it embedded.

import { digestOf, type Fingerprint, type Mark, RegistryError } from '@provenance-registry/core';
import type { Caller } from './caller.js';
import type { CreationRequest, SignedImage, UploadedFile } from './creationRequest.js';
import { findMark, mayWrite } from './marks.js';
import type { EmbeddableType, ManifestClaims, MediaFacts, Ports, PreviousVersion } from './ports/index.js';

/** The files to publish, by name. */
export async function createManifestFiles(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
  mark: Mark,
  artifactId: string,
): Promise<Record<string, Uint8Array>> {
  const { fingerprint, file, previousFingerprint } = request;
  const previous = await readPreviousVersion(ports, caller, mark, previousFingerprint);
  const { sidecar, report, card } = await ports.manifests.create({
    client: caller.user.id,
    artifactId,
    fingerprint: digestOf(fingerprint),
    ...(file && { digest: file.digest }),
    ...(request.digitalSourceType && { digitalSourceType: request.digitalSourceType }),
    ...manifestClaims(request.filename, mark, caller),
    ...(previous && { previous }),
  });
  return { [`${artifactId}.c2pa`]: sidecar, [`${artifactId}.json`]: report, [`${artifactId}.png`]: card };
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
  throw file.isCrowdedOut
    ? new RegistryError('UNAVAILABLE', 'The service is embedding too many images right now.')
    : new RegistryError('PAYLOAD_TOO_LARGE', 'The image is too large to have its manifest embedded.');
}

export async function embedManifest(
  { embedder }: Ports,
  caller: Caller,
  { file, filename }: CreationRequest,
  mark: Mark,
  mediaType: EmbeddableType | undefined,
): Promise<SignedImage | undefined> {
  if (!file || !mediaType) return undefined;
  const image = {
    client: caller.user.id,
    mediaType,
    bytes: file.bytes,
    fingerprint: file.digest,
    ...manifestClaims(filename, mark, caller),
  };
  try {
    return { mediaType, bytes: await embedder.embed(image) };
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('BAD_REQUEST', 'The image cannot be read, so no manifest can be embedded in it.', {
      cause: error,
    });
  }
}

/** Under a private Mark, published files reveal neither author, Mark, filename nor license. */
function manifestClaims(filename: string, mark: Mark, { user }: Caller): { claims: ManifestClaims; title?: string } {
  if (mark.visibility === 'private') return { claims: { allowAiTraining: null } };
  const claims = {
    allowAiTraining: mark.allowAiTraining,
    author: { name: user.name },
    mark: { id: mark.id, name: mark.name },
    licenseKey: mark.licenseKey,
  };
  return { claims, title: filename };
}

/**
 * What is published of the previous version: nothing under a private Mark, or if that version's Mark is private to the
 * caller, because its manifest may name author, Mark and file. The metadata have its fingerprint all the same.
 */
async function readPreviousVersion(
  ports: Ports,
  caller: Caller,
  mark: Mark,
  fingerprint?: Fingerprint,
): Promise<PreviousVersion | undefined> {
  if (fingerprint === undefined) return undefined;
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') {
    throw new RegistryError('BAD_REQUEST', 'previousFingerprint belongs to no Artifact.');
  }
  const previousMark = await findMark(ports.store, artifact.markId);
  const isHidden = previousMark.visibility === 'private' && !(await mayWrite(ports.store, caller, previousMark));
  if (mark.visibility === 'private' || isHidden) return undefined;
  const [sidecar, report] = await Promise.all(
    ['c2pa', 'json'].map((extension) => ports.files.read(`${artifact.id}.${extension}`)),
  );
  if (!sidecar || !report) throw new RegistryError('UNAVAILABLE', 'The previous manifest cannot be read right now.');
  return { sidecar, report };
}
