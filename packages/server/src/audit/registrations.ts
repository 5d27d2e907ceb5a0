// Checks an Artifact's status against the outbox and the chain, and its manifestHash against its metadata and the chain.

import { manifestHashOf } from '@provenance-registry/core';
import type { AuditedArtifact, AuditedEntry } from '../domain/ports/index.js';
import { type AuditParts, artifactDivergence, type Divergence } from './divergence.js';

/** The service itself updates the status of an Artifact that is in the outbox, so those are not divergences. */
export function checkRegistration(
  parts: AuditParts,
  artifact: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  switch (artifact.status) {
    case 'pending':
    case 'submitting':
      return checkWaiting(parts, artifact);
    case 'failed':
      return checkFailed(parts, artifact, entry);
    case 'submitted':
    case 'confirmed':
      return checkSubmitted(parts, artifact, entry);
  }
}

/** Does not look for the entry: the service does, before it submits the Artifact. */
function checkWaiting({ records }: AuditParts, artifact: AuditedArtifact): Divergence[] {
  const { id, status, outbox } = artifact;
  if (outbox !== 'none') return [];
  const reason = `it is ${status}, but not in the outbox: it would never be submitted to the chain`;
  return [artifactDivergence('outbox-missing', artifact, reason, () => records.enqueue(id, ['pending', 'submitting']))];
}

function checkFailed(
  { records, chain }: AuditParts,
  artifact: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  const { id, manifestId, fingerprint, outbox } = artifact;
  if (entry?.artifactId === manifestId) {
    const repair = async () => records.markRegistered(id, await chain.findTransactionHash(fingerprint));
    return [artifactDivergence('failed-on-chain', artifact, 'it is failed, but on chain', repair)];
  }
  if (outbox === 'none') return [];
  const reason = 'it is failed, but still in the outbox: it would be submitted to the chain';
  return [artifactDivergence('outbox-left', artifact, reason, () => records.dequeue(id))];
}

function checkSubmitted(
  { records, chain }: AuditParts,
  artifact: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  const { id, manifestId, fingerprint, status, transactionHash, outbox } = artifact;
  if (!entry) {
    // The service submits it again.
    if (outbox === 'waiting') return [];
    const repair = () => records.enqueue(id, ['submitted']);
    return [artifactDivergence('entry-missing', artifact, `it is ${status}, but not on chain`, repair)];
  }
  if (entry.artifactId !== manifestId) {
    const reason = `it is ${status}, but on chain its fingerprint has the id ${entry.artifactId}`;
    return [artifactDivergence('entry-of-another', artifact, reason)];
  }
  if (transactionHash !== null) return [];
  const repair = async () => records.setTransactionHash(id, await chain.findTransactionHash(fingerprint));
  return [
    artifactDivergence('transaction-missing', artifact, `it is ${status}, but without its transaction hash`, repair),
  ];
}

/** When hash and metadata differ, the chain may prove which of them has changed. */
export function checkManifestHash(
  { records }: AuditParts,
  artifact: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  const { id, manifestId, metadata, manifestHash, isIncomplete } = artifact;
  const expected = isIncomplete ? manifestHash : manifestHashOf(metadata);
  const onChain = entry?.artifactId === manifestId ? entry.manifestHash : undefined;
  if (expected !== manifestHash) {
    const reason = `its manifestHash is ${manifestHash}, but the hash of its metadata is ${expected}`;
    // The chain confirms the metadata, so the stored hash is what has changed.
    const repair = onChain === expected ? () => records.setManifestHash(id, expected) : undefined;
    return [artifactDivergence('manifest-hash-broken', artifact, reason, repair)];
  }
  if (onChain === undefined || onChain === manifestHash) return [];
  const reason = `its manifestHash is ${manifestHash}, but on chain it is ${onChain}`;
  return [artifactDivergence('entry-hash-differs', artifact, reason)];
}
