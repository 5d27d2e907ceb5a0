// Checks the manifestHash, which is the hash of the metadata as first stored and is also on chain. When hash and metadata
// differ, the chain may prove which of them has changed.

import { manifestHashOf } from '@provenance-registry/core';
import type { AuditedArtifact, AuditedEntry, AuditRecords } from '../domain/ports/index.js';
import { artifactDivergence, type Divergence } from './divergence.js';

export function checkManifestHash(
  { records }: { readonly records: AuditRecords },
  { id, metadata, manifestHash }: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  const expected = manifestHashOf(metadata);
  const onChain = entry?.artifactId === id ? entry.manifestHash : undefined;
  if (expected !== manifestHash) {
    const reason = `its manifestHash is ${manifestHash}, but the hash of its metadata is ${expected}`;
    // The chain confirms the metadata, so the stored hash is what has changed.
    const repair = onChain === expected ? () => records.setManifestHash(id, expected) : undefined;
    return [artifactDivergence('manifest-hash-broken', id, reason, repair)];
  }
  if (onChain === undefined || onChain === manifestHash) return [];
  const reason = `its manifestHash is ${manifestHash}, but on chain it is ${onChain}`;
  return [artifactDivergence('entry-hash-differs', id, reason)];
}
