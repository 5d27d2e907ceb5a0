// What an Artifact's status says, what the outbox has, and what the chain proves. An Artifact that waits in the outbox is
// on its way: the service itself sees to it that its status follows the chain.

import type { AuditedArtifact, AuditedChain, AuditedEntry, AuditRecords } from '../domain/ports/index.js';
import { type Divergence, faultOfArtifact } from './divergence.js';

export interface RegistrationParts {
  readonly records: AuditRecords;
  readonly chain: AuditedChain;
}

export function judgeRegistration(
  parts: RegistrationParts,
  artifact: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  switch (artifact.status) {
    case 'pending':
    case 'submitting':
      return judgeWaiting(parts, artifact);
    case 'failed':
      return judgeFailed(parts, artifact, entry);
    case 'submitted':
    case 'confirmed':
      return judgeSubmitted(parts, artifact, entry);
  }
}

/** Whether it is on chain already is for the service to find out, which looks before it writes. */
function judgeWaiting({ records }: RegistrationParts, { id, status, outbox }: AuditedArtifact): Divergence[] {
  if (outbox !== 'none') return [];
  const message = `it is ${status}, and not in the outbox: nothing will bring it to the chain`;
  return [faultOfArtifact('outbox-missing', id, message, () => records.putIntoOutbox(id, ['pending', 'submitting']))];
}

function judgeFailed(
  { records, chain }: RegistrationParts,
  { id, fingerprint, outbox }: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  if (entry?.artifactId === id) {
    const settle = async () => records.markRegistered(id, await chain.transactionOf(fingerprint));
    return [faultOfArtifact('failed-on-chain', id, 'it is failed, and the chain has it', settle)];
  }
  if (outbox === 'none') return [];
  const message = 'it is failed, and still in the outbox: it would be brought to the chain';
  return [faultOfArtifact('outbox-left', id, message, () => records.takeOutOfOutbox(id))];
}

function judgeSubmitted(
  { records, chain }: RegistrationParts,
  { id, fingerprint, status, transactionHash, outbox }: AuditedArtifact,
  entry: AuditedEntry | undefined,
): Divergence[] {
  if (!entry) {
    // The service brings it there again.
    if (outbox === 'waiting') return [];
    const again = () => records.putIntoOutbox(id, ['submitted']);
    return [faultOfArtifact('entry-missing', id, `it is ${status}, and the chain does not have it`, again)];
  }
  if (entry.artifactId !== id) {
    const message = `it is ${status}, and the chain has its fingerprint under the id ${entry.artifactId}`;
    return [faultOfArtifact('entry-of-another', id, message)];
  }
  if (transactionHash !== null) return [];
  const find = async () => records.setTransactionHash(id, await chain.transactionOf(fingerprint));
  return [faultOfArtifact('transaction-missing', id, `it is ${status}, and its transaction is not written down`, find)];
}
