// The metadata of a new Artifact.

import { type ArtifactMetadata, licenses, type Mark, parseFileTime, RegistryError } from '@provenance-registry/core';
import type { Caller } from './caller.js';
import type { CreationRequest } from './creationRequest.js';
import type { MediaFacts } from './ports/index.js';

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
    ...media.codes,
    ...(media.chromaprint !== undefined && { chromaprint: media.chromaprint }),
    ...(file && { fileSeen: true }),
    ...((media.codes ?? media.chromaprint) !== undefined && { hashesBy: 'service' }),
  };
}

function requireFileTime(value: string | number): string {
  const time = parseFileTime(value);
  if (time === undefined) throw new RegistryError('BAD_REQUEST', 'lastModified is not a time.');
  return time;
}
