// The manifestHash is of the metadata as they were first stored, and stands on chain as well. When they have come apart,
// the chain may prove which of them has changed.

import { manifestHashOf } from '@provenance-registry/core';
import type { AuditedArtifact, AuditedEntry, AuditRecords } from '../domain/ports/index.js';
import { type Divergence, faultOfArtifact } from './divergence.js';

export function judgeManifestHash(
  { records }: { readonly records: AuditRecords },
  { id, metadata, manifestHash }: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  const right = manifestHashOf(metadata);
  const onChain = entry?.artifactId === id ? entry.manifestHash : undefined;
  if (right !== manifestHash) {
    const reason = `its manifestHash is ${manifestHash}, and that of its metadata is ${right}`;
    // The chain has the hash of these metadata: it is the hash beside them that has changed.
    const repair = onChain === right ? () => records.setManifestHash(id, right) : undefined;
    return [faultOfArtifact('manifest-hash-broken', id, reason, repair)];
  }
  if (onChain === undefined || onChain === manifestHash) return [];
  return [
    faultOfArtifact('entry-hash-differs', id, `its manifestHash is ${manifestHash}, and on chain it is ${onChain}`),
  ];
}
