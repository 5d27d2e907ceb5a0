// The manifestHash is of the metadata as they were first stored. When the two have come apart, the chain may prove which
// of them has changed.

import { manifestHashOf } from '@provenance-registry/core';
import type { AuditedArtifact, AuditedEntry, AuditRecords } from '../registry/ports.js';
import type { Divergence } from './divergence.js';

export function judgeManifestHash(
  { records }: { readonly records: AuditRecords },
  { id, metadata, manifestHash }: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  const right = manifestHashOf(metadata);
  if (right === manifestHash) return [];
  // The chain has the hash of these metadata: it is the hash beside them that has changed.
  const isProven = entry?.artifactId === id && entry.manifestHash === right;
  return [
    {
      code: 'manifest-hash-broken',
      about: { artifactId: id },
      message: `Artifact ${id}: its manifestHash is ${manifestHash}, and that of its metadata is ${right}`,
      ...(isProven && { repair: () => records.setManifestHash(id, right) }),
    },
  ];
}
