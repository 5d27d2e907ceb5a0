// The metadata of a new Artifact, with the perceptual hashes by which look-alikes are found.

import { type ArtifactMetadata, licenses, type Mark, parseFileTime, RegistryError } from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import { requireChromaprint } from '../lookups/lookalikes.js';
import type { MediaFacts, Ports } from '../ports/index.js';
import type { CreationRequest } from './creationRequest.js';

export function buildMetadata(
  request: CreationRequest,
  media: MediaFacts,
  mark: Mark,
  { user }: Caller,
): ArtifactMetadata {
  const { filename, file, lastModified, previousFingerprint, digitalSourceType } = request;
  return {
    filename,
    mediaType: media.mediaType ?? null,
    size: file?.size ?? request.size ?? null,
    kind: media.kind,
    license: licenses[mark.licenseKey],
    licenseKey: mark.licenseKey,
    allowAiTraining: mark.allowAiTraining,
    author: { id: user.id, name: user.name },
    mark: { id: mark.id, name: mark.name },
    ...(lastModified !== undefined && { lastModified: requireFileTime(lastModified) }),
    ...(previousFingerprint !== undefined && { previousFingerprint }),
    ...(digitalSourceType !== undefined && { digitalSourceType }),
    ...(file && { fileSeen: true }),
    ...chooseCodes(media, request),
  };
}

/** What the service read itself counts; without it, the client's word is marked as such. */
function chooseCodes({ codes, pHash, chromaprint }: MediaFacts, request: CreationRequest): Partial<ArtifactMetadata> {
  if (codes || pHash !== undefined || chromaprint !== undefined) {
    const hashes = { ...(pHash !== undefined && { pHash }), ...(chromaprint !== undefined && { chromaprint }) };
    return { ...codes, ...hashes, hashesBy: 'service' };
  }
  return request.codes ? { ...request.codes, hashesBy: 'client' } : {};
}

/** Codes describe what a file shows: a private Mark must not hand them over. */
export function requireUsableCodes(ports: Ports, { codes }: CreationRequest, { visibility }: Mark): void {
  if (!codes) return;
  if (visibility === 'private') {
    throw new RegistryError('BAD_REQUEST', 'Codes of look-alikes are not accepted under a private Mark.');
  }
  const { pHash, dHash, pHashCenter90, pHashCenter80, chromaprint } = codes;
  if (pHash === undefined && (dHash ?? pHashCenter90 ?? pHashCenter80) !== undefined) {
    throw new RegistryError('BAD_REQUEST', 'The other codes of an image need its "pHash".');
  }
  if (chromaprint !== undefined) requireChromaprint(ports, chromaprint);
}

function requireFileTime(value: string | number): string {
  const time = parseFileTime(value);
  if (time === undefined) throw new RegistryError('BAD_REQUEST', 'lastModified is not a time.');
  return time;
}
