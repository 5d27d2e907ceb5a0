// Interprets the result for one item of a batch.

import type { Artifact, BatchResult } from '@provenance-registry/core';
import { InvalidResponseError, ServiceUnreachableError } from './errors.js';
import { toApiError } from './responses.js';

/**
 * The Artifact of one result of `createArtifacts`.
 * @throws ApiError when the item was refused, as `createArtifact` does, and ServiceUnreachableError when it may succeed later.
 * @example
 * ```ts
 * const { results } = await client.createArtifacts({ artifacts: [{ markId, fingerprint, filename: 'sunrise.jpg' }] });
 * const ids = results.map((result) => requireArtifact(result).id);
 * ```
 */
export function requireArtifact({ status, artifact, error, code = '', problems }: BatchResult): Artifact {
  if (artifact) return artifact;
  if (error === undefined)
    throw new InvalidResponseError('A result of the batch has neither an Artifact nor an error.');
  const refusal = toApiError(status, { error, code, ...(problems && { problems }) });
  throw status >= 500 ? new ServiceUnreachableError(refusal.message, { cause: refusal }) : refusal;
}
