// The metadata of a new Artifact.

import { type ArtifactMetadata, licenses, type Mark, RegistryError } from '@provenance-registry/core';
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
    ...(lastModified !== undefined && { lastModified: parseLastModified(lastModified) }),
    ...(previousFingerprint !== undefined && { previousFingerprint }),
    ...(digitalSourceType !== undefined && { digitalSourceType }),
    ...(media.pHash !== undefined && { pHash: media.pHash }),
    ...(media.chromaprint !== undefined && { chromaprint: media.chromaprint }),
  };
}

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Takes ISO 8601, or milliseconds since 1970 as a number or as digits, since form fields are text. Everything else that
 * `Date` would guess at is refused. A time without a zone is UTC: the server's own zone says nothing about the file.
 */
function parseLastModified(value: string | number): string {
  const text = String(value);
  const iso = isoTime.exec(text);
  const zoned = iso && (iso[1] || !text.includes('T') ? text : `${text}Z`);
  const time = new Date(/^\d+$/.test(text) ? Number(text) : (zoned ?? Number.NaN));
  // RFC 3339 has no years before 0 or after 9999.
  if (Number.isNaN(time.getTime()) || !/^\d{4}-/.test(time.toISOString())) {
    throw new RegistryError('BAD_REQUEST', 'lastModified is not a time.');
  }
  return time.toISOString();
}
