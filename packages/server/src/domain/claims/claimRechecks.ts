// Checks the evidence of claims again when the operator trusts other roots, or revoked certificates have become known.

import { notifyOfClaim } from '../accounts/notices.js';
import type { CheckedEvidence, ClaimToRecheck, EvidenceFinding, Ports } from '../ports/index.js';
import { isOlder } from './claimEvidence.js';
import { appendClaimEvent } from './claims.js';

/** Few: each has the bytes of its evidence. */
const PAGE_SIZE = 10;

/**
 * Checks all kept evidence that was checked under other roots. False when some could not be checked now. Any number of
 * processes may do this concurrently.
 */
export async function recheckEvidence({ claimEvidence, ...ports }: Ports): Promise<boolean> {
  const { claims } = ports.store;
  const { trustId } = claimEvidence;
  let isComplete = true;
  let last: string | undefined;
  for (;;) {
    const page = await claims.listForRecheck(trustId, PAGE_SIZE, last);
    for (const claim of page) {
      const finding = await claimEvidence.recheck(claim.evidence).catch(() => undefined);
      if (finding) await recordFinding(ports, claim, toEvidence(claim, finding, trustId));
      else isComplete = false;
    }
    if (page.length < PAGE_SIZE) return isComplete;
    last = page.at(-1)?.id;
  }
}

function toEvidence(
  { registeredAt }: ClaimToRecheck,
  { state, time, source, reason }: EvidenceFinding,
  trustId: string,
): CheckedEvidence {
  if (isOlder(time, registeredAt)) return { state, time, facts: { source, reason, trustId } };
  return { state: 'unchecked', time, facts: { source, reason: 'It is not older than the registration.', trustId } };
}

/** Both sides get a notice if the result is another one. */
async function recordFinding(
  ports: Pick<Ports, 'store' | 'mail' | 'clock'>,
  { id }: ClaimToRecheck,
  evidence: CheckedEvidence,
): Promise<void> {
  await ports.store.transaction(async (store) => {
    const before = await store.claims.lock(id);
    // Another process was first.
    if (!before || before.evidence.facts.trustId === evidence.facts.trustId) return;
    await store.claims.setEvidence(id, evidence);
    if (before.evidence.state === evidence.state) return;
    await appendClaimEvent(store, 'claim.rechecked', undefined, before);
    if (before.endedAs === null) await notifyOfClaim(ports, store, 'claim-rechecked', before);
  });
}
