// Embedding a manifest into an uploaded image.

import { type Mark, RegistryError } from '@provenance-registry/core';
import { manifestClaims } from './artifactManifest.js';
import type { Caller } from './caller.js';
import type { CreationRequest, SignedImage, UploadedFile } from './creationRequest.js';
import type { EmbeddableType, MediaFacts, Ports } from './ports/index.js';

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
  const image = { mediaType, bytes: file.bytes, fingerprint: file.digest, ...manifestClaims(filename, mark, caller) };
  try {
    return { mediaType, bytes: await embedder.embed(image) };
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('BAD_REQUEST', 'The image cannot be read, so no manifest can be embedded in it.', {
      cause: error,
    });
  }
}
