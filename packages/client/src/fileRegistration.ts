// What an Artifact says about one file: the registered one, or a signed copy of it.

import type { Artifact, Fingerprint } from '@provenance-registry/core';

/**
 * The registration of one file: each signed copy of an Artifact has its own.
 * @example
 * ```ts
 * const isFinal = ({ status }: FileRegistration) => status === 'submitted' || status === 'failed';
 * ```
 */
export type FileRegistration = Pick<Artifact, 'status' | 'transactionHash' | 'createdAt'>;

/**
 * The registration of this very file in an Artifact that was found by its fingerprint: a signed copy leads to the Artifact
 * of the original.
 * @returns undefined when the Artifact is of another file
 * @example
 * ```ts
 * const artifact = await client.getArtifact({ fingerprint });
 * console.log(findRegistration(artifact, fingerprint)?.status, artifact.fingerprint === fingerprint ? 'original' : 'copy');
 * ```
 */
export function findRegistration(
  artifact: Pick<Artifact, 'fingerprint' | 'renditions'> & FileRegistration,
  fingerprint: Fingerprint,
): FileRegistration | undefined {
  if (artifact.fingerprint === fingerprint) return artifact;
  return artifact.renditions.find((rendition) => rendition.fingerprint === fingerprint);
}
