// The evidence of a new claim: whether it is about the contested file, and older than its registration.

import { type ClaimKind, RegistryError } from '@provenance-registry/core';
import type { UploadedFile } from '../artifacts/creationRequest.js';
import { fieldError } from '../errors.js';
import type { CheckedEvidence, EvidenceResult, Ports, StoredArtifact } from '../ports/index.js';

/** A registration is public at once, and the clocks of blocks and time-stamp authorities are not exact. */
const EVIDENCE_MARGIN_MS = 5 * 60 * 1000;

export interface EvidenceRequest {
  readonly kind: ClaimKind;
  /** The account that wrote the entry on chain. */
  readonly account?: `0x${string}`;
  readonly file: UploadedFile | undefined;
  /** Whose budget the work counts in. */
  readonly client: string;
}

/** Throws BAD_REQUEST for evidence that is forged, about another file, or not older than the registration. */
export async function checkEvidence(
  ports: Ports,
  request: EvidenceRequest,
  artifact: StoredArtifact,
): Promise<{ evidence: CheckedEvidence; kept: Uint8Array | null }> {
  const result = await submit(ports, request, artifact);
  if (!result) return { evidence: { state: 'none', time: null, facts: { source: null, reason: null } }, kept: null };
  const { state, time, source, reason, kept } = result;
  if (!isOlder(time, artifact.createdAt)) {
    throw new RegistryError(
      'BAD_REQUEST',
      'The evidence is not older than the registration. It must be at least five minutes older.',
    );
  }
  const trust = kept && { trustId: ports.claimEvidence.trustId };
  return { evidence: { state, time, facts: { source, reason, ...trust } }, kept };
}

/** True for a time that is not known: nothing is concluded from it. */
export function isOlder(time: Date | null, registeredAt: Date): boolean {
  return time === null || time.getTime() <= registeredAt.getTime() - EVIDENCE_MARGIN_MS;
}

/** Undefined for a statement. */
async function submit(
  { claimEvidence }: Ports,
  { kind, account, client, file }: EvidenceRequest,
  { fingerprint }: StoredArtifact,
): Promise<EvidenceResult | undefined> {
  if (kind === 'statement' || kind === 'chain-entry') {
    if (file) throw fieldError('file', `A claim of the kind "${kind}" has no file.`);
    return kind === 'statement' ? undefined : claimEvidence.check({ kind, fingerprint, account });
  }
  if (!file) throw fieldError('file', '"file" is missing: send the evidence in a form.');
  if (!file.isWhole) throw new RegistryError('UNAVAILABLE', 'The service is reading too many files right now.');
  return claimEvidence.check({ kind, fingerprint, client, bytes: file.bytes });
}
